// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "RestService",
  platforms: [.macOS(.v15)],
  // Benchmarks/rest serves the same routes.
  products: [.library(name: "RestService", targets: ["RestService"])],
  dependencies: [
    .package(name: "open-swiftdata", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  ],
  targets: [
    .target(
      name: "RestService",
      dependencies: [
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "SwiftDataPostgres", package: "open-swiftdata"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    ),
    .executableTarget(name: "Serve", dependencies: ["RestService"]),
    .testTarget(
      name: "RestServiceTests",
      dependencies: ["RestService", .product(name: "HummingbirdTesting", package: "hummingbird")]),
  ]
)
