import LoopIO

/// Listens on a port for a server that cannot pick one itself: closed, the port was free a moment ago.
///
/// Below those that Linux gives to outgoing connections (`ip_local_port_range`): one of these could
/// take it before the server does. The bus of a cluster's node is 10,000 above, so that is free too.
func listenerOnFreePort(on loop: Loop) throws -> StreamListener {
  var tries = 0
  while true {
    do {
      let port = Int.random(in: 10_000..<20_000)
      return try StreamListener(on: loop, endpoint: .tcp(host: "127.0.0.1", port: port)) {
        $0.close()
      }
    } catch {
      tries += 1
      if tries == 100 { throw error }
    }
  }
}
