internal import HTTP2
internal import LoopIO
internal import PushAdmin
internal import PushCrypto
internal import PushProviders
internal import PushSettings
internal import RedisClient

/// The C libraries of the process.
enum LibraryVersions {
  static var all: [(String, String)] {
    [
      ("libuv", UVLibrary.version), ("nghttp2", NghttpLibrary.version),
      ("OpenSSL", OpenSSLLibrary.version), ("hiredis", HiredisLibrary.version),
      ("libcurl", CurlLibrary.version),
      ("libmicrohttpd", MicrohttpdLibrary.version), ("libyaml", YamlLibrary.version),
    ]
  }
}
