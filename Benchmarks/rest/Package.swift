// swift-tools-version: 6.1
import PackageDescription

// The example RestService next to the same service on SQLite's C interface. `measure` runs both.
let package = Package(
  name: "RestBenchmark",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "open-swiftdata", path: "../.."),
    .package(name: "RestService", path: "../../Examples/RestService"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .executableTarget(
      name: "RestServer",
      dependencies: [
        "CSQLite",
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "RestService", package: "RestService"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
  ]
)
