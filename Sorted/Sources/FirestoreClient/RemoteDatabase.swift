/// What the inbox needs of a remote database. Firestore has it; a test may have it in memory.
///
/// Names are full: `projects/…/databases/…/documents/…`. Everything throws ``FirestoreError``, and `CancellationError`
/// where the task is cancelled.
public protocol RemoteDatabase: Sendable {
  /// `projects/…/databases/…/documents`: what the names of all documents begin with.
  var root: String { get }

  /// The document of a name.
  /// - Throws: ``FirestoreError`` with status `notFound` where there is none.
  func document(_ name: String) async throws -> FirestoreDocument

  /// The documents of some names, in their order; nil where there is none.
  func documents(_ names: [String]) async throws -> [FirestoreDocument?]

  /// A page of a collection, ordered by name.
  /// - Parameters:
  ///   - parent: the name of the document above the collection, or ``root``.
  ///   - pageToken: ``FirestorePage/nextPageToken`` of the page before, nil for the first.
  func list(_ collection: String, of parent: String, pageSize: Int, pageToken: String?) async throws -> FirestorePage

  /// Makes all writes, or none.
  @discardableResult
  func commit(_ writes: [FirestoreWrite]) async throws -> FirestoreCommit

  /// The documents that a query finds below a parent, in its order.
  func run(_ query: FirestoreQuery, of parent: String) async throws -> [FirestoreDocument]
}

/// A page of a collection.
public struct FirestorePage: Hashable, Sendable, Codable {
  /// Ordered by name.
  public var documents: [FirestoreDocument]
  /// Nil on the last page.
  public var nextPageToken: String?

  /// Makes a page.
  public init(documents: [FirestoreDocument], nextPageToken: String?) {
    self.documents = documents
    self.nextPageToken = nextPageToken
  }

  /// Reads the JSON of the REST API, which leaves out what is empty.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    documents = try container.decodeIfPresent([FirestoreDocument].self, forKey: .documents) ?? []
    let token = try container.decodeIfPresent(String.self, forKey: .nextPageToken)
    nextPageToken = token?.isEmpty == true ? nil : token
  }
}
