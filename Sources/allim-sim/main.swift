import Glibc
import LoopIO
import PushSimulator

SignalSource.ignoreBrokenPipes()
let loop = Loop(name: "allim-sim")
let command = SimulatorCommand(loop: loop)
command.run(Array(CommandLine.arguments.dropFirst()))
