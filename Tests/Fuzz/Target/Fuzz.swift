internal import CodecProbe

/// libFuzzer calls from one thread only.
nonisolated(unsafe) private let probe = CodecProbe()

/// What libFuzzer calls with each input; a broken rule ends the process, so that the input is kept.
@_cdecl("LLVMFuzzerTestOneInput")
package func examineInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
  if let problem = unsafe probe.problem(with: input) { fatalError("broken rule: \(problem)") }
  return 0
}
