/// What the command line asks for.
struct BenchOptions {
  enum Verb: String { case event, fill, latency, micro }

  struct Misuse: Error { let detail: String }

  static let usage = """
    usage: allim-bench event [--number N]                     prints one sample event
           allim-bench fill --redis URL --list L --events N   pushes N of them
           allim-bench latency --redis URL --list L [--samples N] [--pause MS]
                                                              pushes one at a time, prints when
           allim-bench micro                                  what decoding and building alone cost
    """

  let verb: Verb
  var redis = ""
  var list = "push:messages"
  var number = 1
  var events = 0
  var samples = 200
  var pauseMilliseconds = 30

  init(_ words: [String]) throws(Misuse) {
    guard let word = words.first, let verb = Verb(rawValue: word) else {
      throw Misuse(detail: "a verb: event, fill, latency or micro")
    }
    self.verb = verb
    var rest = words.dropFirst()
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Misuse(detail: "\(name) needs a value") }
      try set(name, value)
    }
    let usesRedis = verb == .fill || verb == .latency
    if usesRedis && redis.isEmpty { throw Misuse(detail: "--redis is needed") }
  }

  private mutating func set(_ name: String, _ value: String) throws(Misuse) {
    switch name {
    case "--redis": redis = value
    case "--list": list = value
    case "--number": number = try Self.count(name, value)
    case "--events": events = try Self.count(name, value)
    case "--samples": samples = try Self.count(name, value)
    case "--pause": pauseMilliseconds = try Self.count(name, value)
    default: throw Misuse(detail: "\(name) is not an option")
    }
  }

  private static func count(_ name: String, _ value: String) throws(Misuse) -> Int {
    guard let count = Int(value), count > 0 else {
      throw Misuse(detail: "\(name) takes a whole number above 0, not \(value)")
    }
    return count
  }
}
