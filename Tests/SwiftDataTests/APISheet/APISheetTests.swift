import ChildProcesses
import Foundation
import Testing

@Suite("The public names of Apple's SwiftData")
struct APISheetTests {
  /// The sheet lies beside the package, where a working copy has it at all.
  private static let sheet = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared/api/swiftdata-api.txt")

  private static var hasSheet: Bool { FileManager.default.fileExists(atPath: sheet.path) }

  @Test(
    "are all here, but for those that later issues bring",
    .enabled(if: hasSheet, "the sheet ../shared/api/swiftdata-api.txt is not part of the package")
  )
  func completeness() throws {
    let names = try Self.namesInSheet()
    let present = try SymbolGraph.publicNames(of: "SwiftData").union(SymbolGraph.publicNames(of: "SwiftDataQuery"))
    try #require(names.count > 300, "the sheet looks cut off: \(names.count) names")
    try #require(present.contains("ModelContext.save()"), "the symbol graph looks empty")
    let entries = LeftForLater.byIssue.flatMap(\.names)
    let missing = names.filter { name in
      !present.contains(name) && !entries.contains { LeftForLater.entry($0, covers: name) }
    }
    #expect(missing.isEmpty, "not in the module and not left for later:\n\(missing.joined(separator: "\n"))")
    let arrived = names.filter { name in
      present.contains(name) && entries.contains { LeftForLater.entry($0, covers: name) }
    }
    #expect(arrived.isEmpty, "in the module; take them off the list:\n\(arrived.joined(separator: "\n"))")
    let unknown = entries.filter { entry in !names.contains { LeftForLater.entry(entry, covers: $0) } }
    #expect(unknown.isEmpty, "on the list but not in the sheet:\n\(unknown.joined(separator: "\n"))")
  }

  @Test(
    "are the only ones at the module's top, but for Foundation's and the seeds'",
    .enabled(if: hasSheet, "the sheet ../shared/api/swiftdata-api.txt is not part of the package")
  )
  func topLevelNames() throws {
    let apples = Set(try Self.namesInSheet().map { String($0.prefix { $0 != "." && $0 != "(" }) })
    // Foundation's: its macros for models, and what it lacks on Linux.
    let foundations: Set = [
      "Predicate", "Expression", "UndoManager", "ValueTransformer", "NSValueTransformerName",
      "NSSecureUnarchiveFromDataTransformer",
    ]
    // The seeds' spelling of SchemaMigrationPlan, in files that import SwiftData alone.
    let seeds: Set = ["VersionedSchemaMigrationPlan"]
    // A macro cannot be nested in a type, nor can operators: they compare a context with the stand-in that a notification carries.
    let ours: Set = ["Composite", "===", "!=="]
    let names = try SymbolGraph.publicNames(of: "SwiftData").filter { !$0.contains(".") && !$0.hasPrefix("__") }
      .map { String($0.prefix { $0 != "(" }) }
    try #require(names.contains("ModelContext"), "the symbol graph looks empty")
    let others = Set(names).subtracting(apples).subtracting(foundations).subtracting(seeds).subtracting(ours)
    #expect(others.isEmpty, "move into a type or another module: \(others.sorted().joined(separator: ", "))")
    #expect(!names.contains("Query"), "Apple's is visible only where SwiftUI is imported too")
  }

  private static func namesInSheet() throws -> [String] {
    try String(contentsOf: sheet, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}

/// The public names of the built module, as the compiler tells them.
private enum SymbolGraph {
  private struct Graph: Decodable {
    struct Symbol: Decodable { let pathComponents: [String] }
    let symbols: [Symbol]
  }

  static func publicNames(of module: String) throws -> Set<String> {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("SymbolGraph-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try extract(module, into: folder)
    var names: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
      names.formUnion(graph.symbols.map { $0.pathComponents.joined(separator: ".") })
    }
    return names
  }

  private static func extract(_ module: String, into folder: URL) throws {
    let products = try productsFolder()
    let process = try ChildProcess(
      "swift",
      [
        "symbolgraph-extract", "-module-name", module, "-target", try target(), "-I",
        products.appendingPathComponent("Modules").path, "-output-dir", folder.path, "-minimum-access-level", "public",
        "-Xcc", "-fmodule-map-file=\(try moduleMap())",
      ], errors: .output)
    let text = process.text()
    try #require(process.wait() == .exit(0), "swift symbolgraph-extract failed:\n\(text)")
  }

  /// The folder that the test's executable was built into.
  private static func productsFolder() throws -> URL {
    let executable = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let folders = sequence(first: executable.deletingLastPathComponent()) { folder in
      folder.path == "/" ? nil : folder.deletingLastPathComponent()
    }
    return try #require(
      folders.first {
        FileManager.default.fileExists(atPath: $0.appendingPathComponent("Modules/SwiftData.swiftmodule").path)
      },
      "no Modules folder beside \(executable.path)"
    )
  }

  /// The C module of SQLite, which the module imports, is found by its map only.
  private static func moduleMap() throws -> String {
    let map = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../../Sources/CSwiftDataSQLite/module.modulemap"
    )
    .standardizedFileURL
    try #require(FileManager.default.fileExists(atPath: map.path))
    return map.path
  }

  private static func target() throws -> String {
    struct Info: Decodable {
      struct Target: Decodable { let triple: String }
      let target: Target
    }
    let text = try ChildProcess("swift", ["-print-target-info"]).text()
    return try JSONDecoder().decode(Info.self, from: Data(text.utf8)).target.triple
  }
}
