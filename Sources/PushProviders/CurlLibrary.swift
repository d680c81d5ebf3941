internal import CCurl

/// libcurl as it runs.
package enum CurlLibrary {
  package static var version: String {
    unsafe curl_version_info(CURLVERSION_FIRST).pointee.version.map { unsafe String(cString: $0) }
      ?? ""
  }
}
