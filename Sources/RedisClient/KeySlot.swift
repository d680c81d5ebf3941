/// Which of a cluster's 16,384 slots a key lies in (cluster specification, "Key distribution
/// model").
package enum KeySlot {
  package static func slot(of key: String) -> Int {
    let bytes = Array(key.utf8)
    return Int(crc16(hashTag(of: bytes[...])) % 16_384)
  }

  /// What stands between the first `{` and the next `}`, when that is not nothing; else the key.
  private static func hashTag(of key: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let open = key.firstIndex(of: UInt8(ascii: "{")),
      let close = key[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
    else { return key }
    return key[(open + 1)..<close]
  }

  /// CRC-16/XMODEM.
  private static func crc16(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    var crc: UInt16 = 0
    for byte in bytes {
      crc ^= UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
    }
    return crc
  }
}
