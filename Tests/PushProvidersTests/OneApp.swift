import PushSettings
import PushSimulator
import TestSupport

extension Settings {
  /// The app `chat` with one secret for APNs' production, at a server of the test's own.
  static func chat(_ secret: TokenKey, port: Int, caFile: String) -> Settings {
    var app = App(name: "chat")
    app.apns = APNs()
    app.apns?.topic = "com.example.chat"
    app.apns?.production = secret
    app.apns?.connections.requestsPerSecond = 0
    var settings = Settings()
    settings.apps = [app]
    settings.endpoints.apnsProduction = HostPort(host: "localhost", port: port)
    settings.endpoints.caFile = caFile
    return settings
  }
}

extension SimulatorOptions {
  /// Ports that are free, and files in this folder.
  init(in folder: TemporaryFolder, strictStreams: Bool) {
    self.init(directory: folder.path)
    apnsPort = 0
    sandboxPort = 0
    fcmPort = 0
    controlPort = 0
    self.strictStreams = strictStreams
  }
}
