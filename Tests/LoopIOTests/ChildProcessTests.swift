import LoopIO
import TestSupport
import Testing

@Suite struct ChildProcessTests {
  @Test func `lines of a child arrive, and its exit code`() async throws {
    let (lines, status) = try await onLoop { loop in
      var lines: [String] = []
      let child = try ChildProcess(
        on: loop, "/bin/sh", ["-c", "echo one; echo $WORD; exit 3"], environment: ["WORD=two"],
        output: .lines { lines.append($0) })
      let status = await child.waitForExit()
      return (lines, status)
    }
    #expect(lines == ["one", "two"])
    #expect(status == ExitStatus(code: 3, signal: 0))
  }

  @Test func `what a child wrote before its end is there when the end is told`() async throws {
    for _ in 0..<20 {
      let count = try await onLoop { loop in
        var count = 0
        let child = try ChildProcess(
          on: loop, "/usr/bin/seq", ["2000"], output: .lines { _ in count += 1 })
        _ = await child.waitForExit()
        return count
      }
      #expect(count == 2_000)
    }
  }

  @Test func `a signal ends a child`() async throws {
    let status = try await onLoop { loop in
      let child = try ChildProcess(on: loop, "/bin/sleep", ["60"], output: .discard)
      child.kill(9)
      return await child.waitForExit()
    }
    #expect(status.signal == 9)
  }

  @Test func `a program that is not there is an error`() async throws {
    try await onLoop { loop in
      _ = #expect(throws: StreamError.self) {
        _ = try ChildProcess(on: loop, "/no/such/program", diesWithUs: false)
      }
    }
  }

  @Test func `a signal is caught on the loop`() async throws {
    let caught = try await onLoop { loop in
      var caught = 0
      let source = try SignalSource(on: loop, 10) { caught += 1 }
      let child = try ChildProcess(on: loop, "/bin/sh", ["-c", "kill -USR1 $PPID"])
      _ = await child.waitForExit()
      _ = await eventually(on: loop) { caught == 1 }
      source.close()
      return caught
    }
    #expect(caught == 1)
  }
}
