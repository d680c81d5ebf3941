import HTTP2

/// What `GET /connections` says about one connection.
struct ConnectionReport: Sendable {
  let number: Int
  let side: String
  let isOpen: Bool
  let requests: Int
  /// Of all windows of one second, stamped when the bytes were read.
  let largestInAnySecond: Int
  /// Requests that made their second hold more than 100.
  let overRate: Int
  let openStreams: Int
  let maxConcurrentStreams: UInt32
  let counts: ServerConnection.Counts

  func write(to out: inout JSONLine) {
    out.open()
    out.add("connection", number)
    out.add("side", side)
    out.add("open", isOpen)
    out.add("requests", requests)
    out.add("largestInAnySecond", largestInAnySecond)
    out.add("overRate", overRate)
    out.add("openStreams", openStreams)
    out.add("streamsHighWater", counts.streamsHighWater)
    out.add("maxConcurrentStreams", Int64(maxConcurrentStreams))
    out.add("goAways", counts.goAways)
    out.add("pings", counts.pings)
    out.add("resetsSent", counts.resetsSent)
    out.add("resetsReceived", counts.resetsReceived)
    out.add("refused", counts.refused)
    out.close()
  }
}
