/// Lets a closure or task that runs on the loop carry a value that only the loop may touch.
@safe package struct LoopBound<Value>: @unchecked Sendable {
  package let value: Value
  package init(_ value: Value) { self.value = value }
}
