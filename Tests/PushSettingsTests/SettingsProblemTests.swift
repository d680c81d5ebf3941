import PushSettings
import Testing

@Suite struct SettingsProblemTests {
  @Test func `three mistakes give three lines with key, value and what is allowed`() {
    let folder = SettingsFolder(
      """
      redis: {url: "redis://h"}
      workers: many
      log: {levl: info}
      request: {timeout: 15}

      """)
    #expect(
      folder.problems() == [
        "allim.yaml:2: workers: \"many\": not allowed; allowed: 1 to 65536, or auto",
        "allim.yaml:3: log.levl: unknown key, did you mean \"level\"? allowed: level, format",
        "allim.yaml:4: request.timeout: \"15\": not allowed; allowed: 100ms to 5m,"
          + " with the unit ms, s, m, h or d",
      ])
  }

  @Test(arguments: [
    ("certificateFile: a.p12, keyFile: b.p8", "certificateFile: \"a.p12\": not allowed beside"),
    ("keyFile: b.p8, keyId: A, teamId: B, passwordFile: c", "passwordFile: \"c\": is for a cert"),
  ])
  func `a key and a certificate exclude each other`(secret: String, words: String) {
    let yaml = "apps: {a: {apns: {topic: com.example.a, production: {\(secret)}}}}"
    let problems = SettingsFolder(yaml).problems(isForWorker: false)
    #expect(
      problems.contains { $0.contains("apps.a.apns.production." + words) }, "\(problems)")
  }

  @Test(arguments: [
    ("queues: [{name: a}, {name: \"{a}\"}]", "queues.1.name: \"{a}\": not allowed"),
    ("queues: [{name: a, weight: 0}]", "queues.0.weight: \"0\": not allowed"),
    ("queues: [{name: \"a{}b\"}]", "queues.0.name: \"a{}b\": not allowed"),
    ("queues: {name: a}", "queues: allowed: a list"),
    ("url: x", "did you mean \"redis.url\"?"), ("workers:", "workers: no value"),
    ("workers: {a: 1}", "workers: a group of keys"), ("retry: 5", "retry: a value where a group"),
    ("retry: {apns: {quick: [5s, 1s]}}", "retry.apns.quick: \"5s,1s\": not allowed"),
    ("retry: {fcm: {base: 20m}}", "retry.fcm.base: \"20m\": not allowed; allowed: up to max (10m)"),
    ("apps: {\"a b\": {}}", "apps: \"a b\": not allowed"),
    ("apps: {a: {}}", "apps.a: apns or fcm is required"),
    ("apps: {a: {apns: {topic: t}}}", "apps.a.apns: production or sandbox is required"),
    (
      "apps: {a: {apns: {topic: t, sandbox: {keyFile: k, keyId: ABCDEFGHIJ}}}}",
      "apps.a.apns.sandbox.teamId: missing"
    ),
    (
      "apps: {a: {fcm: {serviceAccountFile: f, connections: {requestsPerSecond: 0}}}}",
      "0 only when the endpoints are on this machine"
    ),
    (
      "apps: {a: {fcm: {serviceAccountFile: f, connections: {min: 30}}}}",
      "apps.a.fcm.connections.min: \"30\": not allowed; allowed: up to max (20)"
    ),
    ("proxy: {url: proxy}", "proxy.url: \"proxy\": not allowed; allowed: http://host:port"),
    ("proxy: {url: \"https://p:1\"}", "reached by TLS is not supported"),
    ("proxy: {url: \"http://u:secret@p:1\"}", "proxy.url: \"…\": user and password belong in"),
    ("proxy: {url: \"http://p:1\", user: \"a:b\"}", "proxy.user: \"a:b\": not allowed"),
    ("proxy: {url: \"http://p:1\", user: u}", "proxy.passwordFile: missing"),
    (
      "{threads: 8, apps: {a: {fcm: {serviceAccountFile: f, connections: {max: 7}}}}}",
      "apps.a.fcm.connections.max: \"7\": not allowed; allowed: threads (8) or more"
    ),
    ("shutdown: {grace: 99999999999999999999s}", "shutdown.grace"),
    ("limits: {itemBytes: 64mb}", "allowed: 1kb to 32mb"),
    ("log: {level: \"a\\nb\"}", "log.level: \"a\\u{a}b\""),
    ("endpoints: {fcm: example.com}", "host:port"),
  ])
  func `a bad value is named with what is allowed`(yaml: String, part: String) {
    let problems = SettingsFolder(yaml).problems(isForWorker: false)
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("allim.yaml:1: ") == true)
    #expect(problems.first?.contains(part) == true, "\(problems)")
  }

  @Test func `a worker needs its files`() {
    let yaml = "redis: {url: embedded}\napps: {a: {fcm: {serviceAccountFile: absent.json}}}"
    let folder = SettingsFolder(yaml)
    #expect(folder.problems().count == 1)
    #expect(folder.problems()[0].hasSuffix("cannot be read: No such file or directory"))
    #expect(folder.problems(isForWorker: false).isEmpty)
  }

  @Test func `an unknown variable is named with the nearest`() {
    let folder = SettingsFolder()
    #expect(
      folder.problems(environment: ["ALLIM_WORKER": "1", "ALLIM_REDIS_URL": "redis://h"]) == [
        "environment ALLIM_WORKER: unknown variable, did you mean \"ALLIM_WORKERS\"?"
      ])
    #expect(
      folder.problems(environment: ["ALLIM_WORKERS": "0"], isForWorker: false) == [
        "environment ALLIM_WORKERS: workers: \"0\": not allowed; allowed: 1 to 65536, or auto"
      ])
  }

  @Test(arguments: [
    ("workers: &x 1", 1, "anchors"), ("workers: 1\nthreads: *x", 2, ""),
    ("workers: 1\nworkers: 2", 2, "given twice"),
    ("workers: 1\n---\nworkers: 2", 2, "second document"), ("workers: !!int 1", 1, "tags"),
    ("workers: [\n", 2, ""), ("? [a]\n: b", 1, "a key must be a word"), ("a:\n\t- b", 2, "tab"),
  ])
  func `YAML that surprises is refused with its line`(yaml: String, line: Int, part: String) {
    let problems = SettingsFolder(yaml).problems(isForWorker: false)
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("allim.yaml:\(line): ") == true, "\(problems)")
    #expect(problems.first?.contains(part) == true, "\(problems)")
  }

  @Test(arguments: ["workers: [\n", "redis:\n\turl: redis://h"])
  func `of a file that cannot be read nothing is said to be missing`(yaml: String) {
    #expect(SettingsFolder(yaml).problems().count == 1)
  }

  @Test func `what YAML may not hold is named beside the other problems`() {
    let folder = SettingsFolder("workers: &x many\nthreads: 2\nthreads: 3\nlog: {level: loud}\n")
    #expect(
      folder.problems(isForWorker: false).map { $0.prefix(24) } == [
        "allim.yaml:1: anchors (&", "allim.yaml:3: key \"threa", "allim.yaml:1: workers: \"",
        "allim.yaml:4: log.level:",
      ])
  }

  @Test func `endless depth ends with a problem`() {
    let yaml = String(repeating: "[", count: 5_000)
    #expect(
      SettingsFolder(yaml).problems(isForWorker: false) == [
        "allim.yaml:1: nested deeper than 64 levels"
      ])
  }

  @Test func `an empty file sets nothing`() {
    #expect(SettingsFolder("# nothing\n").problems(isForWorker: false).isEmpty)
    #expect(SettingsFolder("").problems(isForWorker: false).isEmpty)
  }
}
