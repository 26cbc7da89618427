// swift-tools-version: 6.1
import PackageDescription

// The reference app. Its assistant and the Firestore client and server that it syncs with are packages next to it.
let package = Package(
  name: "Sorted",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Sorted", targets: ["Sorted"]),
    .library(name: "SortedWeb", targets: ["SortedWeb"]),
    .executable(name: "sorted", targets: ["SortedCommand"]),
    .executable(name: "sorted-demo", targets: ["SortedDemo"]),
  ],
  dependencies: [
    .package(name: "open-swiftdata", path: "..", traits: ["Sync"]),
    .package(path: "../Assistant"),
    .package(path: "../Firestore"),
    .package(path: "../TestSupport"),
    // How servers end their connections; the tests need the sync server too.
    .package(path: "../Tools"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "Sorted",
      dependencies: [
        .product(name: "AssistModel", package: "Assistant"),
        .product(name: "FirestoreProtocol", package: "Firestore"),
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "UntrustedInput", package: "open-swiftdata"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    // Syncs an inbox with `swiftdata sync-server`.
    .target(
      name: "SortedSync",
      dependencies: [
        "Sorted",
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "SwiftDataSync", package: "open-swiftdata"),
      ]
    ),
    .target(
      name: "SortedWeb",
      dependencies: [
        "Sorted",
        .product(name: "AssistModel", package: "Assistant"),
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "UntrustedInput", package: "open-swiftdata"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPServing", package: "Tools"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Mustache", package: "swift-mustache"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.copy("Templates"), .copy("Assets"), .copy("Unicode")]
    ),
    // What the web server does over TLS: encrypted connections, and the pages of links.
    .target(
      name: "SortedNetwork",
      dependencies: [
        "SortedWeb",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdHTTP2", package: "hummingbird"),
        .product(name: "HTTPServing", package: "Tools"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]
    ),
    // `make run`. It needs neither SortedSync nor SortedNetwork: what they bring takes a third of the time of a first build.
    .executableTarget(
      name: "SortedDemo",
      dependencies: ["Sorted", "SortedWeb", .product(name: "NIOCore", package: "swift-nio")]
    ),
    .executableTarget(
      name: "SortedCommand",
      dependencies: [
        "Sorted", "SortedNetwork", "SortedSync", "SortedWeb",
        .product(name: "AssistModel", package: "Assistant"),
        .product(name: "FirestoreClient", package: "Firestore"),
        .product(name: "FirestoreProtocol", package: "Firestore"),
        .product(name: "FirestoreServer", package: "Firestore"),
        .product(name: "SwiftDataPostgres", package: "open-swiftdata"),
        .product(name: "SwiftDataRecovery", package: "open-swiftdata"),
        .product(name: "CommandLineSupport", package: "Tools"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .executableTarget(
      name: "ImportFaults",
      dependencies: [
        "Sorted",
        .product(name: "FaultyFiles", package: "TestSupport"),
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/ImportFaults"
    ),
    // A sync server that tests kill.
    .executableTarget(
      name: "SyncServerProcess", dependencies: [.product(name: "SyncServer", package: "Tools")],
      path: "Tests/SyncServerProcess"),
    .testTarget(
      name: "SortedTests",
      dependencies: [
        "Sorted", "SortedCommand", "SortedSync", "ImportFaults", "SyncServerProcess",
        .product(name: "AssistFixtures", package: "Assistant"),
        .product(name: "AssistModel", package: "Assistant"),
        .product(name: "BlockingTests", package: "TestSupport"),
        .product(name: "ChildProcesses", package: "TestSupport"),
        .product(name: "FirestoreClient", package: "Firestore"),
        .product(name: "FirestoreProtocol", package: "Firestore"),
        .product(name: "FirestoreServer", package: "Firestore"),
        .product(name: "SyncServer", package: "Tools"),
        .product(name: "SwiftDataPostgres", package: "open-swiftdata"),
        .product(name: "SwiftDataTesting", package: "open-swiftdata"),
      ]),
    .testTarget(
      name: "SortedWebTests",
      dependencies: [
        "SortedWeb", "Sorted", "SortedCommand", "SortedNetwork", "SortedSync",
        .product(name: "AssistFixtures", package: "Assistant"),
        .product(name: "AssistModel", package: "Assistant"),
        .product(name: "ChildProcesses", package: "TestSupport"),
        .product(name: "HTTPServing", package: "Tools"),
        .product(name: "SyncServer", package: "Tools"),
        .product(name: "SwiftDataTesting", package: "open-swiftdata"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "SortedSeedTests",
      dependencies: [
        "Sorted", .product(name: "ChildProcesses", package: "TestSupport"),
        .product(name: "SwiftData", package: "open-swiftdata"),
      ]),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "Sorted", "SortedWeb",
        .product(name: "FirestoreServer", package: "Firestore"),
        .product(name: "AppleStoreTemplates", package: "open-swiftdata"),
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "SwiftDataAppleStore", package: "open-swiftdata"),
        .product(name: "SwiftDataInspection", package: "open-swiftdata"),
        .product(name: "SwiftDataSync", package: "open-swiftdata"),
        .product(name: "SyncCore", package: "open-swiftdata"),
        .product(name: "SyncProtocol", package: "open-swiftdata"),
        .product(name: "SyncServer", package: "Tools"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Fuzz/Targets"),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
  ]
)

// `make fuzz` and `make test-sanitized`, which share a build: everything that is fuzzed tells libFuzzer what it reached, and
// the runner is linked with it; ../Package.swift, ../Tools and ../Firestore do the same. Not `-sanitize=fuzzer`: of several such
// options the compiler takes the last alone, which is the address sanitizer's.
if Context.environment["SWIFTDATA_FUZZ"] != nil {
  let fuzzed = ["Sorted", "SortedWeb", "FuzzTargets"]
  for target in package.targets where fuzzed.contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-sanitize-coverage=edge,inline-8bit-counters,trace-cmp"])]
  }
  package.targets.append(
    .executableTarget(
      name: "FuzzRunner", dependencies: ["FuzzTargets"], path: "Fuzz/Runner",
      swiftSettings: [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]))
}
