import FirestoreClient
import Foundation
import SwiftData

/// The documents of the server. One job at a time, so that a commit is seen whole or not at all.
@ModelActor
actor DocumentStore {
  /// Microseconds since 1970 of the last commit; a later one is never earlier, whatever the clock says.
  private var lastTime: Int64 = 0

  static func container(_ url: URL?) throws -> ModelContainer {
    let schema = Schema([StoredDocument.self])
    let configuration =
      url.map { ModelConfiguration("firestore", schema: schema, url: $0) }
      ?? ModelConfiguration("firestore", schema: schema, isStoredInMemoryOnly: true)
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  // MARK: - Reading

  func document(_ name: String) throws -> FirestoreDocument? {
    _ = try DocumentName(name)
    return try stored(name)?.document()
  }

  /// In the order of the names, with nil for what is not there.
  func documents(_ names: [String]) throws -> [(name: String, document: FirestoreDocument?)] {
    for name in names { _ = try DocumentName(name) }
    let found = try modelContext.fetch(
      FetchDescriptor<StoredDocument>(predicate: #Predicate { names.contains($0.name) }))
    let documents = Dictionary(uniqueKeysWithValues: try found.map { ($0.name, try $0.document()) })
    return names.map { ($0, documents[$0]) }
  }

  func now() -> FirestoreTimestamp { FirestoreTimestamp(microseconds: time()) }

  /// A page of a collection, ordered by name; the token is the name of the last document.
  func list(_ path: String, pageSize: Int, after token: String?) throws -> FirestorePage {
    let after = token ?? ""
    var descriptor = FetchDescriptor<StoredDocument>(
      predicate: #Predicate { $0.parent == path && $0.name > after },
      sortBy: [SortDescriptor(\.name, comparator: .lexical)])
    descriptor.fetchLimit = pageSize + 1
    let found = try modelContext.fetch(descriptor)
    let page = try found.prefix(pageSize).map { try $0.document() }
    return FirestorePage(documents: page, nextPageToken: found.count > pageSize ? page.last?.name : nil)
  }

  /// - Parameter parent: a document's name, or that of the database's documents.
  /// - Complexity: reads the whole collection, or all collections of the name.
  func run(_ query: FirestoreQuery, parent: String) throws -> [FirestoreDocument] {
    guard let selector = query.from?.first, query.from?.count == 1 else {
      throw FirestoreError(.invalidArgument, "a query has to have one collection in \"from\"")
    }
    let candidates: [StoredDocument]
    let prefix = parent + "/"
    switch (selector.collectionId, selector.allDescendants == true) {
    case (let id?, false):
      let path = prefix + id
      candidates = try modelContext.fetch(FetchDescriptor(predicate: #Predicate { $0.parent == path }))
    case (let id?, true):
      candidates = try modelContext.fetch(
        FetchDescriptor(predicate: #Predicate { $0.collection == id && $0.name.starts(with: prefix) }))
    case (nil, true):
      candidates = try modelContext.fetch(
        FetchDescriptor(predicate: #Predicate { $0.name.starts(with: prefix) }))
    case (nil, false):
      throw FirestoreError(.invalidArgument, "a query without a collection has to ask for all descendants")
    }
    return try QueryRun(query).results(of: candidates.map { try $0.document() })
  }

  // MARK: - Writing

  /// Makes all writes in order, or none.
  func commit(_ writes: [CommitWrite]) throws -> FirestoreCommit {
    let time = time()
    do {
      let results = try writes.map { try apply($0, time) }
      try modelContext.save()
      lastTime = time
      return FirestoreCommit(writeResults: results, commitTime: FirestoreTimestamp(microseconds: time))
    } catch {
      modelContext.rollback()
      throw error
    }
  }

  private func apply(_ write: CommitWrite, _ time: Int64) throws -> FirestoreCommit.Result {
    let name = try DocumentName(write.name)
    let stored = try stored(name.full)
    try check(write.currentDocument, stored, name.full)
    if write.delete != nil {
      if let stored { modelContext.delete(stored) }
      return .init(updateTime: nil)
    }
    let old = try stored?.document()
    let changed = try DocumentChange(write, old: old?.fields ?? [:], time: FirestoreTimestamp(microseconds: time))
    if let stored, changed.fields == old?.fields {
      // What changes nothing leaves the time of the last change.
      return .init(
        updateTime: FirestoreTimestamp(microseconds: stored.updateTime), transformResults: changed.transformResults)
    }
    let data = try JSONEncoder().encode(changed.fields)
    if let stored {
      stored.fields = data
      stored.updateTime = time
    } else {
      modelContext.insert(StoredDocument(name: name, fields: data, time: time))
    }
    return .init(updateTime: FirestoreTimestamp(microseconds: time), transformResults: changed.transformResults)
  }

  private func check(_ condition: FirestorePrecondition?, _ stored: StoredDocument?, _ name: String) throws {
    switch condition {
    case .exists(true) where stored == nil, .updateTime where stored == nil:
      throw FirestoreError(.notFound, "No document to update: \(name)")
    case .exists(false) where stored != nil:
      throw FirestoreError(.alreadyExists, "Document already exists: \(name)")
    case .updateTime(let time) where time.microseconds != stored?.updateTime:
      throw FirestoreError(
        .failedPrecondition,
        "the stored version (\(stored?.updateTime ?? 0)) does not match the required base version (\(time.microseconds))"
      )
    default: break
    }
  }

  private func stored(_ name: String) throws -> StoredDocument? {
    try modelContext.fetch(FetchDescriptor<StoredDocument>(predicate: #Predicate { $0.name == name })).first
  }

  private func time() -> Int64 {
    if lastTime == 0 { lastTime = (try? newestTime()) ?? 0 }
    return max(FirestoreTimestamp(Date()).microseconds, lastTime + 1)
  }

  private func newestTime() throws -> Int64? {
    var newest = FetchDescriptor<StoredDocument>(sortBy: [SortDescriptor(\.updateTime, order: .reverse)])
    newest.fetchLimit = 1
    return try modelContext.fetch(newest).first?.updateTime
  }
}
