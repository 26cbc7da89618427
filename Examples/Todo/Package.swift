// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Todo",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In a package of your own, once 0.1.0 is tagged: .package(url: "https://github.com/open-swiftdata/open-swiftdata", from: "0.1.0")
    .package(name: "open-swiftdata", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "Todo",
      dependencies: [
        .product(name: "SwiftData", package: "open-swiftdata"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    )
  ]
)
