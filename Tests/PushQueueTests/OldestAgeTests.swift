import Testing

@testable import PushQueue

@Suite struct OldestAgeTests {
  @Test func `an empty list has no age`() {
    var age = OldestAge()
    #expect(age.note(time: 0, taken: 0, ready: 0) == 0)
    #expect(age.note(time: 5_000, taken: 10, ready: 0) == 0)
  }

  @Test func `a head that nobody takes grows old`() {
    var age = OldestAge()
    #expect(age.note(time: 1_000, taken: 0, ready: 3) == 0)
    #expect(age.note(time: 6_000, taken: 0, ready: 8) == 5_000)
    #expect(age.note(time: 11_000, taken: 0, ready: 8) == 10_000)
  }

  @Test func `when the old ones are taken the head is younger`() {
    var age = OldestAge()
    _ = age.note(time: 1_000, taken: 0, ready: 3)
    _ = age.note(time: 6_000, taken: 0, ready: 8)
    #expect(age.note(time: 11_000, taken: 2, ready: 6) == 10_000, "the third is still there")
    #expect(age.note(time: 12_000, taken: 3, ready: 5) == 6_000)
    #expect(age.note(time: 13_000, taken: 8, ready: 2) == 0)
  }

  @Test func `a list that was removed starts anew`() {
    var age = OldestAge()
    _ = age.note(time: 0, taken: 0, ready: 50)
    #expect(age.note(time: 9_000, taken: 0, ready: 2) == 0)
  }

  @Test func `a day of looks keeps the age and little memory`() {
    var age = OldestAge()
    for look in 0..<17_280 {
      let found = age.note(time: Int64(look) * 5_000, taken: 0, ready: 1 + look)
      #expect(found == Int64(look) * 5_000)
    }
  }
}
