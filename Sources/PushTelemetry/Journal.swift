internal import Glibc

/// Finds out whether systemd's journal reads a descriptor.
enum Journal {
  /// `JOURNAL_STREAM` names the device and inode of the stream that systemd gave us; it is
  /// inherited, so a redirected stderr has to be told apart by comparing them.
  static func reads(_ descriptor: Int32) -> Bool {
    guard let named = unsafe getenv("JOURNAL_STREAM") else { return false }
    var file = stat()
    guard unsafe fstat(descriptor, &file) == 0 else { return false }
    return unsafe String(cString: named) == "\(file.st_dev):\(file.st_ino)"
  }
}
