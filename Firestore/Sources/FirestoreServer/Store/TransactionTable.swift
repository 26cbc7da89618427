import FirestoreProtocol

/// The reads of open transactions. Nothing is locked: a commit fails with ABORTED if something that its transaction
/// read has changed. Google's clients then retry.
struct TransactionTable {
  struct Entry {
    let isReadOnly: Bool
    let begun: Int64
    /// The update times of the documents read, by key. Nil for missing documents.
    var reads = [String: Int64?]()
    var queries = [SeenQuery]()
  }
  struct SeenQuery {
    let query: FirestoreQuery
    let parent: String
    let found: [SeenDocument]
  }
  struct SeenDocument: Equatable {
    let name: String
    let updateTime: FirestoreTimestamp?
  }

  /// The lifetime of a transaction in microseconds, as at Google.
  private static let maximumAge: Int64 = 270_000_000
  private var entries = [String: Entry]()

  mutating func begin(readOnly: Bool, at time: Int64) -> String {
    entries = entries.filter { time - $0.value.begun < Self.maximumAge }
    let id = RandomName.make()
    entries[id] = Entry(isReadOnly: readOnly, begun: time)
    return id
  }

  /// - Throws: ``FirestoreError`` with status `invalidArgument` if it does not exist.
  mutating func change(_ id: String, _ body: (inout Entry) -> Void) throws {
    guard var entry = entries[id] else { throw Self.none }
    body(&entry)
    entries[id] = entry
  }

  /// - Throws: ``FirestoreError`` with status `invalidArgument` if it does not exist.
  mutating func end(_ id: String) throws -> Entry {
    guard let entry = entries.removeValue(forKey: id) else { throw Self.none }
    return entry
  }

  private static let none = FirestoreError(.invalidArgument, "The transaction is over, or was never begun.")
}

/// Random names, as Google's clients make them.
enum RandomName {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

  /// Twenty letters and digits, which also form whole groups of base64.
  static func make() -> String { String((0..<20).map { _ in letters[Int.random(in: letters.indices)] }) }
}
