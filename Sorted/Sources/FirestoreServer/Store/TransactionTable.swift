import FirestoreClient

/// What the open transactions have read. Nothing is locked: a commit fails with ABORTED where something that its
/// transaction read has changed, and Google's clients then begin again.
struct TransactionTable {
  struct Entry {
    let isReadOnly: Bool
    let begun: Int64
    /// When the documents were last changed, by the key of their names; nil for those that were not there.
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

  /// As long as Google lets one last, in microseconds.
  private static let maximumAge: Int64 = 270_000_000
  private var entries = [String: Entry]()

  mutating func begin(readOnly: Bool, at time: Int64) -> String {
    entries = entries.filter { time - $0.value.begun < Self.maximumAge }
    let id = RandomName.make()
    entries[id] = Entry(isReadOnly: readOnly, begun: time)
    return id
  }

  /// - Throws: ``FirestoreError`` with status `invalidArgument` where there is none.
  mutating func change(_ id: String, _ body: (inout Entry) -> Void) throws {
    guard var entry = entries[id] else { throw Self.none }
    body(&entry)
    entries[id] = entry
  }

  /// - Throws: ``FirestoreError`` with status `invalidArgument` where there is none.
  mutating func end(_ id: String) throws -> Entry {
    guard let entry = entries.removeValue(forKey: id) else { throw Self.none }
    return entry
  }

  private static let none = FirestoreError(.invalidArgument, "The transaction is over, or was never begun.")
}

/// Names as Google's clients make them.
enum RandomName {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

  /// 20 letters and digits, which are also whole groups of base64.
  static func make() -> String { String((0..<20).map { _ in letters[Int.random(in: letters.indices)] }) }
}
