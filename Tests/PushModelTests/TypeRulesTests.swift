import PushModel
import Testing

@Suite struct TypeRulesTests {
  @Test(arguments: BuiltInType.allCases)
  func `every built-in type has its rules`(type: BuiltInType) throws {
    let rules = try #require(TypeRules.builtIn[type.rawValue])
    #expect(rules.builtIn == type)
    #expect(rules.ttl > 0)
  }

  @Test func `only texts that a person should have seen leave a letter when they expire`() {
    let leaving = TypeRules.builtIn.filter { $0.value.expired == .letter }.map(\.key)
    #expect(Set(leaving) == ["message", "notice"])
  }

  @Test func `only a call may ring`() {
    let ringing = TypeRules.builtIn.filter { $0.value.pushType == .voip }.map(\.key)
    #expect(ringing == ["call"])
    #expect(PushType.allCases.filter { $0.topicSuffix == ".voip" } == [.voip])
  }
}
