internal import CLibuv
internal import Glibc

/// Reads a child's pipe and hands out whole lines.
@safe final class LineReader {
  private let loop: Loop
  private let pipe: UnsafeMutablePointer<uv_pipe_t>
  private let take: (String) -> Void
  private var rest: [UInt8] = []
  private var isClosed = false

  var stream: UnsafeMutablePointer<uv_stream_t> {
    unsafe UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_stream_t.self)
  }

  init(on loop: Loop, _ take: @escaping (String) -> Void) {
    self.loop = loop
    self.take = take
    unsafe pipe = .allocate(capacity: 1)
    unsafe uv_pipe_init(loop.raw, pipe, 0)
  }

  /// Reads until the child closes its end; the pipe keeps the reader alive.
  func start() {
    unsafe cuv_set_data(pipe, Unmanaged.passRetained(self).toOpaque())
    unsafe cuv_read_start(
      pipe,
      { handle, _, buffer in
        let user = unsafe cuv_data(handle!)!
        let reader = unsafe Unmanaged<LineReader>.fromOpaque(user).takeUnretainedValue()
        let shared = unsafe reader.loop.here.readBuffer
        unsafe buffer?.pointee = uv_buf_init(
          shared.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(shared.count))
      },
      { handle, count, buffer in
        let user = unsafe cuv_data(handle!)!
        let reader = unsafe Unmanaged<LineReader>.fromOpaque(user).takeUnretainedValue()
        if count < 0 {
          reader.isClosed = true
          unsafe closeAndFree(handle!)
          return unsafe Unmanaged<LineReader>.fromOpaque(user).release()
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: buffer?.pointee.base, count: count)
        reader.read(unsafe Array(bytes))
      })
  }

  /// Hands out what the child wrote before it ended: the loop may hear of the end first.
  func drain() {
    var descriptor: Int32 = -1
    let handle = unsafe UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_handle_t.self)
    guard !isClosed, unsafe uv_fileno(handle, &descriptor) == 0 else { return }
    let shared = unsafe loop.here.readBuffer
    while true {  // libuv made the descriptor one that does not block
      let count = unsafe Glibc.read(descriptor, shared.baseAddress, shared.count)
      if count <= 0 { return }
      read(unsafe Array(shared.prefix(count)))
    }
  }

  private func read(_ bytes: [UInt8]) {
    rest += bytes
    while let end = rest.firstIndex(of: 10) {
      take(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeSubrange(...end)
    }
  }
}
