import Glibc
import LoopIO
import TestSupport
import Testing

/// Signals of operators (TERM is DrainTests', HUP ReloadTests').
@Suite struct SignalTests {
  private static func event(_ token: String) -> String {
    Samples.message("s", #"{"platform":"ios","token":"\#(token)"}"#)
  }

  @Test(.redis) func `TSTP holds taking, CONT lifts that and no operator's pause`() async throws {
    let server = try redis()
    let allim = AllimCommand(server)
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop)
      let worker = try RunningWorker(
        listenedTo: loop,
        ["--config", simulator.configuration, "--redis", "unix://\(server.socket)"])
      #expect(await eventually(on: loop) { !worker.records("the worker runs").isEmpty })
      worker.signal(SIGTSTP)
      #expect(await eventually(on: loop) { worker.records("taking is held").count == 1 })
      // An idle peek under way may still bring one event; the next ones stay.
      try await queue.push([Self.event(Samples.apns("d1"))])
      #expect(
        await eventually(on: loop) {
          worker.signal(SIGUSR1)
          try? await loop.sleep(.milliseconds(100))
          return worker.records("state").last?["state"]?.string == "paused"
        })
      try await queue.push((2...9).map { Self.event(Samples.apns("d\($0)")) })
      worker.signal(SIGCONT)
      #expect(await eventually(on: loop) { worker.records("taking goes on").count == 1 })
      #expect(await eventually(on: loop) { simulator.accepted().count == 9 })

      #expect(try await allim("pause").status == 0)
      worker.signal(SIGTSTP)
      // The kernel forgets a TSTP that waits when a CONT comes.
      #expect(await eventually(on: loop) { worker.records("taking is held").count == 2 })
      worker.signal(SIGCONT)
      #expect(await eventually(on: loop) { worker.records("taking goes on").count == 2 })
      #expect(
        await eventually(on: loop) {
          worker.signal(SIGUSR1)
          try? await loop.sleep(.milliseconds(100))
          return worker.records("state").last?["state"]?.string == "paused"
        })
      try await queue.push([Self.event(Samples.apns("da"))])
      #expect(try await allim("stats", "--json").text.contains("\"paused\":true"))
      #expect(await queue.waiting() == 1)
      #expect(try await allim("resume").status == 0)
      #expect(await eventually(on: loop) { simulator.accepted().count == 10 })
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }

  @Test(.redis) func `TTIN and TTOU are one worker more and one less`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let simulator = try await RunningSimulator(on: loop)
      let worker = try RunningWorker(
        listenedTo: loop,
        ["--config", simulator.configuration, "--redis", "unix://\(server.socket)"],
        settings: ["ALLIM_WORKERS=5"])
      #expect(await eventually(on: loop) { !worker.records("the worker runs").isEmpty })
      let changed = "the number of workers was changed by a signal"
      for (number, (signal, count)) in [(SIGTTIN, 6), (SIGTTIN, 7), (SIGTTOU, 6)].enumerated() {
        worker.signal(signal)
        #expect(
          await eventually(on: loop) {
            worker.records(changed).count == number + 1
              && worker.records(changed).last?["workers"]?.integer == Int64(count)
          })
      }
      // Other news of the fleet leave it alone.
      #expect(try await AllimCommand(server)("pause", "--app", "chat").status == 0)
      #expect(try await AllimCommand(server)("resume", "--app", "chat").status == 0)
      #expect(try await Metrics(of: worker, on: loop)["allim_workers"] == 6)
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }
}
