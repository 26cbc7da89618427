import FirestoreProtocol

/// The decoded documents of recently queried collections, so that polling a collection does not read the store each
/// time. It contains only saved documents.
struct DocumentCache {
  typealias Documents = [String: FirestoreDocument]

  /// The maximum number of documents over all collections.
  private let capacity: Int
  /// The documents by key of the collection, then by key of the document.
  private var collections = [String: Documents]()
  /// The keys of the collections, most recently queried last.
  private var recent = [String]()

  init(capacity: Int = 50_000) { self.capacity = capacity }

  /// - Complexity: O(number of documents) if they have to be loaded, else O(number of collections).
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

  /// Records a saved document, or nil for a deleted one.
  mutating func note(_ name: DocumentName, _ document: FirestoreDocument?) {
    guard collections[name.parentKey] != nil else { return }
    collections[name.parentKey]?[name.key] = document
  }
}
