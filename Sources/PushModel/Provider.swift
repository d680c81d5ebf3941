/// The two services a push can leave through.
package enum Provider: String, Sendable, Hashable, CaseIterable {
  case apns
  case fcm
}

/// Which of Apple's two hosts a device token belongs to (protocol/apns.md 1).
package enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
  case production
  case sandbox
}

/// What a token names: the kind decides which one a consumer removes (EVENTS.md 3).
package enum TokenKind: String, Sendable, Hashable, CaseIterable {
  case device
  case voip
  case fid
  case liveActivity
  case channel
}

package enum Platform: String, Sendable, Hashable, CaseIterable {
  case ios, ipados, macos, watchos, tvos, visionos, android, web

  package var isApple: Bool {
    switch self {
    case .ios, .ipados, .macos, .watchos, .tvos, .visionos: true
    case .android, .web: false
    }
  }
}

/// One set of provider rights: its pool, its breaker and its share of the workers are its own.
package struct CredentialKey: Sendable, Hashable {
  package let app: String
  package let provider: Provider
  /// `production` for FCM, which knows only one.
  package let environment: APNsEnvironment

  package init(app: String, provider: Provider, environment: APNsEnvironment = .production) {
    self.app = app
    self.provider = provider
    self.environment = environment
  }
}
