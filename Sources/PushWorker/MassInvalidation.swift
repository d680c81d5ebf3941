/// The mass-invalidation brake of one credential and environment (EVENTS.md 3), as a value.
///
/// A wrong environment or a wrong topic makes every token look dead. When too many of the last
/// answers say so, the tokens they name are held instead of being fed back.
package struct MassInvalidation: Sendable {
  /// Answers that are looked at, and how many must have come before any trip.
  static let window = 200
  static let least = 50
  /// Answers after which a token that tripped nothing is believed, and after which a tripped brake
  /// may release.
  static let patience = 50
  /// The same in time, nanoseconds: quiet credentials answer seldom.
  static let longestWait: Int64 = 10_000_000_000

  /// A suspicious token that waits to be believed.
  package struct Ticket: Sendable {
    fileprivate let answers: Int
    fileprivate let trips: Int
    fileprivate let since: Int64
  }

  package enum Fate: Sendable, Equatable {
    case wait
    /// Into the feedback list.
    case feedBack
    /// Into the held list.
    case hold
  }

  package private(set) var isTripped = false
  private var answers = 0
  private var trips = 0
  private var recent = Window(Self.window)
  /// Since the trip.
  private var calm = Window(Self.patience)

  package init() {}

  /// `count` answers that are above suspicion.
  package mutating func trusted(_ count: Int) {
    answers += count
    recent.add(false, min(count, Self.window))
    guard isTripped else { return }
    calm.add(false, min(count, Self.patience))
    release()
  }

  /// One that points at a wrong setting.
  package mutating func suspected() {
    answers += 1
    recent.add(true, 1)
    if isTripped {
      calm.add(true, 1)
      release()
    } else if recent.count >= Self.least, recent.marked * 5 > recent.count {
      isTripped = true
      trips += 1
      calm = Window(Self.patience)
    }
  }

  /// For the token of an answer that has just been counted.
  package func ticket(now: Int64) -> Ticket {
    Ticket(answers: answers, trips: isTripped ? trips - 1 : trips, since: now)
  }

  package func fate(_ ticket: Ticket, now: Int64) -> Fate {
    if trips > ticket.trips { return .hold }
    let isOld = now - ticket.since >= Self.longestWait
    return isOld || answers - ticket.answers >= Self.patience ? .feedBack : .wait
  }

  /// Fewer than 5 % of the last 50. What came before is forgotten, or it would trip again at once.
  private mutating func release() {
    guard calm.count == Self.patience, calm.marked * 20 < calm.count else { return }
    isTripped = false
    recent = Window(Self.window)
  }

  /// The last answers, with the suspicious ones marked.
  private struct Window {
    private var marks: [Bool] = []
    private var next = 0
    private let size: Int
    private(set) var marked = 0

    init(_ size: Int) { self.size = size }

    var count: Int { marks.count }

    mutating func add(_ mark: Bool, _ times: Int) {
      for _ in 0..<times { add(mark) }
    }

    private mutating func add(_ mark: Bool) {
      if mark { marked += 1 }
      guard marks.count == size else { return marks.append(mark) }
      if marks[next] { marked -= 1 }
      marks[next] = mark
      next = next + 1 < size ? next + 1 : 0
    }
  }
}
