import Glibc
import LoopIO
import TestSupport

/// `redis-cli MONITOR`: every command that a server runs, with its database.
final class Monitor {
  private let child: ChildProcess
  private(set) var lines: [String] = []

  init(of server: RedisServer, on loop: Loop) throws {
    let lines = Lines()
    child = try ChildProcess(
      on: loop, "/usr/bin/redis-cli", ["-s", server.socket, "MONITOR"],
      output: .lines { lines.all.append($0) })
    kept = lines
  }

  private final class Lines { var all: [String] = [] }
  private let kept: Lines

  func stop() {
    child.kill(SIGTERM)
    lines = kept.all
  }
}

/// A file of `deploy/`.
func deployed(_ name: String) -> String {
  let here = "\(#filePath)".split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
  return here.joined(separator: "/") + "/deploy/" + name
}

/// Lets a path lead to another file from now on.
func relink(_ path: String, to target: String) {
  unsafe unlink(path)
  unsafe symlink(target, path)
}

/// Removes an empty folder.
func removeFolder(_ path: String) { unsafe rmdir(path) }
