/// The names of values in records, all of them, so that one search finds every record of a kind.
package enum LogKey: String, Sendable {
  case address, admin, alpn, app, attempt, busy, bytes, capacity, code, config, connection
  case connections, count, credential, detail, devices, due, embedded, environment, error, event
  case events, expiry, file, format, frame, grace, host, instance, instances, items, key, kind
  case level, limit, line, outcome, path, pid, port, provider, queue, queues, reason, redis
  case replays, retries, seconds, signal, stage, state, status, streams, suppressed, threads
  case time, token, traceparent, type, url, user, verdict, version, workers
  case apnsID = "apns_id"
  case messageName = "message_name"
  case retryAfter = "retry_after"
  case took = "took_seconds"
}
