// Public for the other targets of this package alone.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A library under measurement.
///
/// Each function is one timed region unless it says untimed. Every peer uses its library's defaults, with WAL and
/// `synchronous = NORMAL`.
public protocol Peer: AnyObject {
  /// The heading of its column.
  static var name: String { get }
  /// The prefix of its template files. Peers with the same layout share them.
  static var layout: String { get }
  /// The offset from a stored date to seconds since 1970.
  static var epoch: Double { get }

  /// - Parameter trace: whether to count SQL statements. Never set in timed runs.
  init(path: String, trace: Bool) throws
  /// Untimed.
  func close() throws
  /// The number of SQL statements so far, or nil if the peer cannot count them.
  var statements: Int? { get }

  /// Untimed: creates the tables and the 1,000 conversations of an empty file.
  func createConversations() throws
  /// Untimed, before each insert: lets a peer convert the source (only raw C does).
  func prepare(_ source: RowSource)
  /// W1, W2: one transaction (one save) for the whole source.
  func insert(_ source: RowSource) throws
  /// W3: every message as a full object, every property read.
  func fetchAll() throws -> Int64
  /// W3n: the same, `text` and `retryCount` read.
  func fetchTwo() throws -> Int64
  /// W4: one fetch by unique id each, inside one read.
  func pointFetch(_ ids: [String]) throws -> Int64
  /// W4x: the same with one read each.
  func pointFetchSeparately(_ ids: [String]) throws -> Int64
  /// W5: the newest messages of each conversation.
  func page(_ conversations: [String], limit: Int) throws -> Int64
  /// Untimed, for W6, W9 and W9h: loads the first n objects.
  func load(_ n: Int) throws
  /// W6: `retryCount += 1` on every loaded object in one transaction, with the peer's default save.
  func updateLoaded() throws
  /// W6p: the same with the peer's update of changed columns.
  func updateLoadedPartially() throws
  /// W7l: n messages, then the name of each one's conversation, with lazy loading. Returns the sum of the lengths.
  func relationLazy(_ n: Int) throws -> Int64
  /// W7e: the same with the peer's join or eager loading.
  func relationEager(_ n: Int) throws -> Int64
  /// W8: delete where `unreadFlag`.
  func deleteHalf() throws
  /// W9: `retryCount += 1` on every loaded object, one transaction each.
  func tinyTransactions() throws
  /// W9h: the same, and each transaction also writes a row that says what changed, when, and which program did it.
  func tinyTransactionsWithHistory() throws
  /// W10a: count where `status == read && unreadFlag`.
  func count() throws -> Int64
  /// W10b: objects whose text contains the needle.
  func search(_ needle: String) throws -> Int64
  /// W10s: the same with a full-text index.
  func searchByIndex(_ needle: String) throws -> Int64
}

/// Thrown by a workload that does not apply to the peer.
public enum Skip: Error { case notApplicable(String) }

extension Peer {
  public static var layout: String { "raw" }
  public static var epoch: Double { 0 }
  public var statements: Int? { nil }
  public func prepare(_ source: RowSource) {}
  public func createConversations() throws { throw Skip.notApplicable("raw C makes the files of this layout") }
  public func searchByIndex(_ needle: String) throws -> Int64 { throw Skip.notApplicable("has no such index") }
  public func tinyTransactionsWithHistory() throws { throw Skip.notApplicable("raw C shows what the row costs") }
  public func updateLoadedPartially() throws { throw Skip.notApplicable("same as W6") }
}
