import PushCrypto
import RedisClient
import SharedState
import TestSupport
import Testing

@Suite(.redis) struct CommandLineTests {
  private let allim: AllimCommand

  init() throws { allim = AllimCommand(try redis()) }

  /// A queue of the test's own.
  private func queue(_ name: String = #function) -> String {
    "q"
      + String(
        name.unicodeScalars.reduce(UInt64(5_381)) { $0 &* 33 &+ UInt64($1.value) }, radix: 36)
  }

  private static let event =
    #""event":{"type":"notice","app":"chat","title":"x","devices":[{"platform":"android","token":"a:b"}]}"#

  private func letter(_ id: String, _ reason: String, takenAt: Int64, body: String = event)
    -> String
  {
    #"{"v":1,"id":"\#(id)","reason":"\#(reason)","detail":"d","app":"chat","type":"notice","#
      + #""takenAt":\#(takenAt),"deadAt":\#(takenAt),"replays":1,\#(body)}"#
  }

  private var now: Int64 { SystemClock().wall() }

  // MARK: Configuration

  @Test func `three mistakes in a configuration give three lines and exit 2`() async throws {
    write(
      [UInt8](
        "redis: {url: embedded}\nworkers: many\nlog: {levl: info}\nrequest: {timeout: 9}\n".utf8),
      to: allim.folder.file("allim.yaml"))
    let ending = try await allim.run(["check-config"])
    #expect(ending.status == 2)
    #expect(
      ending.lines == [
        #"allim: allim.yaml:2: workers: "many": not allowed; allowed: 1 to 65536, or auto"#,
        #"allim: allim.yaml:3: log.levl: unknown key, did you mean "level"? allowed: level, format"#,
        #"allim: allim.yaml:4: request.timeout: "9": not allowed; allowed: 100ms to 5m, "#
          + "with the unit ms, s, m, h or d",
      ])
  }

  @Test func `values are shown with their origins and without secrets`() async throws {
    write(
      [UInt8]("redis: {url: \"redis://u:secret@h\"}\nworkers: 9\n".utf8),
      to: allim.folder.file("allim.yaml"))
    let ending = try await allim.run(["check-config", "--json"])
    #expect(ending.status == 0)
    #expect(
      ending.text.contains(
        #"{"key":"redis.url","value":"redis://u:***@h","origin":"allim.yaml:1"}"#))
    #expect(ending.text.contains(#"{"key":"workers","value":"9","origin":"allim.yaml:2"}"#))
    #expect(!ending.text.contains("secret"))
  }

  @Test func `a key that cannot be used is a problem of its setting`() async throws {
    write([UInt8]("no key".utf8), to: allim.folder.file("key.p8"))
    let yaml = """
      redis: {url: embedded}
      apps:
        chat:
          apns: {topic: t, production: {keyFile: key.p8, keyId: ABCDEFGHIJ, teamId: ABCDEFGHIJ}}

      """
    write([UInt8](yaml.utf8), to: allim.folder.file("allim.yaml"))
    let ending = try await allim.run(["check-config"])
    #expect(ending.status == 2)
    #expect(ending.lines.count == 1)
    #expect(
      ending.lines.first?.hasPrefix("allim: allim.yaml:4: apps.chat.apns.production.keyFile: ")
        == true)
  }

  @Test func `a certificate whose subject names another app is a warning, and no problem`()
    async throws
  {
    let client = try CertificateAuthority().makeClient(topic: "com.example.other")
    write(client.combinedPEM, to: allim.folder.file("push.pem"))
    let yaml = """
      redis: {url: embedded}
      apps:
        chat:
          apns: {topic: com.example.chat, production: {certificateFile: push.pem}}

      """
    write([UInt8](yaml.utf8), to: allim.folder.file("allim.yaml"))
    let ending = try await allim.run(["check-config"])
    #expect(ending.status == 0)
    #expect(
      ending.lines.last == "warning: allim.yaml:4: apps.chat.apns.production.certificateFile: "
        + "push.pem: the certificate's subject names the topic com.example.other, not the app's "
        + "topic com.example.chat")
  }

  // MARK: Words

  @Test(arguments: [
    (["stat"], #"unknown verb "stat", did you mean "stats"?"#),
    (["dead", "lst"], #"unknown verb "dead lst", did you mean "dead list"?"#),
    (["stats", "--quene", "x"], #"unknown option "--quene", did you mean "--queue"?"#),
    (["scale"], "something is missing"), (["dead"], "allowed: dead list|show|count|retry"),
    (["scale", "0"], "allowed: 1 to 65536"),
    (["dead", "list", "--reason", "rejectd"], #"did you mean "rejected"?"#),
    (["dead", "list", "--limit"], "--limit needs a value"),
    (["dead", "list", "--older", "5"], "allowed: a number with ms, s, m, h or d"),
    (["enqueue", "absent.jsonl"], "absent.jsonl: No such file or directory"),
  ])
  func `wrong use says what is right and ends with 2`(words: [String], part: String) async throws {
    let ending = try await allim.run(words)
    #expect(ending.status == 2)
    #expect(ending.lines.count == 1 && ending.text.contains(part), "\(ending.text)")
  }

  @Test func `every verb explains itself with an example`() async throws {
    let overview = try await allim.run(["--help"])
    #expect(overview.status == 0 && overview.text.contains("Exit codes: 0 done"))
    let group = try await allim.run(["invalid", "--help"])
    #expect(group.status == 0 && group.text.contains("usage: allim invalid list|count|drain|held"))
    #expect(try await allim.run(["help", "dead"]).text.contains("dead retry"))
    for verb in [["dead", "retry"], ["enqueue"], ["scale"], ["explain"], ["send"]] {
      let help = try await allim.run(verb + ["--help"])
      #expect(help.status == 0)
      #expect(help.text.contains("\nexamples:\n  "))
      #expect(help.lines.first?.hasPrefix("usage: allim \(verb.joined(separator: " "))") == true)
    }
  }

  @Test func `an error is one JSON line when JSON was asked for`() async throws {
    let ending = try await allim.run(["stats", "--json", "--redis", "redis://127.0.0.1:1"])
    #expect(ending.status == 3)
    #expect(ending.lines.count == 1)
    #expect(ending.text.hasPrefix(#"{"error":"redis (redis://127.0.0.1:1/0): "#))
    #expect(ending.text.hasSuffix(#""exitCode":3}"#))
  }

  @Test func `without a URL and without an embedded Redis the exit code is 3`() async throws {
    let ending = try await allim.run(["workers"])
    #expect(ending.status == 3)
    #expect(ending.text.contains("./.allim/redis.sock does not answer"))
  }

  // MARK: Producing

  @Test func `good events are pushed as they are, bad ones are named`() async throws {
    let queue = queue()
    let good =
      #"{"type":"notice","title":"Hi 👋","app":"chat","devices":[{"platform":"android","token":"a:b"}]}"#
    let input = "\(good)\n\n{\"type\":\"nope\"}\nnot json\n\(good)"
    let ending = try await allim("enqueue", "--queue", queue, "--json", input: input)
    #expect(ending.status == 1)
    #expect(
      ending.lines == [
        #"{"queue":"\#(queue)","pushed":2,"refused":2,"length":2}"#,
        #"stdin:3: unknown_type: type: "nope" is neither built in nor configured"#,
        "stdin:4: invalid_json: unexpected byte at byte 0",
      ])
    #expect(try await allim.list(queue) == [good, good])
  }

  @Test func `many events arrive complete and in order`() async throws {
    let queue = queue()
    let events = (0..<2_500).map {
      #"{"id":"\#($0)","type":"sync","app":"chat","devices":[{"platform":"android","token":"a:\#($0)"}]}"#
    }
    let input = events.joined(separator: "\n") + "\n"
    let ending = try await allim("enqueue", "--queue", queue, "-", input: input)
    #expect(ending.status == 0)
    #expect(ending.lines.first == "2500 pushed to \(queue)")
    #expect(try await allim.list(queue) == events)
  }

  // MARK: Looking

  @Test func `figures of a queue are one JSON object`() async throws {
    let queue = queue()
    _ = try await allim.redis(["RPUSH", queue, #"{"sentAt":1000000000}"#, "x"])
    _ = try await allim.redis(["RPUSH", "{\(queue)}:dead", "x"])
    _ = try await allim.redis(["HSET", "{\(queue)}:counters", "dead:poison", "1"])
    let ending = try await allim("stats", "--queue", queue, "--json")
    #expect(ending.status == 0 && ending.lines.count == 1)
    for part in [
      #""ready":2,"delayed":0,"inFlight":0"#, #""dead":1,"deadByReason":{"poison":1}"#,
      #""instances":0"#, #""paused":false"#,
    ] { #expect(ending.text.contains(part), "\(ending.text)") }
    #expect(!ending.text.contains(#""oldestAgeSeconds":null"#))
  }

  @Test func `live instances are listed and can be scaled, others not`() async throws {
    let queue = queue()
    let lease = String(now + 12_000)
    _ = try await allim.redis(["ZADD", "{\(queue)}:leases", lease, "i.0"])
    let status = "host=h\nversion=1\ncapacity=8\nbusy=3\nadmin=127.0.0.1:9464"
    _ = try await allim.redis(["HSET", "{\(queue)}:instances", "i.0", status])
    let listed = try await allim("workers", "--queue", queue, "--json")
    #expect(listed.status == 0)
    #expect(
      listed.text.contains(
        #""busy":3,"capacity":8,"host":"h","version":"1","admin":"127.0.0.1:9464"}]}"#))
  }

  @Test func `scaling writes the wish, and default takes it back`() async throws {
    let wish = ["HGET", "{push:messages}:control", "workers"]
    #expect(try await allim("scale", "12").status == 0)
    #expect(try await allim.redis(wish).text == "12")
    #expect(try await allim("scale", "default").status == 0)
    #expect(try await allim.redis(wish).isNull)
    let ending = try await allim("scale", "3", "--instance", "nobody.0")
    #expect(ending.status == 4 && ending.text.contains("live: none"))
  }

  // MARK: Dead letters

  @Test func `letters are listed, counted and shown by filter`() async throws {
    let queue = queue()
    let letters = (0..<250).map { number in
      letter("e\(number)", number % 2 == 0 ? "rejected" : "poison", takenAt: now - 3_600_000)
    }
    _ = try await allim.redis(["RPUSH", "{\(queue)}:dead"] + letters)
    let count = try await allim("dead", "count", "--queue", queue, "--json")
    #expect(
      count.lines == [
        #"{"queue":"\#(queue)","count":250,"byReason":{"poison":125,"rejected":125}}"#
      ])
    let list = try await allim(
      "dead", "list", "--queue", queue, "--reason", "poison", "--limit", "3")
    #expect(list.status == 0)
    #expect(list.lines.map { $0.split(separator: " ").first } == ["ID", "e1", "e3", "e5"])
    #expect(!list.text.contains("a:b"))
    let young = try await allim("dead", "list", "--queue", queue, "--older", "2h")
    #expect(young.status == 4 && young.text.contains("no dead letter matches"))
    let show = try await allim("dead", "show", "e7", "--queue", queue)
    #expect(show.status == 0 && show.lines.count == 1 && show.text.contains(Self.event))
    #expect(try await allim("dead", "show", "none", "--queue", queue).status == 4)
  }

  @Test func `retry sends what lives, leaves what has expired, and can be tried dry`() async throws
  {
    let queue = queue()
    let dead = "{\(queue)}:dead"
    let taken = now - 60_000
    let expired = letter("old", "expired", takenAt: 1_764_489_600_123)
    _ = try await allim.redis([
      "RPUSH", dead, letter("young", "rejected", takenAt: taken), expired,
      letter("text", "invalid_json", takenAt: taken, body: #""raw":"bm90IGpzb24=""#),
      letter("large", "item_too_large", takenAt: taken, body: #""length":9,"raw":"eA==""#),
    ])
    let dry = try await allim("dead", "retry", "--queue", queue, "--dry-run", "--json")
    #expect(
      dry.lines == [
        #"{"queue":"\#(queue)","retried":2,"expired":1,"unusable":1,"gone":0,"dryRun":true}"#
      ])
    #expect(try await allim.list(dead).count == 4)
    #expect(try await allim("dead", "retry", "--queue", queue).status == 0)
    #expect(try await allim.list(dead).count == 2)
    let items = try await allim.list(queue)
    #expect(items.count == 2)
    #expect(items[0].hasPrefix("~1;id=young;a=0;c=0;") && items[0].contains(";r=2;"))
    // No sentAt of its own: it keeps the life it had.
    #expect(items[0].hasSuffix(#""token":"a:b"}],"sentAt":\#(taken / 1_000)}"#))
    #expect(items[1].hasSuffix("\nnot json"))
    let none = try await allim("dead", "retry", "--queue", queue, "--reason", "expired")
    #expect(none.status == 4)
    let revived = try await allim(
      "dead", "retry", "--queue", queue, "--reason", "expired", "--ttl", "60")
    #expect(revived.status == 0)
    #expect(try await allim.list(queue).last?.hasSuffix(#","ttl":60}"#) == true)
  }

  // MARK: Feedback

  @Test func `dead tokens are shown shortened, and drained whole`() async throws {
    let queue = queue()
    let token = String(repeating: "ab", count: 32)
    let record =
      #"{"v":1,"kind":"device","token":"\#(token)","provider":"apns","reason":"Unregistered"}"#
    _ = try await allim.redis(
      ["RPUSH", "{\(queue)}:invalid"] + Array(repeating: record, count: 150))
    let list = try await allim("invalid", "list", "--queue", queue, "--limit", "2")
    #expect(list.lines.count == 3 && list.text.contains("ababab…(64)"))
    #expect(!list.text.contains(token))
    #expect(try await allim("invalid", "count", "--queue", queue).lines == ["150"])
    let drained = try await allim("invalid", "drain", "--queue", queue, "--limit", "120")
    #expect(drained.status == 0 && drained.lines == Array(repeating: record, count: 120))
    #expect(try await allim("invalid", "count", "--queue", queue).lines == ["30"])
    #expect(try await allim("invalid", "drain", "--queue", queue, "--json").lines.count == 1)
    #expect(try await allim("invalid", "drain", "--queue", queue).status == 4)
  }

  @Test func `version names the libraries`() async throws {
    let ending = try await allim.run(["--version"])
    #expect(ending.status == 0)
    for name in ["libuv", "nghttp2", "OpenSSL", "hiredis", "libcurl", "libmicrohttpd", "libyaml"] {
      #expect(ending.text.contains(name))
    }
  }
}
