// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

let package = Package(
  name: "open-swiftdata",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "SwiftDataQuery", targets: ["SwiftDataQuery"]),
    .library(name: "SwiftDataTesting", targets: ["SwiftDataTesting"]),
    .library(name: "SwiftDataPostgres", targets: ["SwiftDataPostgres"]),
    .library(name: "Sorted", targets: ["Sorted"]),
    .library(name: "SortedWeb", targets: ["SortedWeb"]),
    .executable(name: "sorted", targets: ["SortedCommand"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "SwiftData",
      dependencies: [
        "SwiftDataMacros",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]
    ),
    .macro(
      name: "SwiftDataMacros",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftIfConfig", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
      ]
    ),
    .target(name: "SwiftDataQuery", dependencies: ["SwiftData"]),
    .target(name: "SwiftDataTesting", dependencies: ["SwiftData"]),
    .systemLibrary(
      name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "SwiftDataPostgres",
      dependencies: ["SwiftData", "CLibPQ", .product(name: "DequeModule", package: "swift-collections")]
    ),
    .target(
      name: "Sorted",
      dependencies: [
        "FirestoreClient", "SwiftData",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .target(
      name: "SortedWeb",
      dependencies: [
        "Sorted", "SwiftData",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Mustache", package: "swift-mustache"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.copy("Templates"), .copy("Assets")]
    ),
    .executableTarget(
      name: "SortedCommand",
      dependencies: [
        "Sorted", "SortedWeb", "FirestoreClient", "FirestoreServer", "SwiftDataPostgres",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .target(
      name: "FirestoreClient",
      dependencies: [
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]
    ),
    .target(
      name: "FirestoreServer",
      dependencies: [
        "FirestoreClient", "SwiftData", "SwiftDataPostgres",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .target(name: "CrashModels", dependencies: ["SwiftData"], path: "Tests/CrashHelper/Models"),
    .executableTarget(name: "CrashHelper", dependencies: ["CrashModels"], path: "Tests/CrashHelper/Command"),
    .target(name: "FaultyFiles", path: "Tests/Reliability/FaultyFiles"),
    .executableTarget(
      name: "Reliability",
      dependencies: [
        "CrashModels", "FaultyFiles", "Sorted", "SwiftData",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Reliability/Program"
    ),
    .testTarget(name: "ReliabilityTests", dependencies: ["Reliability", "SwiftData"]),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: [
        "SwiftData", "SwiftDataPostgres", "SwiftDataQuery", "CrashModels", "CrashHelper",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]
    ),
    .testTarget(
      name: "FirestoreTests",
      dependencies: [
        "FirestoreClient", "FirestoreServer",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(name: "ConformanceTests", dependencies: ["SwiftDataTesting", "SwiftDataPostgres"]),
    .target(name: "LetterNames", path: "Tests/LetterNames"),
    .testTarget(name: "LetterTests", dependencies: ["SwiftData", "SwiftDataQuery", "LetterNames"]),
    .executableTarget(
      name: "PostgresWriter", dependencies: ["SwiftDataPostgres"], path: "Tests/PostgresWriter"),
    .testTarget(name: "PostgresTests", dependencies: ["SwiftDataTesting", "SwiftDataPostgres", "PostgresWriter"]),
    .testTarget(
      name: "SortedTests",
      dependencies: ["Sorted", "SortedCommand", "FirestoreClient", "FirestoreServer", "SwiftDataPostgres"]),
    .testTarget(
      name: "SortedWebTests",
      dependencies: [
        "SortedWeb", "Sorted", "SortedCommand",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(name: "SeedTests", dependencies: ["SwiftData", "Sorted"]),
    .target(
      name: "FuzzTargets",
      dependencies: ["SwiftData", "Sorted", "FirestoreServer", .product(name: "GRDB", package: "GRDB.swift")],
      path: "Fuzz/Targets"),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
  ]
)

// `make fuzz` and `make test-sanitized`, which share a build: everything that is fuzzed tells libFuzzer what it reached, and
// the runner is linked with it. Not `-sanitize=fuzzer`: of several such options the compiler takes the last alone, which is
// the address sanitizer's.
if Context.environment["SWIFTDATA_FUZZ"] != nil {
  let fuzzed = ["SwiftData", "Sorted", "FirestoreClient", "FirestoreServer", "FuzzTargets"]
  for target in package.targets where fuzzed.contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-sanitize-coverage=edge,inline-8bit-counters,trace-cmp"])]
  }
  package.targets.append(
    .executableTarget(
      name: "FuzzRunner", dependencies: ["FuzzTargets"], path: "Fuzz/Runner",
      swiftSettings: [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]))
}

// `make test-macros`: the macros and their tests, alone. SwiftPM builds macros as tools, and a bundle of tests that imports
// them too, with all that it needs: NIO, GRDB and this package a second time beside the products.
if Context.environment["SWIFTDATA_MACRO_TESTS"] != nil {
  package.products = []
  package.targets.removeAll { $0.name != "SwiftDataMacros" }
  package.targets.append(
    .testTarget(
      name: "SwiftDataMacrosTests",
      dependencies: [
        "SwiftDataMacros",
        .product(name: "SwiftOperators", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ]))
}
