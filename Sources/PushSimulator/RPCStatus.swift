/// Names of google.rpc.Code for the HTTP statuses that FCM uses (protocol/fcm.md 6).
enum RPCStatus {
  static func name(of status: Int) -> String {
    switch status {
    case 400: "INVALID_ARGUMENT"
    case 401: "UNAUTHENTICATED"
    case 403: "PERMISSION_DENIED"
    case 404: "NOT_FOUND"
    case 429: "RESOURCE_EXHAUSTED"
    case 500: "INTERNAL"
    case 503: "UNAVAILABLE"
    default: "UNKNOWN"
    }
  }
}
