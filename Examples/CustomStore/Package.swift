// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "CustomStore",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In a package of your own, once 0.1.0 is tagged: .package(url: "https://github.com/open-swiftdata/open-swiftdata", from: "0.1.0")
    .package(name: "open-swiftdata", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "CustomStore",
      dependencies: [
        .product(name: "SwiftData", package: "open-swiftdata")
      ]
    )
  ]
)
