import AppleStoreTemplates
import ArgumentParser
import BenchKit
import CBenchRows
import Foundation
import GRDB
import SwiftData
import SwiftDataAppleStore
import SwiftDataInspection

/// Measures a store in the format of Apple's frameworks, compared with our own store with the same objects.
struct AppleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apple", abstract: "Measures opening, fetching and importing a store of Apple's frameworks.")

  @Option(help: "The folder of the stores.") var data = NSTemporaryDirectory() + "open-swiftdata-bench"
  @Option(help: "The number of objects, a multiple of 10,000.") var rows = 1_000_000
  @Option(help: "How often each step is measured; the best counts.") var runs = 3

  private var apple: URL { URL(fileURLWithPath: "\(data)/apple-\(rows).store") }
  private var own: URL { URL(fileURLWithPath: "\(data)/apple-\(rows)-own.store") }
  private var copy: URL { URL(fileURLWithPath: "\(data)/apple-copy.store") }

  func run() throws {
    guard rows >= 10_000, rows.isMultiple(of: 10_000), runs > 0 else {
      throw ValidationError("--rows takes a multiple of 10,000, and --runs at least 1")
    }
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    if !FileManager.default.fileExists(atPath: apple.path) { try fill() }
    if !FileManager.default.fileExists(atPath: own.path) { _ = try InspectedStore(apple.path).copy(into: own) }
    let before = bench_peak_rss_kib()
    let imported = try best { try importStore() }
    let memory = bench_peak_rss_kib() - before
    let copied = try best { try copyOwn() }
    remove(copy)
    let opened = try best { _ = try container(AppleStoreConfiguration(url: apple)) }
    let openedOwn = try best { _ = try container(ModelConfiguration(url: own)) }
    let fetched = try best { try fetch(try container(AppleStoreConfiguration(url: apple))) }
    let fetchedOwn = try best { try fetch(try container(ModelConfiguration(url: own))) }
    print("| \(rows) objects | Apple's format, ms | our store, ms | ratio | goal |\n| --- | ---: | ---: | ---: | --- |")
    print(line("open", opened, openedOwn, "20 ms"))
    print(line("fetch all", fetched, fetchedOwn, "1.5"))
    print(line("import, compared with a copy of our store", imported, copied, "1.3"))
    print("\nThe import raised the peak of the memory by \(memory) KiB.")
  }

  private func line(_ step: String, _ time: Double, _ own: Double, _ goal: String) -> String {
    String(format: "| %@ | %.1f | %.1f | %.2f | %@ |", step, time, own, time / own, goal)
  }

  /// The shortest time in milliseconds.
  private func best(_ body: () throws -> Void) throws -> Double {
    try (0..<runs).map { _ in
      let start = bench_now_ns()
      try body()
      return Double(bench_now_ns() - start) / 1e6
    }.min() ?? 0
  }

  // MARK: - Steps

  private func container(_ configuration: any DataStoreConfiguration) throws -> ModelContainer {
    try ModelContainer(for: Schema([Message.self]), configurations: [configuration])
  }

  private func fill() throws {
    try AppleStoreTemplate(for: [Message.self]).make(at: apple)
    let container = try container(AppleStoreConfiguration(url: apple, allowsSave: true))
    for start in stride(from: 0, to: rows, by: 10_000) {
      let context = ModelContext(container)
      for number in start..<start + 10_000 { context.insert(Message(makeRow(number))) }
      try context.save()
    }
  }

  private func fetch(_ container: ModelContainer) throws {
    let sum = try ModelContext(container).fetch(FetchDescriptor<Message>()).reduce(0) { $0 &+ $1.touched }
    guard sum != 0 else { throw ValidationError("the store has no objects") }
  }

  private func importStore() throws {
    remove(copy)
    let report = try InspectedStore(apple.path).copy(into: copy)
    guard report.tables.first?.rows == rows else { throw ValidationError("the import has another number of objects") }
  }

  /// Copies the table of our own store into a new store by one statement, which is the least that any import does.
  private func copyOwn() throws {
    remove(copy)
    do { _ = try container(ModelConfiguration(url: copy)) }
    let queue = try DatabaseQueue(path: copy.path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "ATTACH DATABASE ? AS source", arguments: [own.path])
      let names = try database.columns(in: "Message").map { "\"\($0.name)\"" }.joined(separator: ", ")
      try database.inTransaction {
        try database.execute(
          sql: "INSERT INTO main.Message (\(names)) SELECT \(names) FROM source.Message ORDER BY _pk")
        return .commit
      }
      try database.execute(sql: "DETACH DATABASE source")
    }
    try queue.close()
  }

  private func remove(_ store: URL) {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
  }
}
