import BenchKit
import CBenchRows
import Foundation
import SwiftData

/// The models of a store of messages after a migration that adds a property.
enum GrowthAfterMigration {
  @Model final class Message {
    #Index<Message>([\.conversationID, \.createdAt])

    @Attribute(.unique) var id: String
    var conversationID: String
    var senderID: String
    var text: String
    var createdAt: Date
    var updatedAt: Date
    var status: Status
    var syncStatus: SyncStatus
    var retryCount: Int
    var category: String?
    var categoryConfidence: Double?
    var unreadFlag: Bool
    var stars = 3

    init(id: String, conversationID: String, senderID: String, text: String, createdAt: Date, status: Status) {
      (self.id, self.conversationID, self.senderID, self.text) = (id, conversationID, senderID, text)
      (self.createdAt, updatedAt, self.status) = (createdAt, createdAt, status)
      (syncStatus, retryCount, unreadFlag) = (.pending, 0, false)
    }
  }
}

/// Operations on stored objects whose cost should not depend on what else is in the store.
struct GrowthStores {
  let rows: Int
  let folder: String

  /// Larger stores of history and larger lists take minutes to make.
  static let most = 1_000_000

  static let measures = [
    ("save", "µs to insert and save one row"), ("substring", "µs a row, counted by a substring"),
    ("words", "µs for the best 20 hits of a word"), ("migrate", "ms to open with one property more"),
    ("history save", "µs a save with a transaction a row"), ("history read", "µs for the newest 20 transactions"),
    ("history delete", "µs a transaction, the older half"), ("history memory", "MiB at the peak of these"),
    ("child append", "ms to append to a stored list and save"), ("child remove", "ms to remove from it and save"),
    ("child count", "µs to count by a predicate"), ("child page", "µs for 20 by a predicate, in order"),
    ("children", "µs a child, all of them read by the list"),
  ]

  func measure(_ part: String) throws -> [String: Double] {
    switch part {
    case "messages": try messages()
    case "words": try words()
    case "migrate": try migrate()
    case "history": rows > Self.most ? [:] : try history()
    case "children": rows > Self.most ? [:] : try children()
    default: throw Failure("there is no measure \(part)")
    }
  }

  private func microseconds(_ count: Int = 1, _ body: () throws -> Void) rethrows -> Double {
    let start = bench_now_ns()
    try body()
    return Double(bench_now_ns() - start) / 1000 / Double(count)
  }

