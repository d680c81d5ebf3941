package import LoopIO

/// Runs `body` on a fresh loop with a thread of its own, and stops the loop afterwards.
package func onLoop<R: Sendable>(
  _ body: @escaping @Sendable (Loop) async throws -> R
) async throws -> R {
  let loop = Loop(name: "test")
  loop.start()
  defer { loop.stop() }
  return try await Task(executorPreference: loop) { try await body(loop) }.value
}

/// Waits until `condition` holds, looking again at each short pause; false when `limit` is over,
/// which is long since the suites share a machine with whatever else runs on it.
package func eventually(
  within limit: Duration = .seconds(60), on loop: Loop, _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let end = ContinuousClock.now.advanced(by: limit)
  while ContinuousClock.now < end {
    if try await condition() { return true }
    try? await loop.sleep(.milliseconds(2))
  }
  return try await condition()
}

/// Lets tasks of one loop share a value that only the loop's thread may touch.
@safe package struct UncheckedBox<Value>: @unchecked Sendable {
  package let value: Value
  package init(_ value: Value) { self.value = value }
}
