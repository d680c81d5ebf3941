import PushWorker
import Testing

@Suite struct WorkerScalerTests {
  /// A provider with a round trip and a limit, behind so many workers.
  private struct Service {
    var roundTrip: Double
    /// Pushes a second that its connections can carry.
    var limit: Double
    /// Events a second that producers push.
    var arrivals: Double
    var backlog = 0.0

    mutating func second(_ workers: Int) -> WorkerScaler.Look {
      let possible = min(Double(workers) / roundTrip, limit)
      let sent = min(possible, backlog + arrivals)
      backlog += arrivals - sent
      let inProgress = backlog > 0 ? Double(workers) : sent * roundTrip
      return WorkerScaler.Look(
        workers: workers, busy: min(workers, Int(inProgress.rounded(.up))), waiting: Int(backlog),
        answers: Int(sent), sendSeconds: sent * roundTrip, seconds: 1)
    }
  }

  private func run(
    _ service: inout Service, from start: Int, seconds: Int, bounds: ClosedRange<Int> = 1...4_096
  ) -> [Int] {
    var scaler = WorkerScaler(bounds)
    var numbers = [start]
    for _ in 0..<seconds {
      numbers.append(scaler.workers(after: service.second(numbers.last ?? start)))
    }
    return numbers
  }

  private func changes(_ numbers: [Int]) -> Int {
    zip(numbers, numbers.dropFirst()).count { $0 != $1 }
  }

  @Test func `a backlog behind slow answers raises workers until it is gone`() {
    var service = Service(roundTrip: 0.5, limit: 4_000, arrivals: 1_000, backlog: 20_000)
    let numbers = run(&service, from: 16, seconds: 120)
    #expect(service.backlog == 0)
    // 1,000 a second × 0.5 s = 500 in progress.
    #expect((500...2_100).contains(numbers.last ?? 0), "\(numbers)")
    #expect(changes(numbers) <= 12, "\(numbers)")
  }

  @Test func `what brings no more pushes is taken back, and seldom tried again`() {
    var service = Service(roundTrip: 0.1, limit: 1_000, arrivals: 5_000)
    let numbers = run(&service, from: 8, seconds: 600)
    // 1,000 a second × 0.1 s = 100 in progress.
    #expect((100...256).contains(numbers.last ?? 0), "\(numbers.suffix(40))")
    let late = Array(numbers.dropFirst(60))
    #expect(changes(late) <= 12, "\(late)")
    #expect(late.count { $0 > 256 } <= 30)
  }

  @Test func `idle workers are given up in steps, down to the least`() {
    var service = Service(roundTrip: 0.1, limit: 1_000, arrivals: 0)
    let numbers = run(&service, from: 1_000, seconds: 200, bounds: 4...4_096)
    #expect(numbers.last == 4)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 >= $0 / 2 || $1 == 4 })
  }

  @Test func `steady work keeps the number still`() {
    var service = Service(roundTrip: 0.2, limit: 10_000, arrivals: 300)
    let numbers = run(&service, from: 128, seconds: 600)
    #expect(changes(numbers) == 0, "\(Set(numbers))")
  }

  @Test func `bounds hold`() {
    var service = Service(roundTrip: 2, limit: 100_000, arrivals: 10_000)
    #expect(run(&service, from: 16, seconds: 100, bounds: 1...100).max() == 100)
  }
}