  private func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  /// Saves and searches in the store of the import, and leaves its rows as they were.
  private func messages() throws -> [String: Double] {
    let context = try SwiftDataPeer(path: "\(folder)/growth.store", trace: false).context
    let added = (0..<1000).map { Message(makeRow(rows + $0)) }
    var costs = [String: Double]()
    costs["save"] = try microseconds(added.count) {
      for message in added {
        context.insert(message)
        try context.save()
      }
    }
    for message in added { context.delete(message) }
    try context.save()
    costs["substring"] = try microseconds(rows) {
      _ = try context.fetchCount(FetchDescriptor<Message>(predicate: #Predicate { $0.text.contains("zzqj") }))
    }
    return costs
  }

  private func words() throws -> [String: Double] {
    let path = "\(folder)/growth-words.store"
    remove(path)
    do {
      let peer = try IndexedSwiftDataPeer(path: path, trace: false)
      for from in stride(from: 0, to: rows, by: 10_000) {
        try peer.insert(RowSource(from: from, count: 10_000, prepared: false))
      }
    }
    defer { remove(path) }
    let context = try IndexedSwiftDataPeer(path: path, trace: false).context
    let word = Self.rareWord(of: makeRow(rows / 2).text)
    _ = try context.search(IndexedMessage.self, matching: word, limit: 20)
    return [
      "words": try microseconds(10) {
        for _ in 0..<10 { _ = try context.search(IndexedMessage.self, matching: word, limit: 20) }
      }
    ]
  }

  /// The longest word of a text.
  private static func rareWord(of text: String) -> String {
    text.split(whereSeparator: { !$0.isLetter }).map(String.init).max { $0.count < $1.count } ?? "word"
  }

  private func migrate() throws -> [String: Double] {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: "\(folder)/growth.store"))
    let schema = Schema([GrowthAfterMigration.Message.self, Conversation.self, LinkedMessage.self])
    var count = 0
    let cost = try microseconds {
      let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
      var descriptor = FetchDescriptor<GrowthAfterMigration.Message>(predicate: #Predicate { $0.stars == 3 })
      descriptor.fetchLimit = 20
      count = try context.fetch(descriptor).count
    }
    guard count == 20 else { throw Failure("the added property has its default in \(count) of 20 rows") }
    return ["migrate": cost / 1000]
  }

  private func history() throws -> [String: Double] {
    let path = "\(folder)/growth-history.store"
    remove(path)
    defer { remove(path) }
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
    let context = ModelContext(try ModelContainer(for: Mark.self, Branch.self, configurations: configuration))
    let mark = Mark(0)
    context.insert(mark)
    func save(_ count: Int) throws {
      for _ in 0..<count {
        mark.number += 1
        try context.save()
      }
    }
    try save(rows / 2)
    guard let middle = try newest(1, in: context).first?.token else { throw Failure("no history") }
    try save(rows - rows / 2)
    var costs = ["history save": try microseconds(2000) { try save(2000) }]
    costs["history read"] = try microseconds(10) { for _ in 0..<10 { _ = try newest(20, in: context) } }
    costs["history delete"] = try microseconds(rows / 2) {
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= middle }))
    }
    costs["history memory"] = Double(bench_peak_rss_kib()) / 1024
    return costs
  }

  private func newest(_ count: UInt64, in context: ModelContext) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    descriptor.fetchLimit = count
    return try context.fetchHistory(descriptor)
  }

  /// One parent with `rows` children. Each measure has a context of its own, so that the list is not loaded.
  private func children() throws -> [String: Double] {
    let path = "\(folder)/growth-children.store"
    remove(path)
    defer { remove(path) }
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
    let container = try ModelContainer(for: Branch.self, Mark.self, configurations: configuration)
    for from in stride(from: 0, to: rows, by: 10_000) {
      let context = ModelContext(container)
      let parent = try context.fetch(FetchDescriptor<Branch>()).first ?? Branch(name: "a")
      context.insert(parent)
      for number in from..<from + 10_000 { Leaf(number).branch = parent }
      try context.save()
    }
    var costs = [String: Double]()
    func measured(_ name: String, _ scale: Double = 1, _ body: (ModelContext, Branch) throws -> Void) throws {
      let context = ModelContext(container)
      guard let parent = try context.fetch(FetchDescriptor<Branch>()).first else { throw Failure("no parent") }
      costs[name] = try microseconds { try body(context, parent) } / scale
    }
    try measured("child append", 1000) { context, parent in
      parent.leaves.append(Leaf(rows))
      try context.save()
    }
    try measured("child remove", 1000) { context, parent in
      parent.leaves.remove(at: rows / 2)
      try context.save()
    }
    try measured("child count") { context, parent in
      let id = parent.persistentModelID
      let all = FetchDescriptor<Leaf>(predicate: #Predicate { $0.branch?.persistentModelID == id })
      guard try context.fetchCount(all) == rows else { throw Failure("the count is wrong") }
    }
    try measured("child page") { context, parent in
      let id = parent.persistentModelID
      var page = FetchDescriptor<Leaf>(predicate: #Predicate { $0.branch?.persistentModelID == id })
      page.fetchLimit = 20
      guard try context.fetch(page).count == 20 else { throw Failure("the page is short") }
    }
    try measured("children", Double(rows)) { _, parent in
      guard parent.leaves.reduce(0, { $0 + min(1, $1.number + 1) }) == rows else { throw Failure("the list is wrong") }
    }
    return costs
  }
}
