// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target builds with the same strict settings; a warning is an error.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  // Checks of exclusive access at run time cost 4 % of a push (callgrind); every test runs with them,
  // since tests are debug builds.
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: ["README.md"], swiftSettings: strict)
}

func tests(
  of name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name + "Tests",
    dependencies: [.target(name: name), "TestSupport"] + dependencies, exclude: exclude,
    swiftSettings: strict)
}

func command(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, exclude: ["README.md"], swiftSettings: strict)
}

func library(_ name: String, pkgConfig: String?, apt: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
  name: "allim",
  targets: [
    // C libraries of Debian: module maps and inline shims only.
    library("CLibuv", pkgConfig: "libuv", apt: "libuv1-dev"),
    library("CNghttp2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
    library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    // No pkgConfig: its -D_FILE_OFFSET_BITS makes SwiftPM print "prohibited flag(s)" at each build.
    library("CHiredis", pkgConfig: nil, apt: "libhiredis-dev"),
    library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    library("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
    library("CYaml", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),

    // Counts requests for memory; linked into the benchmark only.
    .target(name: "CAllocations", exclude: ["README.md"]),

    // The operators' page as bytes in the program.
    .target(name: "CAdminPage", exclude: ["README.md", "Page"]),

    // Values and bytes.
    module("SharedState"),
    module("PushModel"),
    module("PushCrypto", ["COpenSSL"]),
    module("PushCodec", ["PushModel", "PushCrypto"]),
    module("PushTelemetry", ["SharedState", "PushModel"]),
    module("PushSettings", ["PushModel", "CYaml"]),

    // The loop, and the wire on it.
    module("LoopIO", ["SharedState", "CLibuv", "COpenSSL"]),
    module("RedisClient", ["LoopIO", "PushCrypto", "SharedState", "CHiredis"]),
    module("HTTP2", ["LoopIO", "SharedState", "CNghttp2"]),

    // The core: decisions and roles.
    module(
      "PushWorker",
      ["SharedState", "PushModel", "PushCodec", "PushTelemetry", "PushSettings", "LoopIO"]),

    // Adapters: each knows one outside world.
    module(
      "PushAdmin",
      ["PushWorker", "PushModel", "PushTelemetry", "SharedState", "CMicrohttpd", "CAdminPage"]),
    module(
      "PushQueue",
      [
        "PushWorker", "RedisClient", "LoopIO", "PushModel", "PushCodec", "PushTelemetry",
        "SharedState",
      ]),
    module(
      "PushProviders",
      [
        "PushWorker", "HTTP2", "LoopIO", "PushModel", "PushCodec", "PushCrypto", "PushTelemetry",
        "PushSettings", "SharedState", "CCurl",
      ]),
    module(
      "PushSimulator",
      [
        "HTTP2", "LoopIO", "PushModel", "PushCodec", "PushCrypto", "SharedState", "CMicrohttpd",
      ]),

    // Commands: wiring only.
    command(
      "allim",
      [
        "PushAdmin", "PushQueue", "PushProviders", "PushWorker", "PushSettings", "PushTelemetry",
        "PushCodec", "PushModel", "PushCrypto", "RedisClient", "HTTP2", "LoopIO", "SharedState",
      ]),
    command("allim-sim", ["PushSimulator", "LoopIO"]),
    command(
      "allim-bench",
      [
        "PushCodec", "PushModel", "PushCrypto", "RedisClient", "LoopIO", "SharedState",
        "CAllocations",
      ]),

    // Tests; TestSupport holds what several suites share (a private Redis, temporary folders).
    .target(
      name: "TestSupport",
      dependencies: ["HTTP2", "LoopIO", "PushCrypto", "PushModel", "RedisClient", "SharedState"],
      path: "Tests/TestSupport", swiftSettings: strict),
    tests(of: "PushModel"),
    tests(of: "PushCrypto"),
    .target(
      name: "CodecProbe", dependencies: ["PushCodec", "PushModel"], path: "Tests/Fuzz/Probe",
      swiftSettings: strict),
    tests(of: "PushCodec", ["PushModel", "PushCrypto", "CodecProbe"], exclude: ["Fixtures"]),
    tests(of: "PushTelemetry", ["PushModel", "SharedState"]),
    tests(of: "PushSettings", ["PushModel"]),
    tests(of: "LoopIO", ["SharedState", "PushCrypto"]),
    tests(of: "RedisClient", ["LoopIO", "PushCrypto"]),
    tests(of: "HTTP2", ["LoopIO", "SharedState", "PushCrypto", "CNghttp2"]),
    tests(
      of: "PushWorker",
      [
        "PushModel", "PushCodec", "PushSettings", "PushTelemetry", "PushQueue", "LoopIO",
        "SharedState",
      ]),
    tests(of: "PushAdmin", ["PushTelemetry", "SharedState"]),
    tests(
      of: "PushQueue",
      ["PushWorker", "PushModel", "PushCodec", "RedisClient", "LoopIO", "SharedState"]),
    tests(
      of: "PushProviders",
      [
        "PushWorker", "PushModel", "PushCodec", "PushCrypto", "PushSettings", "HTTP2", "LoopIO",
        "PushSimulator", "PushTelemetry", "SharedState",
      ], exclude: ["Fixtures"]),
    tests(
      of: "PushSimulator",
      ["HTTP2", "LoopIO", "PushCrypto", "PushCodec", "PushModel", "SharedState"]),
    .testTarget(
      name: "SystemTests",
      dependencies: [
        "TestSupport", "RedisClient", "LoopIO", "PushCodec", "PushCrypto", "SharedState",
      ],
      exclude: ["random_events.py"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// libFuzzer brings its own `main`, so this one is built by scripts/fuzz alone.
if Context.environment["ALLIM_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "allim-fuzz", dependencies: ["CodecProbe"], path: "Tests/Fuzz/Target",
      swiftSettings: strict))
}
