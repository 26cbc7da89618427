import FirestoreProtocol
import Foundation
import SwiftData
import SwiftDataPostgres

/// The documents of the server. It runs one job at a time, so that a commit is visible completely or not at all.
@ModelActor
actor DocumentStore {
  /// The time of the last answer in microseconds since 1970. It never decreases, even if the clock does.
  private var lastTime: Int64 = 0
  private var cache = DocumentCache()
  private var transactions = TransactionTable()

  private static let schema = Schema([StoredDocument.self, StoredFile.self, StoredUpload.self])

  /// - Parameter url: nil keeps the documents in memory.
  static func container(_ url: URL?) throws -> ModelContainer {
    let configuration =
      url.map { ModelConfiguration("firestore", schema: schema, url: $0) }
      ?? ModelConfiguration("firestore", schema: schema, isStoredInMemoryOnly: true)
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  static func container(postgres url: String) throws -> ModelContainer {
    try ModelContainer(
      for: schema, configurations: PostgresConfiguration("firestore", url: url, namespace: "firestore"))
  }

  // MARK: - Reading

  /// The documents in the order of the names. A missing one is nil.
  func documents(
    _ names: [String], in transaction: String? = nil
  ) throws -> [(name: String, document: FirestoreDocument?)] {
    let names = try names.map { try DocumentName($0) }
    let found = try stored(names)
    if let transaction {
      try transactions.change(transaction) { entry in
        for name in names { entry.reads[name.key] = .some(found[name.key]?.updateTime) }
      }
    }
    return try names.map { ($0.full, try found[$0.key]?.document()) }
  }

  /// The read time of an answer.
  func now() throws -> FirestoreTimestamp { FirestoreTimestamp(microseconds: try nextTime()) }

  /// A page of a collection, ordered by name. The token is the key of the last document.
  func list(_ path: String, pageSize: Int, after token: String?) throws -> FirestorePage {
    let after = token ?? ""
    let parent = DocumentName.key(of: path)
    var descriptor = FetchDescriptor<StoredDocument>(
      predicate: #Predicate { $0.parent == parent && $0.key > after },
      sortBy: [SortDescriptor(\.key, comparator: .lexical)])
    descriptor.fetchLimit = pageSize + 1
    let found = try modelContext.fetch(descriptor)
    return FirestorePage(
      documents: try found.prefix(pageSize).map { try $0.document() },
      nextPageToken: found.count > pageSize ? found[pageSize - 1].key : nil)
  }

  /// The names of the collections directly below a document, or below the database's documents.
  /// - Complexity: reads the names of all documents below.
  func collections(below parent: String) throws -> [String] {
    let prefix = DocumentName.key(of: parent) + "/"
    let found = try modelContext.fetch(
      FetchDescriptor<StoredDocument>(predicate: #Predicate { $0.key.starts(with: prefix) }))
    let depth = parent.utf8.count { $0 == UInt8(ascii: "/") } + 1
    return Set(found.map { String($0.name.split(separator: "/")[depth]) }).sorted()
  }

  /// - Parameter parent: the name of a document, or of the database's documents.
  /// - Complexity: evaluates all documents of the collection, which are decoded once and cached, or of all collections
  ///   of that name, which are decoded each time.
  func run(
    _ query: FirestoreQuery, parent: String, in transaction: String? = nil
  ) throws -> [FirestoreDocument] {
    let found = try QueryRun(query).results(of: try candidates(query, parent))
    if let transaction {
      let seen = found.map { TransactionTable.SeenDocument(name: $0.name, updateTime: $0.updateTime) }
      try transactions.change(transaction) {
        $0.queries.append(.init(query: query, parent: parent, found: seen))
      }
    }
    return found
  }

  private func candidates(_ query: FirestoreQuery, _ parent: String) throws -> [FirestoreDocument] {
    guard let selector = query.from?.first, query.from?.count == 1 else {
      throw FirestoreError(.invalidArgument, "a query has to have one collection in \"from\"")
    }
    let prefix = DocumentName.key(of: parent) + "/"
    switch (selector.collectionId.map(DocumentName.key), selector.allDescendants == true) {
    case (let id?, false):
      let path = prefix + id
      let documents = try cache.documents(of: path) {
        let found = try modelContext.fetch(FetchDescriptor<StoredDocument>(predicate: #Predicate { $0.parent == path }))
        return Dictionary(uniqueKeysWithValues: try found.map { ($0.key, try $0.document()) })
      }
      return Array(documents.values)
    case (let id?, true):
      return try modelContext.fetch(
        FetchDescriptor<StoredDocument>(
          predicate: #Predicate { $0.collection == id && $0.key.starts(with: prefix) })
      ).map { try $0.document() }
    case (nil, true):
      return try modelContext.fetch(
        FetchDescriptor<StoredDocument>(predicate: #Predicate { $0.key.starts(with: prefix) })
      ).map { try $0.document() }
    case (nil, false):
      throw FirestoreError(.invalidArgument, "a query without a collection has to ask for all descendants")
    }
  }

  private func stored(_ names: [DocumentName]) throws -> [String: StoredDocument] {
    let keys = Array(Set(names.map(\.key)))
    let found = try modelContext.fetch(
      FetchDescriptor<StoredDocument>(predicate: #Predicate { keys.contains($0.key) }))
    return Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0) })
  }

  // MARK: - Transactions

  func begin(readOnly: Bool) throws -> String { transactions.begin(readOnly: readOnly, at: try nextTime()) }

  func rollback(_ transaction: String) throws { _ = try transactions.end(transaction) }

  private func verify(_ transaction: TransactionTable.Entry, writes: Bool) throws {
    if transaction.isReadOnly, writes {
      throw FirestoreError(.invalidArgument, "Cannot modify entities in a read-only transaction.")
    }
    let keys = Array(transaction.reads.keys)
    let found = try modelContext.fetch(
      FetchDescriptor<StoredDocument>(predicate: #Predicate { keys.contains($0.key) }))
    let times = Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.updateTime) })
    let isSame =
      try transaction.reads.allSatisfy { key, time in times[key] == time }
      && transaction.queries.allSatisfy { seen in
        let now = try QueryRun(seen.query).results(of: try candidates(seen.query, seen.parent))
        return now.map { .init(name: $0.name, updateTime: $0.updateTime) } == seen.found
      }
    guard isSame else {
      throw FirestoreError(.aborted, "What the transaction has read was changed by others. Begin it again.")
    }
  }

  // MARK: - Writing

  /// Performs all writes in order, or none.
  func commit(_ writes: [CommitWrite], in transaction: String? = nil) throws -> FirestoreCommit {
    if let transaction { try verify(try transactions.end(transaction), writes: !writes.isEmpty) }
    let time = try nextTime()
    do {
      var run = CommitRun(
        stored: try stored(try writes.map { try DocumentName($0.name) }), context: modelContext, time: time)
      let results = try writes.map { try run.apply($0) }
      try modelContext.save()
      for (name, document) in run.written { cache.note(name, document) }
      return FirestoreCommit(writeResults: results, commitTime: FirestoreTimestamp(microseconds: time))
    } catch {
      modelContext.rollback()
      throw error
    }
  }

  private func nextTime() throws -> Int64 {
    if lastTime == 0 {
      var newest = FetchDescriptor<StoredDocument>(sortBy: [SortDescriptor(\.updateTime, order: .reverse)])
      newest.fetchLimit = 1
      lastTime = try modelContext.fetch(newest).first?.updateTime ?? 0
    }
    lastTime = max(FirestoreTimestamp(Date()).microseconds, lastTime + 1)
    return lastTime
  }
}
