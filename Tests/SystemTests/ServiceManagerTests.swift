import Glibc
import LoopIO
import TestSupport
import Testing

/// What systemd is told, by a socket as systemd's.
@Suite struct ServiceManagerTests {
  /// Runs a worker that tells its state to a manager, and ends it as one that is well.
  private func withManager(
    _ settings: [String], isAbstract: Bool = false,
    _ body: @escaping @Sendable (Loop, NotifySocket, RunningWorker) async throws -> Void
  ) async throws {
    let server = try redis()
    try await onLoop { loop in
      let folder = TemporaryFolder()
      let manager = try NotifySocket(
        isAbstract ? "@allim-test-\(getpid())" : folder.file("notify"))
      let simulator = try await RunningSimulator(on: loop)
      let worker = try RunningWorker(
        listenedTo: loop,
        ["--config", simulator.configuration, "--redis", "unix://\(server.socket)"],
        settings: ["NOTIFY_SOCKET=\(manager.name)"] + settings)
      try await body(loop, manager, worker)
      #expect(await worker.stop() == ExitStatus())
      #expect(manager.heard("STOPPING=1") == 1)
      #expect(manager.text.contains("EXTEND_TIMEOUT_USEC="))
      await simulator.stop()
    }
  }

  @Test(.redis, arguments: [false, true])
  func `start, watchdog, reload and stop are told`(isAbstract: Bool) async throws {
    try await withManager(["WATCHDOG_USEC=900000"], isAbstract: isAbstract) {
      loop, manager, worker in
      #expect(await eventually(on: loop) { manager.heard("READY=1") == 1 })
      #expect(await eventually(on: loop) { manager.heard("WATCHDOG=1") >= 3 })
      #expect(await eventually(on: loop) { manager.text.contains("STATUS=0 of 256 workers busy") })
      worker.signal(SIGHUP)
      #expect(
        await eventually(on: loop) {
          manager.heard("RELOADING=1") == 1 && manager.heard("READY=1") == 2
        })
      #expect(manager.text.contains("MONOTONIC_USEC="))
      #expect(manager.heard("STOPPING=1") == 0)
    }
  }

  @Test(.redis, .enabled(if: StoppedThread.isAllowed))
  func `one loop of several that stands still is enough not to be reported alive`() async throws {
    try await withManager(["WATCHDOG_USEC=300000", "ALLIM_THREADS=3"]) { loop, manager, worker in
      #expect(await eventually(on: loop) { manager.heard("WATCHDOG=1") >= 3 })
      let thread = try await StoppedThread("shard-2", of: worker.pid, on: loop)
      let last = try await manager.settles(over: .milliseconds(900), on: loop)
      #expect(worker.exit == nil)
      await thread.resume()
      #expect(await eventually(on: loop) { manager.heard("WATCHDOG=1") > last })
    }
  }

  @Test(.redis) func `a stop while the worker starts is told too`() async throws {
    try await withManager(["WATCHDOG_USEC=300000"]) { loop, manager, worker in
      #expect(await eventually(on: loop) { manager.heard("STATUS=starting") == 1 })
    }
  }

  @Test(.redis, arguments: 1...4)
  func `TERM again and again until the end changes nothing`(round: Int) async throws {
    try await withManager([]) { loop, manager, worker in
      #expect(await eventually(on: loop) { manager.heard("READY=1") == 1 })
      while worker.exit == nil {
        for _ in 0..<20 { worker.signal(SIGTERM) }
        try await loop.sleep(.milliseconds(1))
      }
      #expect(worker.exit == ExitStatus())
    }
  }

  @Test(.redis) func `a worker that stands still is not reported alive`() async throws {
    try await withManager(["WATCHDOG_USEC=300000"]) { loop, manager, worker in
      #expect(await eventually(on: loop) { manager.heard("WATCHDOG=1") >= 1 })
      worker.signal(SIGSTOP)
      let last = try await manager.settles(over: .milliseconds(300), on: loop)
      #expect(manager.heard("WATCHDOG=1") == last)
      worker.signal(SIGCONT)
      #expect(await eventually(on: loop) { manager.heard("WATCHDOG=1") > last })
    }
  }
}

/// The manager's end of NOTIFY_SOCKET.
@safe private final class NotifySocket {
  let name: String
  private let descriptor: Int32
  private var lines: [String] = []

  init(_ name: String) throws {
    self.name = name
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var bytes = Array(name.utf8)
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 } else { bytes.append(0) }
    let family = sa_family_t(AF_UNIX)
    let address = unsafe withUnsafeBytes(of: family) { unsafe Array($0) } + bytes
    let bound = unsafe address.withUnsafeBytes { address in
      unsafe bind(
        descriptor, address.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(address.count))
    }
    try #require(bound == 0)
  }

  deinit { close(descriptor) }

  /// Every line so far.
  var text: String {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while case let count = unsafe recv(descriptor, &buffer, buffer.count, 0), count > 0 {
      lines += String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        .map(String.init)
    }
    return lines.joined(separator: "\n")
  }

  func heard(_ line: String) -> Int {
    _ = text
    return lines.count { $0 == line }
  }

  /// The signs of life so far, once a whole period has brought none: what was under way has arrived.
  func settles(over period: Duration, on loop: Loop) async throws -> Int {
    var last = -1
    while case let count = heard("WATCHDOG=1"), count != last {
      last = count
      try await loop.sleep(period)
    }
    return last
  }
}
