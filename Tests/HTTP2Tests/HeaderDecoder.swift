internal import CNghttp2

/// A field as nghttp2 reads it from a header block.
struct DecodedField: Equatable {
  var name: [UInt8]
  var value: [UInt8]
  var neverIndexed = false
}

/// The peer's side of HPACK: nghttp2's own.
@safe final class HeaderDecoder {
  private var raw: OpaquePointer?

  init() { unsafe nghttp2_hd_inflate_new(&raw) }

  deinit { unsafe nghttp2_hd_inflate_del(raw) }

  /// SETTINGS_HEADER_TABLE_SIZE was acknowledged.
  func allow(_ size: Int) { unsafe nghttp2_hd_inflate_change_table_size(raw, size) }

  var tableSize: Int { unsafe nghttp2_hd_inflate_get_dynamic_table_size(raw) }

  /// Nil when the block is wrong.
  func decode(_ block: [UInt8]) -> [DecodedField]? {
    var fields: [DecodedField] = []
    return unsafe block.withUnsafeBufferPointer { block in
      var at = 0
      while true {
        var field = unsafe nghttp2_nv()
        var flags: Int32 = 0
        let start = unsafe block.baseAddress.map { unsafe $0 + at }
        let count = unsafe nghttp2_hd_inflate_hd2(raw, &field, &flags, start, block.count - at, 1)
        if count < 0 { return nil }
        at += count
        if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
          unsafe fields.append(
            DecodedField(
              name: Array(UnsafeBufferPointer(start: field.name, count: field.namelen)),
              value: Array(UnsafeBufferPointer(start: field.value, count: field.valuelen)),
              neverIndexed: field.flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0))
        }
        if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
          unsafe nghttp2_hd_inflate_end_headers(raw)
          return fields
        }
        if count == 0 && at == block.count { return nil }
      }
    }
  }
}
