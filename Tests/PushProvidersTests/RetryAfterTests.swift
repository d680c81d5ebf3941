import PushProviders
import Testing

@Suite struct RetryAfterTests {
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
  ])
  func `the three forms of HTTP's dates are the same second`(text: String) {
    #expect(HTTPDate.seconds(text) == 784_111_777)
  }

  @Test(
    arguments: [
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2028 12:00:00 GMT", 1_835_438_400),
      ("Fri, 31 Dec 2100 23:59:59 GMT", 4_133_980_799),
    ] as [(String, Int64)])
  func `leap years and far years count`(text: String, expected: Int64) {
    #expect(HTTPDate.seconds(text) == expected)
  }

  @Test(arguments: ["", "soon", "-5", "1.5", "Sun, 06 Foo 1994 08:49:37 GMT", "06 Nov", "🕐"])
  func `what is no wait is ignored`(text: String) {
    #expect(RetryAfter.read(Array(text.utf8), now: 0) == nil)
  }

  @Test func `waits are seconds or until a date, never negative, never beyond a day`() {
    func read(_ text: String, now: Int64 = 0) -> Duration? {
      RetryAfter.read(Array(text.utf8), now: now)
    }
    #expect(read("120") == .seconds(120))
    #expect(read("0") == .zero)
    #expect(read("9223372036854775807") == .seconds(86_400))
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(read(date, now: 784_111_777_000 - 1_500) == .milliseconds(1_500))
    #expect(read(date, now: 784_111_777_000 + 5_000) == .zero)
    #expect(read(date, now: 0) == .seconds(86_400))
    #expect(RetryAfter.read(protobuf: "1.5s") == .milliseconds(1_500))
    #expect(RetryAfter.read(protobuf: "nans") == nil)
    #expect(RetryAfter.read(protobuf: "30") == nil)
  }
}
