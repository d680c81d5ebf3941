import Glibc
import LoopIO

/// TERM and INT as something to wait for.
final class TerminationSignals {
  private var sources: [SignalSource] = []
  private var waiting: CheckedContinuation<Void, Never>?
  private var came = false

  func listen(on loop: Loop) throws(StreamError) {
    for signal in [SIGTERM, SIGINT] {
      sources.append(try SignalSource(on: loop, signal) { [unowned self] in arrived() })
    }
  }

  private func arrived() {
    came = true
    waiting?.resume()
    waiting = nil
  }

  nonisolated(nonsending) func wait() async {
    await withCheckedContinuation { continuation in
      if came { continuation.resume() } else { waiting = continuation }
    }
  }
}
