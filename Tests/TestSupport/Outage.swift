internal import Glibc
package import LoopIO

/// A fault that a test keeps up: until it has shown, and with `ALLIM_TEST_OUTAGE` at least so many
/// seconds, as the reports that the tests are named after have it.
package struct Outage {
  private let began = ContinuousClock.now
  private let seconds: Double

  package init() {
    let asked = unsafe getenv("ALLIM_TEST_OUTAGE").map { unsafe String(cString: $0) }
    seconds = asked.flatMap(Double.init) ?? 0
  }

  package func last(on loop: Loop) async throws {
    let left = .seconds(seconds) - (ContinuousClock.now - began)
    if left > .zero { try await loop.sleep(left) }
  }
}
