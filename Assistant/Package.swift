// swift-tools-version: 6.1
import PackageDescription

// The assistant of Sorted: models that sort messages, and their trainer. It has no dependencies, so that `make train` builds it in
// seconds. The models are optimised in debug builds too, where a pass over the features of a message costs 30 times as much otherwise.
let package = Package(
  name: "Assistant",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "AssistModel", targets: ["AssistModel"]),
    .library(name: "AssistFixtures", targets: ["AssistFixtures"]),
  ],
  targets: [
    .target(name: "AssistKernels", cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]),
    .target(
      name: "AssistModel", dependencies: ["AssistKernels"], resources: [.copy("Weights")],
      swiftSettings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .executableTarget(name: "AssistTrainer", dependencies: ["AssistModel"]),
    // The training data and a small sentence model, for the tests of this package and of Sorted.
    .target(name: "AssistFixtures", dependencies: ["AssistModel"], path: "Tests/AssistFixtures"),
    .testTarget(name: "AssistModelTests", dependencies: ["AssistFixtures", "AssistKernels", "AssistModel"]),
  ]
)
