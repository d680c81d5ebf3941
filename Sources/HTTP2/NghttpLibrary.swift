internal import CNghttp2

/// libnghttp2 as it runs.
package enum NghttpLibrary {
  package static var version: String {
    unsafe String(cString: nghttp2_version(0).pointee.version_str)
  }
}
