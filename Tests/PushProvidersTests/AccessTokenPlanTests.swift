import Testing

@testable import PushProviders

@Suite final class AccessTokenPlanTests {
  private static let second: Int64 = 1_000_000_000
  private var plan = AccessTokenPlan()
  private let outage = AccessTokenTrouble(isConfiguration: false, detail: "no route")

  private func need(_ seconds: Int64) -> AccessTokenPlan.Need {
    plan.need(now: seconds * Self.second)
  }

  private func refused(_ token: ProviderToken, _ seconds: Int64) -> Bool {
    plan.refused(token, now: seconds * Self.second)
  }

  @Test func `the first asks, the others wait`() {
    #expect(need(0) == .fetch)
    #expect(need(0) == .wait)
    let token = plan.arrived(bytes("ya29"), lifetime: 3_599, now: 0)
    #expect(text(token.authorization) == "Bearer ya29")
    #expect(need(1) == .use(token))
  }

  @Test func `five minutes before its end one exchange starts, the old token serves on`() {
    _ = need(0)
    let first = plan.arrived(bytes("a"), lifetime: 3_600, now: 0)
    #expect(need(3_299) == .use(first))
    #expect(need(3_300) == .useAndFetch(first))
    #expect(need(3_301) == .use(first))
    let second = plan.arrived(bytes("b"), lifetime: 3_600, now: 3_301 * Self.second)
    #expect(second.serial == 2)
    #expect(need(3_302) == .use(second))
  }

  @Test func `an old token serves through failures until its end`() {
    _ = need(0)
    let token = plan.arrived(bytes("a"), lifetime: 3_600, now: 0)
    #expect(need(3_400) == .useAndFetch(token))
    plan.failed(outage, now: 3_400 * Self.second, spread: 1)
    #expect(need(3_400) == .use(token))
    #expect(need(3_401) == .useAndFetch(token))
    plan.failed(outage, now: 3_401 * Self.second, spread: 1)
    #expect(need(3_402) == .use(token))
    #expect(need(3_595) == .fetch)
  }

  @Test func `without a token failures are told until the next try is due, later each time`() {
    var at: Int64 = 0
    for pause in [1, 2, 4, 8, 16, 32, 60, 60] as [Int64] {
      #expect(need(at) == .fetch)
      plan.failed(outage, now: at * Self.second, spread: 1)
      #expect(need(at) == .refuse(outage))
      at += pause
    }
    _ = plan.arrived(bytes("a"), lifetime: 10, now: at * Self.second)
    #expect(need(at + 100) == .fetch)
    plan.failed(outage, now: (at + 100) * Self.second, spread: 1)
    #expect(need(at + 101) == .fetch)
  }

  @Test func `a fault of the account is not asked about again within ten seconds`() {
    let fault = AccessTokenTrouble(isConfiguration: true, reason: "invalid_grant", detail: "")
    #expect(need(0) == .fetch)
    plan.failed(fault, now: 0, spread: 1)
    #expect(need(9) == .refuse(fault))
    #expect(need(10) == .fetch)
  }

  @Test func `the wait the endpoint asks for is kept`() {
    var asked = outage
    asked.retryAfter = .seconds(120)
    #expect(need(0) == .fetch)
    plan.failed(asked, now: 0, spread: 1)
    #expect(need(119) == .refuse(asked))
    #expect(need(120) == .fetch)
  }

  @Test func `a refused token is dropped once, a fresh one is not`() {
    _ = need(0)
    let token = plan.arrived(bytes("a"), lifetime: 3_600, now: 0)
    #expect(!refused(token, 59))
    #expect(need(59) == .use(token))
    #expect(refused(token, 60))
    #expect(need(60) == .fetch)
    // Late refusals of the same token do no harm to the next.
    let next = plan.arrived(bytes("b"), lifetime: 3_600, now: 61 * Self.second)
    #expect(refused(token, 200))
    #expect(need(200) == .use(next))
  }

  @Test func `short lives are renewed at half`() {
    _ = need(0)
    let token = plan.arrived(bytes("a"), lifetime: 4, now: 0)
    #expect(need(1) == .use(token))
    #expect(need(2) == .useAndFetch(token))
    #expect(need(4) == .wait)
  }

  @Test func `one who comes as the exchange ends gets its answer`() {
    _ = need(0)
    #expect(plan.settled(now: 0) == nil)
    let token = plan.arrived(bytes("a"), lifetime: 3_600, now: 0)
    #expect(plan.settled(now: 0) == .success(token))
    plan.failed(outage, now: 0, spread: 1)
    #expect(plan.settled(now: 4_000 * Self.second) == .failure(outage))
  }
}
