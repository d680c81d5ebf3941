import PushModel
import Testing

@Suite struct TargetSetTests {
  private func set(_ members: [Int]) -> TargetSet {
    var set = TargetSet()
    for member in members { set.insert(member) }
    return set
  }

  @Test(arguments: [[], [0], [63], [64], [0, 63, 64, 127, 128, 99_999]])
  func `what was put in, and nothing else, is in it`(members: [Int]) {
    let set = set(members)
    #expect((0..<100_200).filter(set.contains) == members)
    #expect(set.count == members.count)
    #expect(set.isEmpty == members.isEmpty)
  }

  @Test func `taking out is undoing putting in`() {
    var set = set([3, 64, 700])
    for member in [3, 64, 700, 701, 5_000] { set.remove(member) }
    #expect(set.isEmpty)
  }

  @Test func `a union holds the members of both`() {
    var union = set([1, 65])
    union.formUnion(set([65, 300]))
    #expect(union == set([1, 65, 300]))
  }

  @Test(arguments: [[], [0], [4, 64], [63, 640], [99_999]])
  func `the text of a set makes the same set`(members: [Int]) {
    let made = TargetSet(text: set(members).text[...])
    #expect(made?.text == set(members).text)
    #expect(members.allSatisfy { made?.contains($0) == true })
  }

  @Test func `trailing empty words are not written`() {
    var set = set([5, 6_400])
    set.remove(6_400)
    #expect(set.text == "20")
  }

  @Test(arguments: ["", "x", "1.", ".1", "1..2", "11111111111111111"])
  func `other text is no set`(text: String) {
    #expect(TargetSet(text: text[...]) == nil)
  }
}
