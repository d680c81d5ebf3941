import HTTP2
import LoopIO
import TestSupport
import Testing

/// A POST as APNs gets them.
func request(_ path: String) -> HeaderBlock {
  var headers = HeaderBlock()
  headers.append(":method", "POST")
  headers.append(":scheme", "https")
  headers.append(":authority", "localhost")
  headers.append(":path", Array(path.utf8), .secret)
  headers.append("apns-topic", "com.example.chat")
  return headers
}

func answered(_ outcome: RequestOutcome) throws -> HTTP2Response {
  guard case .answered(let response) = outcome else {
    throw Unexpected(what: String(describing: outcome))
  }
  return response
}

struct Unexpected: Error { let what: String }

/// Carries what only the loop may touch into tasks that run on the loop.
struct OnTheLoop<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// So many lanes send so many requests each; how many were answered with 200.
func sendMany(
  _ lanes: Int, each: Int, through pool: ConnectionPool, on loop: Loop, path: String = "/ok"
) async -> Int {
  let pool = OnTheLoop(pool)
  return await withTaskGroup(of: Int.self) { group in
    for _ in 0..<lanes {
      group.addTask(executorPreference: loop) {
        var accepted = 0
        for _ in 0..<each {
          let outcome = await pool.value.send(request(path), body: Array("{\"aps\":{}}".utf8))
          if case .answered(let response) = outcome, response.status == 200 { accepted += 1 }
        }
        return accepted
      }
    }
    return await group.reduce(0, +)
  }
}
