internal import Glibc

// libuv's write to a peer that is gone would end the process.
signal(SIGPIPE, SIG_IGN)
let status = CommandLineTool.run(Array(CommandLine.arguments.dropFirst())).rawValue
// Without what `exit` does on the way: threads of loops may still close their connections, and
// OpenSSL's handler would free what they use under their hands.
fflush(nil)
_exit(status)
