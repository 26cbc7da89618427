// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

// Elsewhere SwiftDataSync uses URLSession.
let httpClient = TargetDependencyCondition.when(platforms: [.linux, .android], traits: ["Sync"])

let package = Package(
  name: "open-swiftdata",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "SwiftDataQuery", targets: ["SwiftDataQuery"]),
    .library(name: "SwiftDataTesting", targets: ["SwiftDataTesting"]),
    .library(name: "SwiftDataRecovery", targets: ["SwiftDataRecovery"]),
    .library(name: "SwiftDataPostgres", targets: ["SwiftDataPostgres"]),
    .library(name: "SwiftDataPostgresShards", targets: ["SwiftDataPostgresShards"]),
    .library(name: "SwiftDataSync", targets: ["SwiftDataSync"]),
    .library(name: "SyncCore", targets: ["SyncCore"]),
    .library(name: "SyncProtocol", targets: ["SyncProtocol"]),
    .library(name: "UntrustedInput", targets: ["UntrustedInput"]),
    .library(name: "SwiftDataAppleStore", targets: ["SwiftDataAppleStore"]),
    .library(name: "SwiftDataInspection", targets: ["SwiftDataInspection"]),
    // For tests and benchmarks of this repository. A package of its own could not see what it uses of SwiftDataAppleStore.
    .library(name: "AppleStoreTemplates", targets: ["AppleStoreTemplates"]),
  ],
  // Off by default: a client that names no trait resolves neither swift-crypto nor NIO. Build this repository with one trait, Sync,
  // which has all: SwiftPM passes several traits to the compiler in a random order, and another order builds everything again.
  // Documentation/decisions/0032-traits.md has the measurements.
  traits: [
    .trait(name: "Encryption", description: "Encrypted columns. Brings swift-crypto."),
    .trait(
      name: "Tracing",
      description: "Spans of fetches, saves, faults and openings. Brings swift-distributed-tracing."),
    .trait(
      name: "Sync",
      description: "SwiftDataSync, encrypted columns and spans. Brings swift-crypto, async-http-client and NIO."),
  ],
  dependencies: [
    // Every client resolves these, so what servers and command lines need belongs to the packages next to this one.
    .package(url: "https://github.com/swiftlang/swift-syntax", "601.0.0"..<"604.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    // Clients resolve the rest only with a trait that uses it, and GRDB never: tests read stores with it.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
  ],
  targets: [
    .target(
      name: "SwiftData",
      dependencies: [
        "CSwiftDataSQLite", "SwiftDataMacros",
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption", "Sync"])),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing", "Sync"])),
      ]
    ),
    .systemLibrary(name: "CSwiftDataSQLite", providers: [.apt(["libsqlite3-dev"])]),
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
    .target(name: "SwiftDataRecovery", dependencies: ["CSwiftDataSQLite", "SwiftData"]),
    .systemLibrary(
      name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "SwiftDataPostgres",
      dependencies: ["SwiftData", "CLibPQ", .product(name: "Metrics", package: "swift-metrics")]),
    .target(name: "SwiftDataPostgresShards", dependencies: ["SwiftData", "SwiftDataPostgres"]),
    // Numbers that another program sent. They have no plain arithmetic.
    .target(name: "UntrustedInput"),
    .testTarget(name: "UntrustedInputTests", dependencies: ["UntrustedInput"]),
    // The rules of sync as pure functions over values.
    .target(name: "SyncCore"),
    // The messages between client and server of sync. The server is in Tools/.
    .target(name: "SyncProtocol", dependencies: ["SyncCore", "UntrustedInput"]),
    // With SwiftDataSync, whose tables of records have the same laws.
    .testTarget(
      name: "SyncCoreTests", dependencies: ["SwiftData", "SwiftDataSync", "SyncCore", "SyncProtocol"],
      exclude: ["Model", "traces.txt"]),
    .target(
      name: "SwiftDataSync",
      dependencies: [
        "SwiftData", "SyncCore", "SyncProtocol", "UntrustedInput",
        .product(
          name: "AsyncHTTPClient", package: "async-http-client", condition: httpClient),
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Sync"])),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio", condition: httpClient),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: httpClient),
        .product(name: "NIOPosix", package: "swift-nio", condition: httpClient),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: httpClient),
      ]),
    .testTarget(
      name: "SwiftDataSyncTests",
      dependencies: [
        "AppleStoreTemplates", "SwiftDataAppleStore", "SwiftDataInspection", "SwiftDataPostgres", "SwiftDataSync",
        "SyncCore", "SyncProtocol", "UntrustedInput",
      ]),
    .target(
      name: "SwiftDataAppleStore",
      dependencies: [
        "CSwiftDataSQLite", "SwiftData", "UntrustedInput", .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .target(name: "SwiftDataInspection", dependencies: ["SwiftData", "SwiftDataAppleStore", "SwiftDataPostgres"]),
    .target(
      name: "AppleStoreTemplates",
      dependencies: ["SwiftData", "SwiftDataAppleStore"],
      path: "Tests/AppleStoreTemplates"
    ),
    .testTarget(
      name: "SwiftDataAppleStoreTests",
      dependencies: [
        "AppleStoreTemplates", "ChildProcesses", "SwiftDataAppleStore", "SwiftDataInspection", "SwiftDataRecovery",
        "SwiftDataTesting", "SwiftData",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .target(name: "CrashModels", dependencies: ["SwiftData"], path: "Tests/CrashHelper/Models"),
    .executableTarget(
      name: "CrashHelper", dependencies: ["CrashModels", "SwiftDataRecovery"], path: "Tests/CrashHelper/Command"),
    // TestSupport/ is a package too, which Sorted and Tools use.
    .target(name: "FaultyFiles", path: "TestSupport/Sources/FaultyFiles"),
    .executableTarget(
      name: "Reliability",
      dependencies: [
        "ChildProcesses", "CrashModels", "FaultyFiles", "SwiftData", "SwiftDataRecovery",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Reliability/Program"
    ),
    .testTarget(name: "ReliabilityTests", dependencies: ["ChildProcesses", "Reliability", "SwiftData"]),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: [
        "CSwiftDataSQLite", "SwiftData", "SwiftDataPostgres", "SwiftDataQuery", "SwiftDataRecovery", "SwiftDataTesting",
        "CrashModels", "CrashHelper", "ChildProcesses", "PostgresDivisions", "PostgresServers", "MigrationCases",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]
    ),
    .testTarget(
      name: "TracingTests",
      dependencies: [
        "SwiftData", "SwiftDataPostgres",
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ]),
    .target(
      name: "ChildProcesses", dependencies: ["SpawnedProcesses"], path: "TestSupport/Sources/ChildProcesses"),
    .target(name: "SpawnedProcesses", path: "TestSupport/Sources/SpawnedProcesses"),
    .target(
      name: "PostgresServers", dependencies: ["ChildProcesses"], path: "TestSupport/Sources/PostgresServers"),
    .target(
      name: "PostgresDivisions", dependencies: ["SwiftData", "SwiftDataPostgres"], path: "Tests/PostgresDivisions"),
    .testTarget(
      name: "ConformanceTests",
      dependencies: ["PostgresDivisions", "PostgresServers", "SwiftDataTesting", "SwiftDataPostgres"]),
    .target(name: "CollidingNames", path: "Tests/CollidingNames"),
    .target(
      name: "MigrationCases", dependencies: ["SwiftData"], path: "Tests/MigrationCases",
      exclude: ["Former", "Released"]),
    .testTarget(name: "SourceCompatibilityTests", dependencies: ["SwiftData", "SwiftDataQuery", "CollidingNames"]),
    .executableTarget(
      name: "PostgresWriter", dependencies: ["SwiftDataPostgres"], path: "Tests/PostgresWriter"),
    .testTarget(
      name: "PostgresTests",
      dependencies: [
        "ChildProcesses", "PostgresServers", "SwiftDataInspection", "SwiftDataTesting", "SwiftDataPostgres",
        "SwiftDataPostgresShards", "PostgresWriter", "MigrationCases",
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
    // Its sources are generated, and its models take a while to compile.
    .testTarget(
      name: "RandomModelTests", dependencies: ["SwiftData", "SwiftDataPostgres"], exclude: ["cases.txt"]),
    .testTarget(name: "SeedTests", dependencies: ["ChildProcesses", "SwiftData"], exclude: ["README.md"]),
    .testTarget(
      name: "ArticleTests",
      dependencies: [
        "SwiftData", "SwiftDataAppleStore", "SwiftDataPostgres", "SwiftDataPostgresShards", "SwiftDataQuery",
        "SwiftDataRecovery", "SwiftDataSync", "SwiftDataTesting",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ]),
  ]
)

// `SWIFTDATA_TESTS=PostgresTests,SeedTests swift test --traits Sync` builds and runs the test targets named, and no others.
if let names = Context.environment["SWIFTDATA_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// The landing check and the instruction guard, which share a build: the engine as clients ship it, and sync, whose random tests compute most.
if Context.environment["SWIFTDATA_OPTIMIZED"] != nil {
  for target in package.targets where ["SwiftData", "SwiftDataSync", "SyncCore", "SyncProtocol"].contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"])]
  }
}

// `make fuzz` and `make test-sanitized`, which share a build: what is fuzzed tells libFuzzer what it reached. The runner is in
// Sorted/Package.swift.
if Context.environment["SWIFTDATA_FUZZ"] != nil {
  let fuzzed = [
    "SwiftData", "SwiftDataAppleStore", "SwiftDataInspection", "SwiftDataSync", "SyncProtocol", "UntrustedInput",
  ]
  for target in package.targets where fuzzed.contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-sanitize-coverage=edge,inline-8bit-counters,trace-cmp"])]
  }
}

// `make test-macros`: the macros and their tests, alone. SwiftPM builds macros as tools, and a bundle of tests that imports
// them too, with all that it needs: this package a second time beside the products.
// The variable has the folder of the compiler's index. SwiftPM 6.3 fails to plan a bundle of macros' tests with an entry point of its
// own (Tests/XCTMain.swift), so this bundle's is made from the index, which needs to have this one target.
if let index = Context.environment["SWIFTDATA_MACRO_TESTS"] {
  // The bundle has the package's name, and must not replace the library's bundle.
  package.name = "open-swiftdata-macros"
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
      ],
      swiftSettings: [.unsafeFlags(["-index-store-path", index])]))
}
