internal import CLibuv

/// The libuv handle of a stream: TCP or unix socket. It frees itself.
@safe struct StreamHandle: ~Copyable {
  /// What libuv's callbacks may touch; the stream itself may be gone.
  final class Link {
    weak var stream: ByteStream?
    weak var listener: StreamListener?
  }

  let raw: UnsafeMutableRawPointer
  let isTCP: Bool
  private let loop: Loop
  private let link: Link

  init(on loop: Loop, tcp: Bool, link: Link) {
    self.loop = loop
    self.isTCP = tcp
    self.link = link
    if tcp {
      let handle = UnsafeMutablePointer<uv_tcp_t>.allocate(capacity: 1)
      unsafe uv_tcp_init(loop.raw, handle)
      // Small writes go out at once: a turn's bytes are gathered before.
      unsafe uv_tcp_nodelay(handle, 1)
      unsafe raw = UnsafeMutableRawPointer(handle)
    } else {
      let handle = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
      unsafe uv_pipe_init(loop.raw, handle, 0)
      unsafe raw = UnsafeMutableRawPointer(handle)
    }
    unsafe cuv_set_data(raw, Unmanaged.passRetained(link).toOpaque())
  }

  var tcp: UnsafeMutablePointer<uv_tcp_t> { unsafe raw.assumingMemoryBound(to: uv_tcp_t.self) }
  var pipe: UnsafeMutablePointer<uv_pipe_t> { unsafe raw.assumingMemoryBound(to: uv_pipe_t.self) }

  static func link(of handle: UnsafeRawPointer) -> Link {
    unsafe Unmanaged<Link>.fromOpaque(cuv_data(handle)!).takeUnretainedValue()
  }

  deinit {
    let raw = unsafe LoopBound(raw)
    if loop.isOwnThread {
      unsafe Self.close(raw.value)
    } else {
      loop.execute { unsafe Self.close(raw.value) }
    }
  }

  private static func close(_ raw: UnsafeMutableRawPointer) {
    unsafe cuv_close(raw) { handle in
      let user = unsafe cuv_data(handle!)!
      unsafe Unmanaged<Link>.fromOpaque(user).release()
      unsafe UnsafeMutableRawPointer(handle)?.deallocate()
    }
  }
}
