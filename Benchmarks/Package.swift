// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The trait of this repository's other packages, so that the instruction guard shares their build.
    .package(name: "open-swiftdata", path: "..", traits: ["Sync"]),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(name: "CBenchRows"),
    .target(name: "CRaw", dependencies: ["CBenchRows"], linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(
      name: "LibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "CRawPostgres", dependencies: ["CBenchRows", "LibPQ"], linkerSettings: [.linkedLibrary("pq")]),
    .target(name: "BenchKit", dependencies: ["CBenchRows"]),
    .executableTarget(
      name: "bench",
      dependencies: [
        "BenchKit", "CBenchRows", "CRaw", "CRawPostgres",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "SwiftDataPostgres", package: "open-swiftdata"),
        .product(name: "SwiftDataPostgresShards", package: "open-swiftdata"),
        .product(name: "AppleStoreTemplates", package: "open-swiftdata"),
        .product(name: "SwiftDataAppleStore", package: "open-swiftdata"),
        .product(name: "SwiftDataInspection", package: "open-swiftdata"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
  ]
)

// The instruction guard (guard/guard), whose engine is optimised too. SwiftPM's debug builds link one object for each file, which the compiler
// writes in this mode only if it has several threads.
if Context.environment["SWIFTDATA_OPTIMIZED"] != nil {
  for target in package.targets where ["BenchKit", "bench"].contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"])]
  }
}
