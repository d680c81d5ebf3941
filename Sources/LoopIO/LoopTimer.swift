internal import CLibuv

/// A timer of the loop, armed and cancelled as often as needed, used only on the loop's thread.
///
/// It may fire up to 0.8 ms early, since libuv counts whole milliseconds of a cached clock: whoever
/// guards a limit with it reads the clock again.
@safe package final class LoopTimer {
  private final class Action {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  private let loop: Loop
  private let handle: UnsafeMutablePointer<uv_timer_t>
  private let action: Action

  package init(on loop: Loop, _ action: @escaping () -> Void) {
    loop.assertOwnThread()
    self.loop = loop
    self.action = Action(action)
    unsafe handle = .allocate(capacity: 1)
    unsafe uv_timer_init(loop.raw, handle)
    unsafe cuv_set_data(handle, Unmanaged.passUnretained(self.action).toOpaque())
  }

  /// Fires once after `duration`, rounded up to a millisecond; replaces an earlier arming.
  package func arm(after duration: Duration) { arm(afterNanoseconds: duration.nanoseconds) }

  package func arm(afterNanoseconds nanoseconds: Int64) {
    // libuv counts from its cached clock, which may be old after a long turn.
    unsafe uv_update_time(loop.raw)
    let milliseconds = UInt64(max(0, (nanoseconds + 999_999) / 1_000_000))
    unsafe uv_timer_start(
      handle,
      { handle in
        let user = unsafe cuv_data(handle!)!
        // Kept alive while it runs: the action may let go of its timer.
        let action = unsafe Unmanaged<Action>.fromOpaque(user).takeUnretainedValue()
        action.run()
      }, milliseconds, 0)
  }

  package func cancel() { unsafe uv_timer_stop(handle) }

  package var isArmed: Bool {
    unsafe uv_is_active(UnsafeRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) != 0
  }

  deinit {
    unsafe uv_timer_stop(handle)
    if loop.isOwnThread {
      unsafe closeAndFree(handle)
    } else {
      let handle = unsafe LoopBound(handle)
      loop.execute { unsafe closeAndFree(handle.value) }
    }
  }
}

extension Duration {
  /// Whole nanoseconds; 292 years are enough.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
