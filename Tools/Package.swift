// swift-tools-version: 6.1
import PackageDescription

// `swiftdata`, the command-line tool, and the servers that it starts: what needs NIO and is not Sorted's.
let package = Package(
  name: "Tools",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "swiftdata", targets: ["SwiftDataTool"]),
    .library(name: "SyncServer", targets: ["SyncServer"]),
    .library(name: "HTTPServing", targets: ["HTTPServing"]),
    .library(name: "CommandLineSupport", targets: ["CommandLineSupport"]),
  ],
  dependencies: [
    .package(name: "open-swiftdata", path: "..", traits: ["Sync"]),
    .package(path: "../TestSupport"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "SwiftDataTool",
      dependencies: [
        "CommandLineSupport",
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "SwiftDataPostgres", package: "open-swiftdata"),
        "HTTPServing", "SyncServer",
        .product(name: "SwiftDataInspection", package: "open-swiftdata"),
        .product(name: "SwiftDataAppleStore", package: "open-swiftdata"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    // What the commands of this repository have in common: version, exit codes, sizes, environment variables.
    .target(
      name: "CommandLineSupport",
      dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]
    ),
    // What all servers of this repository do with their connections and answers.
    .target(
      name: "HTTPServing",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ]
    ),
    // The server that `SwiftDataSync` syncs with.
    .target(
      name: "SyncServer",
      dependencies: [
        "HTTPServing",
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "SwiftDataPostgres", package: "open-swiftdata"),
        .product(name: "SyncProtocol", package: "open-swiftdata"),
        .product(name: "UntrustedInput", package: "open-swiftdata"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
    // What sync costs beside the same work without sync.
    .executableTarget(
      name: "SyncBench",
      dependencies: [
        "SyncServer",
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "SwiftDataSync", package: "open-swiftdata"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Benchmarks/SyncBench"
    ),
    // A program that syncs, for tests that kill it.
    .executableTarget(
      name: "SyncProbe",
      dependencies: [
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "SwiftDataSync", package: "open-swiftdata"),
      ],
      path: "Tests/SyncProbe"
    ),
    // A program that saves until it is killed, for tests that read its store meanwhile.
    .executableTarget(
      name: "StoreWriter", dependencies: [.product(name: "SwiftData", package: "open-swiftdata")],
      path: "Tests/StoreWriter"),
    .testTarget(
      name: "HTTPServingTests",
      dependencies: [
        "HTTPServing",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]
    ),
    .testTarget(
      name: "SyncServerTests",
      dependencies: [
        "SyncServer", "SwiftDataTool", "SyncProbe",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "BlockingTests", package: "TestSupport"),
        .product(name: "ChildProcesses", package: "TestSupport"),
        .product(name: "PostgresServers", package: "TestSupport"),
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "SwiftDataSync", package: "open-swiftdata"),
        .product(name: "SyncProtocol", package: "open-swiftdata"),
        .product(name: "UntrustedInput", package: "open-swiftdata"),
      ],
      // PythonClientTests runs it.
      exclude: ["Log/client.py"]
    ),
    .testTarget(
      name: "SwiftDataToolTests",
      dependencies: [
        "CommandLineSupport", "StoreWriter", "SwiftDataTool",
        .product(name: "AppleStoreTemplates", package: "open-swiftdata"),
        .product(name: "BlockingTests", package: "TestSupport"),
        .product(name: "ChildProcesses", package: "TestSupport"),
        .product(name: "SwiftDataAppleStore", package: "open-swiftdata"),
        .product(name: "SwiftDataInspection", package: "open-swiftdata"),
        .product(name: "SwiftDataPostgres", package: "open-swiftdata"),
        .product(name: "SwiftData", package: "open-swiftdata"),
      ],
      // The classes that `swiftdata models` prints are compiled to a library that finds SwiftData in the tests' own program.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"], .when(platforms: [.linux]))]
    ),
  ]
)

// `make fuzz`: what the fuzzer sends requests to tells it what it reached. The runner is in ../Sorted/Package.swift.
if Context.environment["SWIFTDATA_FUZZ"] != nil {
  for target in package.targets where target.name == "SyncServer" {
    target.swiftSettings = [.unsafeFlags(["-sanitize-coverage=edge,inline-8bit-counters,trace-cmp"])]
  }
}
