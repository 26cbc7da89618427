/// One way to persist the messages, under the workloads.
///
/// Each function is one timed region, except where it says untimed. Every peer works with the defaults of its library;
/// all of them are WAL with `synchronous = NORMAL`.
public protocol Peer: AnyObject {
  /// The heading of its column.
  static var name: String { get }
  /// The file name of its templates begins with this; peers of one layout share it.
  static var layout: String { get }
  /// What to add to a stored date to make it seconds since 1970.
  static var epoch: Double { get }

  /// - Parameter trace: count SQL statements (never set in timed runs).
  init(path: String, trace: Bool) throws
  /// Untimed.
  func close() throws
  /// SQL statements executed so far, where the peer can tell.
  var statements: Int? { get }

  /// Untimed: the tables and the 1,000 conversations of an empty file.
  func createConversations() throws
  /// Untimed, before each insert: lets a peer hold the source in a raw form of its own (only raw C does).
  func prepare(_ source: RowSource)
  /// W1, W2: one transaction (one save) for the whole source.
  func insert(_ source: RowSource) throws
  /// W3: every message as a full object, every property touched.
  func fetchAll() throws -> Int64
  /// W4: one fetch by unique id each, inside one read access.
  func pointFetch(_ ids: [String]) throws -> Int64
  /// W4x: the same with a read access each.
  func pointFetchSeparately(_ ids: [String]) throws -> Int64
  /// W5: the newest of each conversation.
  func page(_ conversations: [String], limit: Int) throws -> Int64
  /// Untimed, for W6 and W9: keep the first n objects.
  func load(_ n: Int) throws
  /// W6: `retryCount += 1` on every loaded object, one transaction; the peer's default save.
  func updateLoaded() throws
  /// W6p: the same by the peer's update of changed columns only.
  func updateLoadedPartially() throws
  /// W7l: n messages, then the name of each one's conversation, without a hint; lengths of ids and names summed.
  func relationLazy(_ n: Int) throws -> Int64
  /// W7e: the same with the peer's join or prefetch.
  func relationEager(_ n: Int) throws -> Int64
  /// W8: delete where `unreadFlag`.
  func deleteHalf() throws
  /// W9: `retryCount += 1` on every loaded object, one transaction each.
  func tinyTransactions() throws
  /// W10a: count where `status == read && unreadFlag`.
  func count() throws -> Int64
  /// W10b: objects whose text contains the needle.
  func search(_ needle: String) throws -> Int64
  /// W10s: the same by a full-text index, which the file has.
  func searchByIndex(_ needle: String) throws -> Int64
}

/// Thrown by a workload that has no meaning for the peer.
public enum Skip: Error { case notApplicable(String) }

extension Peer {
  public static var layout: String { "raw" }
  public static var epoch: Double { 0 }
  public var statements: Int? { nil }
  public func prepare(_ source: RowSource) {}
  public func createConversations() throws { throw Skip.notApplicable("raw C makes the files of this layout") }
  public func searchByIndex(_ needle: String) throws -> Int64 { throw Skip.notApplicable("has no such index") }
  public func updateLoadedPartially() throws { throw Skip.notApplicable("same as W6") }
}
