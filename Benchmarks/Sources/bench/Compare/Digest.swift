import Foundation
import GRDB

/// A digest of the rows that a workload writes. A peer must not be fast by writing less.
enum Digest {
  /// The number of rows, their sums and the storage classes of their cells.
  static func of(_ path: String, epoch: Double) throws -> String {
    let sql = """
      SELECT COUNT(*) || ' rows, retry ' || SUM(retryCount) || ', created ' || CAST(SUM(createdAt + ?1) AS INTEGER)
      || ', updated ' || CAST(SUM(updatedAt + ?1) AS INTEGER) || ', bytes '
      || SUM(LENGTH(id) + LENGTH(conversationID) + LENGTH(senderID) + LENGTH(text) + LENGTH(status)
        + LENGTH(syncStatus) + IFNULL(LENGTH(category), 0))
      || ', confidence ' || SUM(categoryConfidence) || ', unread ' || SUM(unreadFlag)
      || ', types ' || GROUP_CONCAT(DISTINCT typeof(createdAt) || typeof(updatedAt) || typeof(retryCount)
        || typeof(category) || typeof(categoryConfidence) || typeof(unreadFlag)) FROM message
      """
    return try DatabaseQueue(path: path).read { try String.fetchOne($0, sql: sql, arguments: [epoch]) } ?? "no rows"
  }
}
