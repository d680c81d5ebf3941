import Glibc
import LoopIO
import PushSimulator
import Synchronization

/// Starts the simulator on the main thread's loop and ends with it.
final class SimulatorCommand: Sendable {
  private let loop: Loop
  private let exitCode = Atomic<Int32>(0)

  init(loop: Loop) { self.loop = loop }

  func run(_ arguments: [String]) {
    do throws(SimulatorError) {
      switch try SimulatorArguments.parse(arguments) {
      case .help: print(SimulatorArguments.help, terminator: "")
      case .run(let options): serve(options)
      }
    } catch {
      fail(error, code: 2)
    }
    fflush(nil)
    exit(exitCode.load(ordering: .relaxed))
  }

  private func serve(_ options: SimulatorOptions) {
    // Ends when the loop does, which `run` waits for.
    Task(executorPreference: loop) { [self] in
      do throws(SimulatorError) {
        let simulator = try await Simulator.start(options, on: loop)
        try await simulator.catchTermination()
        await sayReady(simulator)
        await simulator.waitForTermination()
        await simulator.stop()
      } catch {
        fail(error, code: error.code == .usage ? 2 : 1)
      }
      loop.stop()
    }
    loop.run()
  }

  private func sayReady(_ simulator: Simulator) async {
    print(await simulator.readyLine)
    // Whoever reads the line through a pipe waits for it.
    fflush(nil)
  }

  private func fail(_ error: SimulatorError, code: Int32) {
    exitCode.store(code, ordering: .relaxed)
    let line = Array("allim-sim: \(error.detail)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
