// swift-tools-version: 6.1
import PackageDescription

// A client of Firestore and of Firebase Storage, and a local server of both that keeps its documents in a SwiftData store.
let package = Package(
  name: "Firestore",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "FirestoreClient", targets: ["FirestoreClient"]),
    .library(name: "FirestoreProtocol", targets: ["FirestoreProtocol"]),
    .library(name: "FirestoreServer", targets: ["FirestoreServer"]),
  ],
  dependencies: [
    .package(name: "open-swiftdata", path: ".."),
    // How servers end their connections.
    .package(path: "../Tools"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
  ],
  targets: [
    // Values, requests and errors of both, and the protocols that a client conforms to. It needs no network.
    .target(
      name: "FirestoreProtocol",
      dependencies: [.product(name: "UntrustedInput", package: "open-swiftdata")]),
    .target(
      name: "FirestoreClient",
      dependencies: [
        "FirestoreProtocol",
        .product(name: "UntrustedInput", package: "open-swiftdata"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]
    ),
    .target(
      name: "FirestoreServer",
      dependencies: [
        "FirestoreProtocol",
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "SwiftDataPostgres", package: "open-swiftdata"),
        .product(name: "UntrustedInput", package: "open-swiftdata"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPServing", package: "Tools"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "FirestoreTests",
      dependencies: [
        "FirestoreClient", "FirestoreProtocol", "FirestoreServer",
        .product(name: "HTTPServing", package: "Tools"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
  ]
)

// `make fuzz`: what the fuzzer sends requests to tells it what it reached. The runner is in ../Sorted/Package.swift.
if Context.environment["SWIFTDATA_FUZZ"] != nil {
  for target in package.targets where !target.isTest {
    target.swiftSettings = [.unsafeFlags(["-sanitize-coverage=edge,inline-8bit-counters,trace-cmp"])]
  }
}
