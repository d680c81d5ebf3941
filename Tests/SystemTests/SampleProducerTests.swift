import Glibc
import LoopIO
import TestSupport
import Testing

/// The programs of samples/producers, of which those run whose language and client are installed.
@Suite struct SampleProducerTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let file: String
    let program: String
    /// The client library, as Debian installs it.
    let client: String

    var isInstalled: Bool {
      unsafe access("/usr/bin/\(program)", X_OK) == 0 && access(client, F_OK) == 0
    }

    var testDescription: String { file }
  }

  private static let all = [
    Sample(
      file: "producer.py", program: "python3", client: "/usr/lib/python3/dist-packages/redis"),
    Sample(file: "producer.mjs", program: "node", client: "/usr/share/nodejs/redis"),
    Sample(file: "producer.rb", program: "ruby", client: "/usr/share/doc/ruby-redis"),
    Sample(file: "producer.php", program: "php", client: "/etc/php/8.2/mods-available/redis.ini"),
  ]

  private static let installed = all.filter(\.isInstalled)

  private static let gone =
    #"{"v":1,"kind":"device","token":"bb","provider":"apns","deviceId":"d-17","reason":"Unregistered"}"#

  @Test(.enabled(if: !installed.isEmpty), arguments: installed)
  func `a sample's event is pushed, and it reads the tokens that are gone`(sample: Sample)
    async throws
  {
    let port = try await onLoop { loop in
      let listener = try StreamListener(
        on: loop, endpoint: .tcp(host: "127.0.0.1", port: 0), accept: { _ in })
      defer { listener.close() }
      return listener.port
    }
    let server = try await RedisServer(["--port", String(port)])
    try await onLoop { loop in
      let chain = try await PushChain(on: loop, server)
      _ = try await AllimCommand(server).redis(["RPUSH", "{push:messages}:invalid", Self.gone])
      // Node looks for modules beside the program alone.
      let folder = TemporaryFolder()
      write(read(Self.samples + sample.file) ?? [], to: folder.file(sample.file))
      makeFolder(folder.file("node_modules"))
      makeFolder(folder.file("node_modules/redis"))
      write(
        Array(#"module.exports = require("/usr/share/nodejs/redis")"#.utf8),
        to: folder.file("node_modules/redis/index.js"))
      var lines: [String] = []
      let child = try ChildProcess(
        on: loop, "/usr/bin/\(sample.program)", [folder.file(sample.file)],
        environment: [
          "PATH=/usr/bin:/bin", "REDIS_URL=redis://127.0.0.1:\(port)/0",
          "NODE_PATH=/usr/share/nodejs",
        ],
        directory: folder.path, output: .lines { lines.append($0) })
      #expect(await child.waitForExit() == ExitStatus())
      #expect(lines == ["device d-17 Unregistered"])
      let request = try await chain.accepted(String(repeating: "aa", count: 32))
      #expect(request.body?["aps", "alert", "body"]?.string == "Mina: Noodles at noon?")
      #expect(await chain.queue.list("invalid").isEmpty)
      await chain.stop()
    }
    await server.stop()
  }

  private static let samples =
    #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/samples/producers/"
}
