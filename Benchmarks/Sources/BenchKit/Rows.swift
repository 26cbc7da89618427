// Public for the other targets of this package alone.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CBenchRows

public enum Status: String, Codable, CaseIterable, Sendable {
  case sending, sent, delivered, read
  @inlinable public var ordinal: Int64 {
    switch self {
    case .sending: 0
    case .sent: 1
    case .delivered: 2
    case .read: 3
    }
  }
}

public enum SyncStatus: String, Codable, CaseIterable, Sendable {
  case pending, synced, failed
  @inlinable public var ordinal: Int64 {
    switch self {
    case .pending: 0
    case .synced: 1
    case .failed: 2
    }
  }
}

/// A source row as Swift values.
@frozen public struct Row: Sendable {
  public var id, conversationID, senderID, text: String
  public var createdAt, updatedAt: Double
  public var status: Status
  public var syncStatus: SyncStatus
  public var retryCount: Int
  public var category: String?
  public var categoryConfidence: Double?
  public var unreadFlag: Bool
}

private func string<T>(_ tuple: T, _ count: Int) -> String {
  withUnsafeBytes(of: tuple) { String(decoding: $0.prefix(count), as: UTF8.self) }
}

public func makeRow(_ i: Int) -> Row {
  var r = bench_row()
  bench_make_row(Int64(i), &r)
  return Row(
    id: string(r.id, 36), conversationID: string(r.conversation, 36),
    senderID: string(r.sender, 9), text: string(r.text, Int(r.text_len)),
    createdAt: r.created_at, updatedAt: r.updated_at,
    status: Status.allCases[Int(r.status)], syncStatus: SyncStatus.allCases[Int(r.sync)],
    retryCount: Int(r.retry), category: r.category.map { String(cString: $0) },
    categoryConfidence: r.has_confidence != 0 ? r.confidence : nil, unreadFlag: r.unread != 0)
}

public func conversationID(_ c: Int) -> String {
  var out:
    (
      Int64, Int64, Int64, Int64, Int64
    ) = (0, 0, 0, 0, 0)
  return withUnsafeMutableBytes(of: &out) {
    bench_conversation_id(Int64(c), $0.baseAddress!.assumingMemoryBound(to: CChar.self))
    return String(decoding: $0.prefix(36), as: UTF8.self)
  }
}

/// Rows to insert: all prepared in advance (timed runs) or made one at a time (memory runs).
@frozen public struct RowSource: Sendable {
  @usableFromInline let rows: [Row]?
  public let from: Int
  public let count: Int
  public init(from: Int, count: Int, prepared: Bool) {
    self.from = from
    self.count = count
    rows = prepared ? (from..<from + count).map(makeRow) : nil
  }
  @inlinable public subscript(i: Int) -> Row {
    if let rows { return rows[i] }
    return makeRow(from + i)
  }
}

/// The checksum of one message with every property read. All peers must agree on it.
@inlinable public func touch(
  _ id: String, _ conversationID: String, _ senderID: String, _ text: String,
  _ createdAt: Double, _ updatedAt: Double, _ status: Status, _ syncStatus: SyncStatus,
  _ retryCount: Int, _ category: String?, _ categoryConfidence: Double?, _ unreadFlag: Bool
) -> Int64 {
  var sum = Int64(id.utf8.count) + Int64(conversationID.utf8.count) + Int64(senderID.utf8.count)
  sum += Int64(text.utf8.count) + Int64(createdAt) + Int64(updatedAt)
  sum += status.ordinal + syncStatus.ordinal + Int64(retryCount)
  sum += Int64(category?.utf8.count ?? 0) + Int64((categoryConfidence ?? 0) * 128)
  return sum + (unreadFlag ? 1 : 0)
}

/// The name of the n-th conversation.
public func conversationName(_ number: Int) -> String {
  let digits = String(number)
  return "Conversation " + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
