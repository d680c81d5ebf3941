import LoopIO
import TestSupport
import Testing

/// An allim-sim of a test's own, with a record of every request it got.
final class RunningSimulator {
  let folder = TemporaryFolder()
  private let loop: Loop
  private var child: ChildProcess?
  private var ready = ""

  var configuration: String { folder.file("sim/allim.yaml") }
  var controlPort: Int64 { JSONView(ready.utf8)?["controlPort"]?.integer ?? 0 }
  var record: String { folder.file("record.jsonl") }

  /// Starts it with rules and further arguments and waits until it is ready.
  init(on loop: Loop, rules: String = "[]", _ arguments: [String] = []) async throws {
    self.loop = loop
    write([UInt8](rules.utf8), to: folder.file("rules.json"))
    let words =
      ["--dir", folder.file("sim"), "--apns-port", "0", "--sandbox-port", "0", "--fcm-port", "0"]
      + ["--control-port", "0", "--record", record, "--rules", folder.file("rules.json")]
      + arguments
    child = try ChildProcess(
      on: loop, Product("allim-sim").path, words,
      output: .lines { [unowned self] line in ready = line })
    let started = await eventually(on: loop) { ready.contains("controlPort") }
    try #require(started, "the simulator did not start")
  }

  /// One of the ports that it said.
  func port(_ name: String) -> Int {
    guard let mark = ready.firstRange(of: "\"\(name)\":") else { return 0 }
    return Int(ready[mark.upperBound...].prefix { $0.isNumber }) ?? 0
  }

  /// How often each device token was sent to APNs and answered with 200.
  func accepted() -> [String: Int] {
    var counts: [String: Int] = [:]
    let lines = String(decoding: read(record) ?? [], as: UTF8.self).split(separator: "\n")
    for line in lines where line.contains("\"status\":200") {
      guard let mark = line.firstRange(of: "/3/device/") else { continue }
      counts[String(line[mark.upperBound...].prefix { $0 != "\"" }), default: 0] += 1
    }
    return counts
  }

  func stop() async {
    child?.kill(15)
    _ = await child?.waitForExit()
  }
}
