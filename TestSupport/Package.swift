// swift-tools-version: 6.1
import PackageDescription

// What tests of several packages of this repository need. The library's own tests have the same targets in ../Package.swift, because
// a package that depends on another by path cannot be a dependency by URL.
let package = Package(
  name: "TestSupport",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "BlockingTests", targets: ["BlockingTests"]),
    .library(name: "ChildProcesses", targets: ["ChildProcesses"]),
    .library(name: "FaultyFiles", targets: ["FaultyFiles"]),
    .library(name: "PostgresServers", targets: ["PostgresServers"]),
  ],
  targets: [
    // How tests wait for processes.
    .target(name: "BlockingTests", dependencies: ["ChildProcesses"]),
    // How tests start processes.
    .target(name: "ChildProcesses", dependencies: ["SpawnedProcesses"]),
    .target(name: "SpawnedProcesses"),
    // File operations that fail.
    .target(name: "FaultyFiles"),
    // Servers for one test.
    .target(name: "PostgresServers", dependencies: ["ChildProcesses"]),
  ]
)
