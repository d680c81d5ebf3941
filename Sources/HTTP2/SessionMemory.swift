internal import CNghttp2
internal import Glibc

/// Where a session's nghttp2 gets its memory: what it gives back is kept for the next request.
///
/// For each request nghttp2 allocates five small blocks of always the same sizes; going to the
/// process's allocator for them took 4 % of a push, by its share of a profile. Used on the session's
/// thread only; lives until the session has been deleted.
@safe final class SessionMemory {
  /// Sizes are rounded up to multiples of it.
  private static let step = 32
  /// Larger blocks come from the process's allocator each time.
  private static let largest = 1_024
  /// Before each block: its class, then, while it is spare, the next one. Keeps blocks aligned.
  private static let headCount = 16

  /// First spare blocks by class: the size in steps; class 0 is what is too large to be kept.
  private let spare: UnsafeMutablePointer<UnsafeMutableRawPointer?>

  init() {
    let classes = Self.largest / Self.step + 1
    unsafe spare = .allocate(capacity: classes)
    unsafe spare.initialize(repeating: nil, count: classes)
  }

  deinit {
    for size in 1...Self.largest / Self.step {
      while let block = unsafe popSpare(size) { unsafe free(block) }
    }
    unsafe spare.deallocate()
  }

  /// What nghttp2 calls; to be used while this lives.
  var functions: nghttp2_mem {
    unsafe nghttp2_mem(
      mem_user_data: Unmanaged.passUnretained(self).toOpaque(),
      malloc: { unsafe memory($0, $1) }, free: { unsafe giveBack($0, $1) },
      calloc: { unsafe cleared($0, $1, $2) }, realloc: { unsafe resized($0, $1, $2) })
  }

  fileprivate func block(_ count: Int) -> UnsafeMutableRawPointer? {
    let size = count <= Self.largest ? max(1, (count + Self.step - 1) / Self.step) : 0
    if size > 0, let block = unsafe popSpare(size) { return unsafe block + Self.headCount }
    let room = size > 0 ? size * Self.step : count
    guard let block = unsafe malloc(room + Self.headCount) else { return nil }
    unsafe block.storeBytes(of: size, as: Int.self)
    return unsafe block + Self.headCount
  }

  fileprivate func take(back memory: UnsafeMutableRawPointer) {
    let block = unsafe memory - Self.headCount
    let size = unsafe block.load(as: Int.self)
    if size == 0 { return unsafe free(block) }
    unsafe block.storeBytes(of: spare[size], toByteOffset: 8, as: UnsafeMutableRawPointer?.self)
    unsafe spare[size] = block
  }

  fileprivate func resize(
    _ memory: UnsafeMutableRawPointer, _ count: Int
  ) -> UnsafeMutableRawPointer? {
    let old = unsafe memory - Self.headCount
    let size = unsafe old.load(as: Int.self)
    if size == 0, count > Self.largest {
      guard let block = unsafe realloc(old, count + Self.headCount) else { return nil }
      return unsafe block + Self.headCount
    }
    if size > 0, count <= size * Self.step { return unsafe memory }
    guard let larger = unsafe block(count) else { return nil }
    // One that was too large to be kept shrinks to what is asked; the others grow.
    unsafe memcpy(larger, memory, size > 0 ? size * Self.step : count)
    unsafe take(back: memory)
    return unsafe larger
  }

  private func popSpare(_ size: Int) -> UnsafeMutableRawPointer? {
    guard let block = unsafe spare[size] else { return nil }
    unsafe spare[size] = block.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self)
    return unsafe block
  }
}

private func owner(_ user: UnsafeMutableRawPointer?) -> Unmanaged<SessionMemory> {
  unsafe Unmanaged.fromOpaque(user!)
}

private func memory(_ count: Int, _ user: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  unsafe owner(user)._withUnsafeGuaranteedRef { unsafe $0.block(count) }
}

private func giveBack(_ memory: UnsafeMutableRawPointer?, _ user: UnsafeMutableRawPointer?) {
  guard let memory = unsafe memory else { return }
  unsafe owner(user)._withUnsafeGuaranteedRef { unsafe $0.take(back: memory) }
}

private func cleared(
  _ count: Int, _ size: Int, _ user: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  let (room, isTooMuch) = count.multipliedReportingOverflow(by: size)
  guard !isTooMuch, let block = unsafe memory(room, user) else { return nil }
  return unsafe memset(block, 0, room)
}

private func resized(
  _ old: UnsafeMutableRawPointer?, _ count: Int, _ user: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  guard let old = unsafe old else { return unsafe memory(count, user) }
  return unsafe owner(user)._withUnsafeGuaranteedRef { unsafe $0.resize(old, count) }
}
