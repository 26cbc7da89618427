/// The operations of a remote database that the inbox needs. `FirestoreClient` conforms; tests may use memory.
///
/// Names are full: `projects/…/databases/…/documents/…`. Every function throws ``FirestoreError``, and
/// `CancellationError` if the task is cancelled.
public protocol RemoteDatabase: Sendable {
  /// The prefix of all document names: `projects/…/databases/…/documents`.
  var root: String { get }

  /// Reads a document.
  /// - Throws: ``FirestoreError`` with status `notFound` if it does not exist.
  func document(_ name: String) async throws -> FirestoreDocument

  /// Reads several documents, in the order of the names. A missing one is nil.
  func documents(_ names: [String]) async throws -> [FirestoreDocument?]

  /// Reads a page of a collection, ordered by name.
  /// - Parameters:
  ///   - parent: the name of the document above the collection, or ``root``.
  ///   - pageToken: the ``FirestorePage/nextPageToken`` of the previous page, or nil for the first.
  func list(_ collection: String, of parent: String, pageSize: Int, pageToken: String?) async throws -> FirestorePage

  /// Performs all writes, or none.
  @discardableResult
  func commit(_ writes: [FirestoreWrite]) async throws -> FirestoreCommit

  /// Runs a query below a parent. Returns the documents in the query's order.
  func run(_ query: FirestoreQuery, of parent: String) async throws -> [FirestoreDocument]
}

/// A page of a collection.
public struct FirestorePage: Hashable, Sendable, Codable {
  /// The documents, ordered by name.
  public var documents: [FirestoreDocument]
  /// The token of the next page, or nil on the last page.
  public var nextPageToken: String?

  /// Makes a page.
  public init(documents: [FirestoreDocument], nextPageToken: String?) {
    self.documents = documents
    self.nextPageToken = nextPageToken
  }

  /// Decodes the JSON of the REST API, which omits empty values.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    documents = try container.decodeIfPresent([FirestoreDocument].self, forKey: .documents) ?? []
    let token = try container.decodeIfPresent(String.self, forKey: .nextPageToken)
    nextPageToken = token?.isEmpty == true ? nil : token
  }
}
