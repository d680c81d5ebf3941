import LoopIO
import TestSupport
import Testing

@testable import PushSimulator

@Suite struct ProgramTests {
  @Test func `flags set what they name, and a --no- form takes it back`() throws {
    let outcome = try SimulatorArguments.parse([
      "--dir", "d", "--apns-port", "1", "--sandbox-port", "2", "--fcm-port", "3",
      "--control-port", "0", "--topic", "a.b", "--topic", "c.d", "--rules", "r", "--record", "f",
      "--no-record", "--keep", "9", "--count-only", "--max-streams", "7", "--strict-streams",
      "--enforce-rate", "--no-enforce-rate", "--clock-offset", "-5", "--token-ttl", "60",
      "--latency", "4",
    ])
    guard case .run(let options) = outcome else {
      Issue.record("asked for help")
      return
    }
    #expect(options.apnsPort == 1 && options.sandboxPort == 2 && options.fcmPort == 3)
    #expect(options.controlPort == 0)
    #expect(options.topics == ["a.b", "c.d"])
    #expect(options.rulesFile == "r" && options.recordFile == nil)
    #expect(options.keep == 9 && options.maxStreams == 7 && options.tokenTTL == 60)
    #expect(options.countOnly && options.strictStreams && !options.enforceRate)
    #expect(options.clockOffset == -5 && options.latency == 4)
  }

  @Test(arguments: [
    ["--apns-port", "1"], ["--dir"], ["--dir", "d", "--kep", "3"], ["--dir", "d", "--keep", "x"],
    ["--dir", "d", "--apns-port", "70000"], ["--dir", "d", "--max-streams", "0"],
  ])
  func `wrong flags are refused`(_ arguments: [String]) {
    #expect(throws: SimulatorError.self) { try SimulatorArguments.parse(arguments) }
  }

  @Test func `help names every flag, wrong use ends with 2`() async throws {
    let program = Product("allim-sim")
    let help = try await program.run(["--help"])
    #expect(help.status == 0)
    let text = help.output.joined(separator: "\n")
    for flag in ["--dir", "--strict-streams", "--token-ttl", "--no-"] {
      #expect(text.contains(flag))
    }
    #expect(try await program.run(["--bogus"]).status == 2)
  }

  @Test func `the program says when it is ready, and TERM ends it`() async throws {
    let folder = TemporaryFolder()
    let code = try await onLoop { loop in
      var lines: [String] = []
      let child = try ChildProcess(
        on: loop, Product("allim-sim").path,
        [
          "--dir", folder.file("sim"), "--apns-port", "0", "--sandbox-port", "0", "--fcm-port",
          "0", "--control-port", "0",
        ], output: .lines { lines.append($0) })
      let isReady = await eventually(within: .seconds(30), on: loop) { !lines.isEmpty }
      #expect(isReady)
      let ready = JSONText(Array((lines.first ?? "").utf8))
      for port in ["apnsPort", "sandboxPort", "fcmPort", "controlPort"] {
        #expect(ready?[port].flatMap { Int($0) } ?? 0 > 0)
      }
      child.kill(15)
      let exit = await child.waitForExit()
      return exit.signal == 0 ? exit.code : -1
    }
    #expect(code == 0)
    let yaml = String(decoding: read(folder.file("sim/allim.yaml")) ?? [], as: UTF8.self)
    #expect(yaml.contains("redis: {url: embedded}"))
    let account = JSONText(read(folder.file("sim/service-account.json")) ?? [])
    #expect(account?["token_uri"]?.hasPrefix("https://localhost:") == true)
    #expect(read(folder.file("sim/client.p12"))?.isEmpty == false)
  }

  @Test func `the configuration follows the ports until somebody makes it his own`() async throws {
    try await onLoop { loop in
      let folder = TemporaryFolder()
      func start() async throws -> String {
        var options = SimulatorOptions(directory: folder.path)
        options.apnsPort = 0
        options.sandboxPort = 0
        options.fcmPort = 0
        options.controlPort = 0
        let simulator = try await Simulator.start(options, on: loop)
        let port = await simulator.ports.apns
        await simulator.stop()
        return "apnsProduction: localhost:\(port)"
      }
      func yaml() -> String {
        String(decoding: read(folder.file("allim.yaml")) ?? [], as: UTF8.self)
      }
      _ = try await start()
      let key = read(folder.file("AuthKey_SIMKEY0001.p8"))
      let second = try await start()
      #expect(yaml().contains(second))
      #expect(read(folder.file("AuthKey_SIMKEY0001.p8")) == key)
      write(Array("mine".utf8), to: folder.file("allim.yaml"))
      _ = try await start()
      #expect(yaml() == "mine")
    }
  }
}
