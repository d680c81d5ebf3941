internal import Glibc

// libuv's write to a peer that is gone would end the process.
signal(SIGPIPE, SIG_IGN)
exit(CommandLineTool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
