import FirestoreClient

/// The documents of the collections that were queried last, decoded: who polls a collection does not have it read from
/// the store each time. It holds what is saved, and nothing else.
struct DocumentCache {
  typealias Documents = [String: FirestoreDocument]

  /// Over all collections.
  private let capacity: Int
  /// By the key of the collection, then by that of the document.
  private var collections = [String: Documents]()
  /// The keys of the collections, the one that was queried last at the end.
  private var recent = [String]()

  init(capacity: Int = 50_000) { self.capacity = capacity }

  /// - Complexity: O(number of documents) where they have to be loaded, O(number of collections) otherwise.
  mutating func documents(of collection: String, load: () throws -> Documents) rethrows -> Documents {
    recent.removeAll { $0 == collection }
    recent.append(collection)
    if let known = collections[collection] { return known }
    let loaded = try load()
    collections[collection] = loaded
    var count = collections.values.reduce(0) { $0 + $1.count }
    while count > capacity, let oldest = recent.first {
      recent.removeFirst()
      count -= collections.removeValue(forKey: oldest)?.count ?? 0
    }
    return loaded
  }

  /// Notes what a save has written; nil for a document that is gone.
  mutating func note(_ name: DocumentName, _ document: FirestoreDocument?) {
    guard collections[name.parentKey] != nil else { return }
    collections[name.parentKey]?[name.key] = document
  }
}
