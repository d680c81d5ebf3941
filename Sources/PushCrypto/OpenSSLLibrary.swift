internal import COpenSSL

/// OpenSSL as it runs.
package enum OpenSSLLibrary {
  package static var version: String {
    unsafe String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
  }
}
