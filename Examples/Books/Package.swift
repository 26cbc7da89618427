// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Books",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In a package of your own, once 0.1.0 is tagged: .package(url: "https://github.com/open-swiftdata/open-swiftdata", from: "0.1.0")
    .package(name: "open-swiftdata", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "Books",
      dependencies: [
        .product(name: "SwiftData", package: "open-swiftdata")
      ]
    )
  ]
)
