internal import Glibc
internal import PushSettings

/// Whether others than their owner may read the files with keys.
enum KeyFileExamination {
  static func findings(_ settings: Settings) -> [Finding] {
    var seen: Set<String> = []
    return files(settings).compactMap { key, path in
      guard seen.insert(path).inserted else { return nil }
      var status = stat()
      // One that cannot be read is a problem of the credential, told there.
      guard unsafe stat(path, &status) == 0 else { return nil }
      guard status.st_mode & 0o077 != 0 else { return nil }
      return .warning(
        key, "others than its owner may use \(path) (mode \(octal(status.st_mode)))",
        "chmod 600, owned by the worker's user; or a group of that user alone")
    }
  }

  private static func octal(_ mode: UInt32) -> String { String(mode & 0o777, radix: 8) }

  private static func files(_ settings: Settings) -> [(key: String, path: String)] {
    var files: [(String, String)] = []
    for app in settings.apps {
      for (name, key) in [("production", app.apns?.production), ("sandbox", app.apns?.sandbox)] {
        if let key, !key.keyFile.isEmpty {
          files.append(("apps.\(app.name).apns.\(name).keyFile", key.keyFile))
        }
      }
      if let file = app.fcm?.serviceAccountFile, !file.isEmpty {
        files.append(("apps.\(app.name).fcm.serviceAccountFile", file))
      }
    }
    if let file = settings.redis.tls.keyFile { files.append(("redis.tls.keyFile", file)) }
    return files
  }
}
