import LoopIO
import TestSupport
import Testing

/// What a worker serves as /metrics.
struct Metrics {
  let text: String

  init(of worker: RunningWorker, on loop: Loop) async throws {
    let address = try #require(
      worker.records("the worker runs").first?["admin"]?.string, "no admin address")
    var lines: [String] = []
    let script =
      "import sys,urllib.request as r\n"
      + "sys.stdout.write(r.urlopen(sys.argv[1], timeout=20).read().decode())"
    let child = try ChildProcess(
      on: loop, "/usr/bin/python3", ["-c", script, address + "/metrics"],
      output: .lines { lines.append($0) })
    let ending = await child.waitForExit()
    try #require(ending == ExitStatus(), "no metrics")
    text = lines.joined(separator: "\n")
  }

  /// The sum over all series of a name, or of one written with its labels.
  subscript(_ name: String) -> Double? {
    var sum: Double?
    for line in text.split(separator: "\n") {
      guard line.hasPrefix(name), let blank = line.lastIndex(of: " ") else { continue }
      let series = line[..<blank]
      guard series == name || series.hasPrefix(name + "{") else { continue }
      sum = (sum ?? 0) + (Double(line[line.index(after: blank)...]) ?? 0)
    }
    return sum
  }
}
