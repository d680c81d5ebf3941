import Glibc
import LoopIO
import TestSupport
import Testing

/// The programs of samples/producers, of which those run whose language and client are installed.
@Suite struct SampleProducerTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let file: String
    /// What a shell runs; `$0` is the file.
    let command: String
    let program: String
    /// The client library, as Debian installs it; "" = none is needed.
    let client: String

    var isInstalled: Bool {
      if !client.isEmpty, unsafe access(client, F_OK) != 0 { return false }
      return SampleProducerTests.path.split(separator: ":").contains {
        unsafe access("\($0)/\(program)", X_OK) == 0
      }
    }

    var testDescription: String { file }

    init(_ file: String, _ command: String, _ program: String, client: String) {
      (self.file, self.command) = (file, command)
      (self.program, self.client) = (program, client)
    }
  }

  /// Debian's programs first, since its clients are theirs; Swift's compiler lies elsewhere.
  fileprivate static let path = "/usr/bin:/bin:" + variable("PATH", otherwise: "")

  private static func variable(_ name: String, otherwise: String) -> String {
    unsafe getenv(name).map { unsafe String(cString: $0) } ?? otherwise
  }

  private static let jars = ["databind", "core", "annotations"].map {
    "/usr/share/java/jackson-\($0).jar"
  }

  private static let all = [
    Sample(
      "producer.py", "python3 $0", "python3", client: "/usr/lib/python3/dist-packages/redis"),
    Sample("producer.mjs", "node $0", "node", client: "/usr/share/nodejs/redis"),
    Sample("producer.rb", "ruby $0", "ruby", client: "/usr/share/doc/ruby-redis"),
    Sample("producer.php", "php $0", "php", client: "/etc/php/8.2/mods-available/redis.ini"),
    Sample(
      "producer.go", "GO111MODULE=off GOPATH=/usr/share/gocode go run $0", "go",
      client: "/usr/share/gocode/src/github.com/gomodule/redigo"),
    Sample(
      "Producer.java", "java -cp \(jars.joined(separator: ":")) $0", "java", client: jars[0]),
    Sample("Producer.swift", "swiftc -o producer $0 && ./producer", "swiftc", client: ""),
  ]

  private static let installed = all.filter(\.isInstalled)

  private static let gone =
    #"{"v":1,"kind":"device","token":"bb","provider":"apns","deviceId":"d-17","reason":"Unregistered"}"#

  // One after the other, and behind all others: compilers at work make tests beside them too late.
  @Test(.serialized, .enabled(if: !installed.isEmpty), arguments: installed)
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
        on: loop, "/usr/bin/nice",
        ["-n", "19", "/bin/sh", "-c", sample.command, folder.file(sample.file)],
        environment: [
          "PATH=\(Self.path)", "HOME=\(Self.variable("HOME", otherwise: folder.path))",
          "REDIS_URL=redis://127.0.0.1:\(port)/0", "NODE_PATH=/usr/share/nodejs",
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
