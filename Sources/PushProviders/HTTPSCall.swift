internal import CCurl
internal import HTTP2
internal import PushSettings

/// One plain HTTPS request by libcurl, for what is not on the hot path.
///
/// It blocks: to be called on a thread of its own.
struct HTTPSCall {
  var url: String
  /// A form, sent as `application/x-www-form-urlencoded`.
  var form: [UInt8]
  /// Trusted roots instead of the system's.
  var caFile: String?
  var proxy = Settings.Proxy()
  var timeout = Duration.seconds(15)

  struct Reply: Sendable {
    var status: Int
    var body: [UInt8]
    /// The value of `Retry-After`, empty when there was none.
    var retryAfter: [UInt8]
    /// The value of `Date`.
    var date: [UInt8]
  }

  /// No answer came. libcurl's words, which hold no byte of the request.
  struct Failure: Error, Sendable {
    var detail: String
  }

  /// An access token has 1 or 2 KB.
  private static let bodyLimit = 65_536

  func perform() throws(Failure) -> Reply {
    Self.startOnce
    guard let curl = unsafe curl_easy_init() else {
      throw Failure(detail: "libcurl does not start")
    }
    defer { unsafe curl_easy_cleanup(curl) }
    let inbox = Inbox(limit: Self.bodyLimit)
    unsafe prepare(curl, inbox)
    let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    defer { unsafe words.deallocate() }
    unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    unsafe ccurl_set_pointer(curl, CURLOPT_ERRORBUFFER, words)
    let code = unsafe form.withUnsafeBytes { form in
      // Not copied by libcurl: alive until the call is over.
      unsafe ccurl_set_pointer(
        curl, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: form.baseAddress))
      return unsafe curl_easy_perform(curl)
    }
    guard code == CURLE_OK else {
      let detail = unsafe String(cString: words)
      let general = unsafe String(cString: curl_easy_strerror(code))
      if unsafe ccurl_connect_status(curl) == 407 {
        throw Failure(detail: "proxy: \(HTTPProxy.refusal(hadPassword: proxy.user != nil))")
      }
      throw Failure(detail: detail.isEmpty ? general : detail)
    }
    return Reply(
      status: unsafe ccurl_status(curl), body: inbox.body, retryAfter: inbox.retryAfter,
      date: inbox.date)
  }

  private func prepare(_ curl: UnsafeMutableRawPointer, _ inbox: Inbox) {
    unsafe ccurl_set_text(curl, CURLOPT_URL, url)
    unsafe ccurl_set_text(curl, CURLOPT_PROTOCOLS_STR, "https")
    unsafe use(proxy, curl)
    if let caFile { unsafe ccurl_set_text(curl, CURLOPT_CAINFO, caFile) }
    // No signals: SIGALRM would end the process from another thread.
    unsafe ccurl_set_long(curl, CURLOPT_NOSIGNAL, 1)
    unsafe ccurl_set_long(curl, CURLOPT_TIMEOUT_MS, Int(timeout / .milliseconds(1)))
    unsafe ccurl_set_long(curl, CURLOPT_POST, 1)
    unsafe ccurl_set_long(curl, CURLOPT_POSTFIELDSIZE, form.count)
    let user = unsafe Unmanaged.passUnretained(inbox).toOpaque()
    unsafe ccurl_set_write(curl, CURLOPT_WRITEFUNCTION, Inbox.takeBody)
    unsafe ccurl_set_pointer(curl, CURLOPT_WRITEDATA, user)
    unsafe ccurl_set_write(curl, CURLOPT_HEADERFUNCTION, Inbox.takeHeader)
    unsafe ccurl_set_pointer(curl, CURLOPT_HEADERDATA, user)
  }

  /// Always set, also to none: libcurl takes what is not set from the environment.
  private func use(_ proxy: Settings.Proxy, _ curl: UnsafeMutableRawPointer) {
    unsafe ccurl_set_text(curl, CURLOPT_PROXY, proxy.address.map { "http://\($0)" } ?? "")
    unsafe ccurl_set_text(curl, CURLOPT_NOPROXY, "")
    unsafe ccurl_set_long(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    if let user = proxy.user, let password = proxy.password {
      unsafe ccurl_set_text(curl, CURLOPT_PROXYUSERNAME, user)
      unsafe ccurl_set_text(curl, CURLOPT_PROXYPASSWORD, password)
    }
  }

  /// Before the first call of any thread.
  private static let startOnce: Void = { _ = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) }()
}

/// All that libcurl's callbacks may touch.
private final class Inbox {
  var body: [UInt8] = []
  var retryAfter: [UInt8] = []
  var date: [UInt8] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  static let takeBody: ccurl_write = { bytes, _, count, user in
    guard let user = unsafe user else { return 0 }
    let inbox = unsafe Unmanaged<Inbox>.fromOpaque(user).takeUnretainedValue()
    // Less than `count` ends the transfer.
    guard inbox.body.count + count <= inbox.limit else { return 0 }
    unsafe inbox.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    return count
  }

  static let takeHeader: ccurl_write = { bytes, _, count, user in
    guard let user = unsafe user else { return 0 }
    let inbox = unsafe Unmanaged<Inbox>.fromOpaque(user).takeUnretainedValue()
    let line = unsafe String(
      decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    if let value = value(of: "retry-after", in: line) { inbox.retryAfter = value }
    if let value = value(of: "date", in: line) { inbox.date = value }
    return count
  }

  private static func value(of name: String, in line: String) -> [UInt8]? {
    guard line.lowercased().hasPrefix(name + ":") else { return nil }
    return Array(line.dropFirst(name.count + 1).utf8.filter { $0 >= 0x20 }.drop { $0 == 0x20 })
  }
}
