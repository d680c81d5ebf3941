import PushModel
import PushWorker
import Testing

@testable import PushQueue

@Suite struct QueueKeysTests {
  @Test func `a plain name gets a hash tag of its own`() throws {
    let keys = try QueueKeys(queue: "push:messages")
    #expect(keys.ready == "push:messages")
    #expect(keys.dead == "{push:messages}:dead")
    #expect(keys.held == "{push:messages}:invalid:held")
    #expect(keys.inflight("ab.0") == "{push:messages}:inflight:ab.0")
    let fcm = CredentialKey(app: "chat", provider: .fcm)
    #expect(keys.parked(fcm) == "{push:messages}:parked:chat:fcm")
    let sandbox = CredentialKey(app: "chat", provider: .apns, environment: .sandbox)
    #expect(keys.parked(sandbox) == "{push:messages}:parked:chat:apns:sandbox")
    #expect(keys.chunks == "{push:messages}:chunks")
  }

  @Test func `a name with a hash tag keeps it`() throws {
    #expect(try QueueKeys(queue: "{push}:ios").dead == "{push}:ios:dead")
    #expect(try QueueKeys(queue: "a{b").prefix == "{a{b}", "an open brace alone is no tag")
  }

  @Test(arguments: ["", "a{}b", "a}b", "a{}", "{}{b}", "}"])
  func `a name whose companions would lie in another slot is refused`(_ name: String) {
    let error = #expect(throws: QueueError.self) { try QueueKeys(queue: name) }
    #expect(error?.code == .misconfigured)
  }
}

@Suite struct ItemHeaderTests {
  private let header = ItemHeader(
    id: "0a1b", attempt: 3, crashes: 1, firstTaken: 1_764_489_600_123, replays: 2,
    done: TargetSet(all: 70))

  @Test func `a header is read as it was written`() throws {
    let item = Array(header.line.utf8) + Array("{\"a\":1}\n".utf8)
    let found = try #require(ItemHeader.split(item))
    #expect(found.header == header)
    #expect(found.bytes == Array("{\"a\":1}\n".utf8))
  }

  @Test func `a header of one word of targets is read too`() throws {
    var few = header
    few.done = TargetSet()
    for target in [0, 5, 63] { few.done.insert(target) }
    #expect(ItemHeader.split(Array(few.line.utf8))?.header == few)
    few.done = TargetSet()
    #expect(ItemHeader.split(Array(few.line.utf8))?.header == few)
  }

  @Test(arguments: [
    "~1;id=a;a=0;c=0;t0=0;r=0;done=\n{}", "~1;id=a;a=0;c=0;t0=0;r=0;done=12345678901234567\n{}",
    "{\"a\":1}", "", "~", "~1;id=a;a=0;c=0;t0=0;r=0;done=0", "~2;id=a;a=0;c=0;t0=0;r=0;done=0\n{}",
    "~1;id=a;a=-1;c=0;t0=0;r=0;done=0\n{}", "~1;id=a;a=;c=0;t0=0;r=0;done=0\n{}",
    "~1;id=a;a=0;c=0;t0=99999999999999999999;r=0;done=0\n{}",
    "~1;id=a;a=0;c=0;t0=0;r=0;done=x\n{}", "~1;id=a;a=0;c=0;t0=0;r=0;done=0;x=1\n{}",
    "~1;a=0;id=a;c=0;t0=0;r=0;done=0\n{}",
  ])
  func `anything else is no header`(_ item: String) {
    #expect(ItemHeader.split(Array(item.utf8)) == nil)
  }
}

@Suite struct ReceiptBookTests {
  @Test func `what a pending take may still bring is not adopted`() {
    var book = ReceiptBook()
    let first = book.beginTake(10, at: 0)
    book.endTake(first)
    let second = book.beginTake(10, at: 0)
    #expect(book.compare([first, second]).unknown == [first])
    book.endTake(second)
    #expect(book.compare([first, second]).unknown == [first, second])
    book.hold(second)
    #expect(book.compare([first, second]).unknown == [first])
  }

  @Test func `receipts tell the moment of their take and never go back`() {
    var book = ReceiptBook()
    let first = book.beginTake(1_000, at: 1_764_489_600_123)
    #expect(ReceiptBook.moment(of: first) == 1_764_489_600_123)
    #expect(ReceiptBook.moment(of: first + 999) == 1_764_489_600_123)
    #expect(book.beginTake(1_000, at: 1_764_489_600_123) == first + 1_000)
    #expect(book.beginTake(1, at: 0) == first + 2_000, "though the clock is set back")
    #expect(book.beginTake(1, at: 1_764_489_700_000) > first + 100_000_000)
  }

  @Test func `what was settled is settled again and not adopted`() {
    var book = ReceiptBook()
    let first = book.beginTake(3, at: 0)
    book.endTake(first)
    for receipt in first..<first + 3 { book.hold(receipt) }
    book.settled(Settlement(first), wasOurs: true)
    book.settled(Settlement(first + 1), wasOurs: false)
    let found = book.compare([first, first + 1, first + 2])
    #expect(found.again.map(\.receipt) == [first])
    #expect(found.unknown == [first + 1])
  }

  @Test func `the ring forgets the oldest`() {
    var ring = SettledRing(capacity: 3)
    for receipt in 1...50 { ring.append(Settlement(Receipt(receipt))) }
    #expect(ring.settlements(of: Set(1...50)).map(\.settlement.receipt) == [48, 49, 50])
  }

  @Test func `large letters leave the ring early`() {
    var ring = SettledRing(capacity: 100, maxBytes: 1_000)
    for receipt in 1...20 {
      let letter = [UInt8](repeating: 0, count: 300)
      ring.append(Settlement(Receipt(receipt), [.deadLetter(.rejected, letter)]))
    }
    #expect(ring.settlements(of: Set(1...20)).map(\.settlement.receipt) == [18, 19, 20])
    ring.append(Settlement(21, [.deadLetter(.rejected, [UInt8](repeating: 0, count: 5_000))]))
    #expect(ring.settlements(of: Set(1...21)).isEmpty)
    ring.append(Settlement(22))
    #expect(ring.settlements(of: [22]).count == 1)
  }
}

extension ItemHeaderTests {
  @Test func `the status of an instance is read as it was written`() {
    var status = InstanceStatus()
    status.host = "push-1=a"
    status.capacity = 256
    status.busy = 3
    status.adminAddress = "127.0.0.1:9464"
    #expect(InstanceStatus(text: status.text) == status)
  }
}
