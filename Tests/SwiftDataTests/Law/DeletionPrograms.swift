import Foundation
import SwiftData
import SwiftDataPostgres

/// The databases that the tests of deletions run on.
enum DeletionDatabase: CaseIterable {
  case file, server, partitions

  static let postgresURL = ProcessInfo.processInfo.environment["POSTGRES_URL"]
  static let available = postgresURL == nil ? [file] : allCases
}

/// Two programs with one store: what the one saves reaches the other through the store alone.
final class DeletionPrograms {
  @Model final class Claim {
    var number = 0
    /// Needs an item, and nothing leads back.
    var item: Law.Item
    init(_ item: Law.Item) { self.item = item }
  }

  let container: ModelContainer
  let elsewhere: ModelContainer
  private let store: TemporaryStore

  init(_ database: DeletionDatabase) throws {
    let schema = Schema([Law.Hub.self, Law.Node.self, Claim.self])
    store = try TemporaryStore()
    if database == .file {
      container = try store.container(Law.Hub.self, Law.Node.self, Claim.self)
      elsewhere = try store.container(Law.Hub.self, Law.Node.self, Claim.self)
      return
    }
    var configuration = PostgresConfiguration(
      url: DeletionDatabase.postgresURL ?? "", namespace: "deletion_" + UUID().uuidString.lowercased(),
      pool: PostgresPoolOptions(size: 2))
    if database == .partitions {
      configuration.partitions = [
        .hashed(by: \Law.Hub.tag, count: 3), .hashed(by: \Law.Node.tag, count: 3), .hashed(by: \Law.Lock.tag, count: 2),
      ]
    }
    container = try ModelContainer(for: schema, configurations: configuration)
    elsewhere = try ModelContainer(for: schema, configurations: configuration)
  }

  deinit { if DeletionDatabase.postgresURL != nil { try? container.erase() } }

  /// A save of the other program.
  func other(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(elsewhere)
    try body(context)
    try context.save()
  }

  func tags<M: LawObject>(_ type: M.Type) throws -> [Int] {
    try ModelContext(elsewhere).fetch(FetchDescriptor<M>()).map(\.tag).sorted()
  }

  /// The changes of the newest transaction: the class of each deletion, and the class and the properties of each update.
  func newestChanges() throws -> [String] {
    let changes =
      try ModelContext(elsewhere).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes ?? []
    return changes.map { change in
      let name = change.changedPersistentIdentifier.entityName
      func names<M: LawObject>(_: M.Type, _ update: any HistoryUpdate) -> [String]? {
        (update as? DefaultHistoryUpdate<M>)?.updatedPropertyNames
      }
      switch change {
      case .insert: return "+\(name)"
      case .delete: return "-\(name)"
      case .update(let update):
        let found = LawKind.allCases.lazy.compactMap { names($0.type, update) }.first ?? []
        return "~\(name) \(found.sorted().joined(separator: " "))"
      }
    }.sorted()
  }
}

extension ModelContext {
  /// The object with a tag.
  func tagged<M: LawObject>(_ tag: Int, _ type: M.Type = M.self) throws -> M? {
    try fetch(FetchDescriptor<M>()).first { $0.tag == tag }
  }
}
