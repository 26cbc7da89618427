import AppleStoreTemplates
import BlockingTests
import ChildProcesses
import Foundation
import SwiftData
import SwiftDataAppleStore
import SwiftDataInspection
import Testing

/// What `swiftdata models` prints for each file is compiled to a library. Each library is loaded, and its classes open the file
/// and the import of the file.
@Suite("The classes that `swiftdata models` prints", .blocking, .serialized) struct PrintedModelsTests {
  private static let packs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/data/apple-stores")

  /// The real stores, where they are, and how many objects each class has.
  private static func realStores() -> [(file: URL, counts: [String: Int])] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: packs.path)) ?? []
    return names.sorted().flatMap { pack -> [(URL, [String: Int])] in
      let folder = packs.appendingPathComponent(pack)
      guard let data = try? Data(contentsOf: folder.appendingPathComponent("expected.json")),
        let stores = (try? JSONSerialization.jsonObject(with: data)) as? [String: [String: Any]]
      else { return [] }
      return stores.sorted { $0.key < $1.key }.map { name, store in
        let entities = store["entities"] as? [String: [String: Any]] ?? [:]
        let counts = store["counts"] as? [String: Int] ?? entities.mapValues { $0["countWithSubentities"] as? Int ?? 0 }
        return (folder.appendingPathComponent(name), counts)
      }
    }
  }

  @Test("compile, open the file and its import, and count the same objects")
  func printedModels() throws {
    let odd = try Music.folder().appendingPathComponent("odd.store")
    try OddStore.make(at: odd)
    var stores = [
      (file: try Music.store(), counts: ["Album": 1, "Track": 3]), (file: odd, counts: OddStore.counts),
    ]
    let real = Self.realStores()
    if real.isEmpty {
      print("skipped: the real stores are not at \(Self.packs.path), which are no part of the repository")
    }
    stores += real
    let folder = try Music.folder()
    var sources = [String]()
    var names = [[String]]()
    for (index, store) in stores.enumerated() {
      let opened = try InspectedStore(store.file.path)
      let source = folder.appendingPathComponent("Store\(index).swift")
      try Self.nested(try opened.source(), in: "Store\(index)").write(to: source, atomically: true, encoding: .utf8)
      sources.append(source.path)
      names.append(opened.classNames)
    }
    let library = try Self.compile(sources, names, in: folder)
    for (index, store) in stores.enumerated() {
      do {
        try Self.check(try Self.types(index, of: library), store.file, store.counts, folder, index)
      } catch {
        Issue.record("\(store.file.path): \(error)")
      }
    }
  }

  private static func check(
    _ types: [any PersistentModel.Type], _ file: URL, _ counts: [String: Int], _ folder: URL, _ index: Int
  ) throws {
    let copy = folder.appendingPathComponent("copy\(index).store")
    _ = try InspectedStore(file.path).copy(into: copy)
    let apple = try ModelContainer(for: Schema(types), configurations: [AppleStoreConfiguration(url: file)])
    let own = try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: copy)])
    #expect(own.migrations.allSatisfy { $0.steps.allSatisfy(\.changes.isEmpty) }, "\(file.path): \(own.migrations)")
    for type in types {
      let name = "\(type)".split(separator: ".").last.map(String.init) ?? ""
      try #expect(count(type, apple) == counts[name], "\(file.path) \(name)")
      try #expect(count(type, own) == counts[name], "\(file.path) \(name), imported")
    }
  }

  /// Fetches all objects, and reads each relationship.
  private static func count<M: PersistentModel>(_ type: M.Type, _ container: ModelContainer) throws -> Int {
    try ModelContext(container).fetch(FetchDescriptor<M>()).count
  }

  /// The declarations within an enum, so that those of several stores can have one name.
  private static func nested(_ source: String, in name: String) -> String {
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let imports = lines.filter { $0.hasPrefix("import ") }
    let body = lines.filter { !$0.hasPrefix("import ") }
    let all: [String] = imports.map(String.init) + ["public enum \(name) {"] + body.map(String.init) + ["}"]
    return all.joined(separator: "\n")
  }

  // MARK: - Compiling

  private static func compile(_ sources: [String], _ names: [[String]], in folder: URL) throws
    -> UnsafeMutableRawPointer
  {
    let cases: [String] = names.enumerated().map { index, names in
      let types: [String] = names.map { "Store\(index).\($0).self" }
      let list: String = types.joined(separator: ", ")
      return "case \(index): [\(list)]"
    }
    let entry: String = cases.joined(separator: "\n")
    let main = """
      import SwiftData
      @_cdecl("printed_models") public func printedModels(_ index: Int, _ result: UnsafeMutableRawPointer) {
        let types: [any PersistentModel.Type] = switch index {
        \(entry)
        default: []
        }
        result.assumingMemoryBound(to: [any PersistentModel.Type].self).pointee = types
      }
      """
    let file = folder.appendingPathComponent("Entry.swift")
    try main.write(to: file, atomically: true, encoding: .utf8)
    let build = Command.folder
    let library = folder.appendingPathComponent("libPrinted.so")
    var arguments = [
      "-swift-version", "6", "-Onone", "-emit-library", "-o", library.path, "-module-name", "Printed",
    ]
    arguments += ["-I", build.appendingPathComponent("Modules").path]
    let plugin = build.appendingPathComponent("SwiftDataMacros-tool").path
    arguments += ["-load-plugin-executable", "\(plugin)#SwiftDataMacros"]
    for map in moduleMaps(build) { arguments += ["-Xcc", "-fmodule-map-file=\(map)"] }
    let compiler = try ChildProcess("swiftc", arguments + sources + [file.path], errors: .output)
    let text = compiler.text()
    #expect(compiler.wait() == .exit(0), "\(text.suffix(8000))")
    return try #require(dlopen(library.path, RTLD_NOW), "\(String(cString: dlerror()))")
  }

  /// The maps of the C modules that the built modules import.
  private static func moduleMaps(_ build: URL) -> [String] {
    let manager = FileManager.default
    let checkouts = build.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("checkouts")
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let packages = (try? manager.contentsOfDirectory(atPath: checkouts.path)) ?? []
    var folders = (try? manager.contentsOfDirectory(atPath: build.path))?.map { build.appendingPathComponent($0) } ?? []
    for package in [root] + packages.map({ checkouts.appendingPathComponent($0) }) {
      let sources = package.appendingPathComponent("Sources")
      for module in (try? manager.contentsOfDirectory(atPath: sources.path)) ?? [] {
        folders.append(sources.appendingPathComponent(module))
        folders.append(sources.appendingPathComponent(module).appendingPathComponent("include"))
      }
    }
    return folders.map { $0.appendingPathComponent("module.modulemap").path }.filter(manager.fileExists)
  }

  private static func types(_ index: Int, of library: UnsafeMutableRawPointer) throws -> [any PersistentModel.Type] {
    typealias Entry = @convention(c) (Int, UnsafeMutableRawPointer) -> Void
    let symbol = try #require(dlsym(library, "printed_models"))
    var types: [any PersistentModel.Type] = []
    withUnsafeMutablePointer(to: &types) { unsafeBitCast(symbol, to: Entry.self)(index, UnsafeMutableRawPointer($0)) }
    return types
  }
}
