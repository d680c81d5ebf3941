package import PushModel

/// The whole configuration. Every default is visible here; what may be set stands in
/// `SettingsTable`.
package struct Settings: Sendable {
  package var redis = Redis()
  /// Lists that are served, in order of the file.
  package var queues = [Queue()]
  /// Pushes in progress at once in this process.
  package var workers = Workers.count(256)
  package var threads = Threads.auto
  /// By name, in order of the file.
  package var apps: [App] = []
  package var types = TypeRules.builtIn
  package var retry = Retry()
  package var limits = ItemLimits()
  package var dead = Dead()
  package var invalid = Invalid()
  package var receipts = Receipts()
  package var shutdown = Shutdown()
  package var ping = Ping()
  package var request = Request()
  package var breaker = Breaker()
  package var admin = Admin()
  package var log = Log()
  package var endpoints = Endpoints()
  package var proxy = Proxy()

  package init() {}

  package struct Redis: Sendable {
    /// nil = none was given: see `LoadedSettings.usesEmbeddedRedis`. May hold a password.
    package var url: String?
    package var tls = TLS()
    /// Start although Redis may throw keys away when its memory is full.
    package var allowEviction = false
    package var wait = Wait()

    package struct Wait: Sendable {
      /// Replicas that must have a result before it counts as stored.
      package var replicas = 0
      package var timeout = Duration.milliseconds(50)
    }

    package struct TLS: Sendable {
      package var caFile: String?
      package var certFile: String?
      package var keyFile: String?
      package var serverName: String?
    }
  }

  package struct Queue: Sendable {
    package var name = "push:messages"
    /// Its part of the workers while other lists wait too.
    package var weight = 1
    /// How long an instance that says nothing keeps what it took.
    package var lease = Duration.seconds(12)
  }

  /// Shards of this process. Each has a connection of each credential at least, so `auto` makes no
  /// more than the smallest `connections.max`.
  package func shardCount(cores: Int) -> Int {
    let count = threads.count(cores: cores)
    guard threads == .auto else { return count }
    return credentials.reduce(count) { min($0, max(1, $1.connections.max)) }
  }

  /// The pool of worker tasks.
  package enum Workers: Sendable, Equatable {
    /// It follows rate × round trip.
    case auto
    case count(Int)

    /// What is there before anything is known about the load.
    package var atStart: Int {
      switch self {
      case .auto: 64
      case .count(let count): count
      }
    }
  }

  /// Shards: each is a loop with a thread of its own.
  package enum Threads: Sendable, Equatable {
    case auto
    case count(Int)

    /// One for two cores, at least one.
    package func count(cores: Int) -> Int {
      switch self {
      case .auto: max(1, cores / 2)
      case .count(let count): count
      }
    }
  }

  package struct Retry: Sendable {
    package var apns = APNs()
    package var fcm = FCM()
    package var connection = Connection()

    package struct APNs: Sendable {
      /// Bounds of the first quick tries after a 5xx, on another connection.
      package var quick = DurationRange(from: .seconds(1), to: .seconds(5))
      package var quickTries = 3
      package var base = Duration.seconds(15)
      package var max = Duration.seconds(15 * 60)
      /// After so long a push is given up.
      package var window = Duration.seconds(60 * 60)
    }

    package struct FCM: Sendable {
      package var base = Duration.seconds(10)
      package var max = Duration.seconds(10 * 60)
      package var after429 = Duration.seconds(60)
      package var window = Duration.seconds(60 * 60)
    }

    package struct Connection: Sendable {
      package var base = Duration.seconds(1)
      package var max = Duration.seconds(60)
    }
  }

  /// The feedback list of each queue.
  package struct Invalid: Sendable { package var max = 1_000_000 }

  /// Bounds of each queue's list of dead letters.
  package struct Dead: Sendable {
    package var max = 1_000_000
    package var maxBytes = 1_073_741_824
    package var maxAge = Duration.seconds(14 * 86_400)
    package var whenFull = WhenFull.park

    package enum WhenFull: String, Sendable, CaseIterable { case park, dropOldest }
  }

  /// A stream that tells how each target ended (EVENTS.md 4).
  package struct Receipts: Sendable {
    package var enabled = false
    package var max = 100_000
  }

  package struct Shutdown: Sendable { package var grace = Duration.seconds(25) }

  /// How long a connection may be silent before it is asked; nil = never asked.
  package struct Ping: Sendable {
    package var apns: Duration? = .seconds(60)
    package var fcm: Duration?
  }

  /// What all connections to providers go through: APNs, FCM and the token endpoint.
  package struct Proxy: Sendable {
    /// nil = connections are direct.
    package var address: HostPort?
    package var user: String?
    package var password: String?

    package init() {}
  }

  package struct Request: Sendable { package var timeout = Duration.seconds(15) }

  /// When a credential rests because its provider does not work.
  package struct Breaker: Sendable {
    /// Faults in a row.
    package var openAfter = 5
    /// Longest pause between probes.
    package var probeMax = Duration.seconds(15)
  }

  package struct Admin: Sendable {
    /// nil = 127.0.0.1:9464, or a free port when that is taken.
    package var listen: HostPort?
    /// nil = a token is made at the start.
    package var tokenFile: String?
    /// No call may change anything.
    package var readOnly = false
    /// `/metrics` asks for the token too.
    package var metricsToken = false
  }

  package struct Log: Sendable {
    package var level = Level.info
    package var format = Format.json

    package enum Level: String, Sendable, CaseIterable { case debug, info, warning, error }
    package enum Format: String, Sendable, CaseIterable { case json, logfmt }
  }

  package struct Endpoints: Sendable {
    package var apnsProduction = HostPort(host: "api.push.apple.com", port: 443)
    package var apnsSandbox = HostPort(host: "api.sandbox.push.apple.com", port: 443)
    package var fcm = HostPort(host: "fcm.googleapis.com", port: 443)
    /// nil = the service account's `token_uri`.
    package var oauth: String?
    /// CA certificates trusted for them alone; nil = the system's store.
    package var caFile: String?
  }
}
