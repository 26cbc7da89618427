import Foundation
import SwiftData

/// Deletes old messages that the server has (guide, 5.2, point 6), on one context.
///
/// A message stays while it or an attachment waits to be sent, and if its conversation is kept
/// (``ConversationEntity/isKept``). The conversation's summary of its last message stays too. In a `SharedInbox` the messages
/// of conversations with others stay, because a deletion would reach the others.
public struct RetentionService {
  /// The result of a clean-up or a preview.
  public struct Report: Codable, Equatable, Sendable {
    /// Messages before this time are old.
    public var cutoff: Date
    /// The number of old messages to delete.
    public var deleted: Int
    /// The number of old messages that stay.
    public var stayed: Int

    /// Makes a report.
    public init(cutoff: Date, deleted: Int, stayed: Int) {
      self.cutoff = cutoff
      self.deleted = deleted
      self.stayed = stayed
    }
  }

  private let context: ModelContext

  /// Makes a service on a context.
  public init(context: ModelContext) { self.context = context }

  /// Deletes the messages that are older than a number of days, and saves.
  ///
  /// Unread messages are deleted too. The unread count of a conversation is reduced to the remaining messages.
  /// - Parameters:
  ///   - days: at least 0, in calendar days (with daylight saving time).
  ///   - now: the time to count back from.
  ///   - calendar: the calendar and time zone of the days.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for a negative number; `SwiftDataError`, and then nothing was
  ///   deleted.
  /// - Complexity: a handful of statements, and three for each thousand messages where they have vectors. No message is loaded
  ///   unless the context has unsaved changes.
  @discardableResult
  public func deleteMessages(
    olderThan days: Int, now: Date = Date(), calendar: Calendar = .current
  ) throws -> Report {
    let report = try preview(olderThan: days, now: now, calendar: calendar)
    guard report.deleted > 0 else { return report }
    let unread = try unreadAfterwards(cutoff: report.cutoff)
    // In this order, because a deletion whose condition reads conversations with unsaved changes loads its messages.
    if try context.fetchCount(FetchDescriptor<MessageVectorEntity>()) > 0 {
      let disposable = FetchDescriptor(predicate: try self.disposable(before: report.cutoff))
      try MessageVectorEntity.delete(of: context.fetch(disposable, selecting: \.id), in: context)
    }
    try context.delete(model: MessageEntity.self, where: disposable(before: report.cutoff))
    for (conversation, count) in unread { conversation.unreadCount = count }
    try context.save()
    return report
  }

  /// Counts the messages that ``deleteMessages(olderThan:now:calendar:)`` would delete.
  /// - Throws: as that function.
  /// - Complexity: two statements.
  public func preview(olderThan days: Int, now: Date = Date(), calendar: Calendar = .current) throws -> Report {
    guard days >= 0, let cutoff = calendar.date(byAdding: .day, value: -days, to: now) else {
      throw DataLayerError.invalidData("messages cannot be older than \(days) days; give 0 or more")
    }
    let deleted = try context.fetchCount(FetchDescriptor(predicate: disposable(before: cutoff)))
    let old = try context.fetchCount(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.createdAt < cutoff }))
    return Report(cutoff: cutoff, deleted: deleted, stayed: old - deleted)
  }

  private func disposable(before cutoff: Date) throws -> Predicate<MessageEntity> {
    let synced = SyncStatus.synced
    let completed = UploadStatus.completed
    guard try SharedInboxEntity.of(context) == nil else {
      return #Predicate {
        $0.createdAt < cutoff && $0.syncStatus == synced && $0.conversation?.isKept != true
          && $0.conversation?.serverTime == 0 && !$0.attachments.contains { $0.uploadStatus != completed }
      }
    }
    return #Predicate {
      $0.createdAt < cutoff && $0.syncStatus == synced && $0.conversation?.isKept != true
        && !$0.attachments.contains { $0.uploadStatus != completed }
    }
  }

  /// The conversations whose unread count would exceed their remaining messages, with the number of these.
  private func unreadAfterwards(cutoff: Date) throws -> [(ConversationEntity, Int)] {
    let disposable = FetchDescriptor(predicate: try disposable(before: cutoff))
    let lost = Dictionary(
      uniqueKeysWithValues: try context.fetch(disposable, groupedBy: \.conversationID, computing: .count))
    let ids = Array(lost.keys)
    let unread = try context.fetch(
      FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.unreadCount > 0 && ids.contains($0.id) }))
    guard !unread.isEmpty else { return [] }
    let unreadIDs = unread.map(\.id)
    let theirs = FetchDescriptor<MessageEntity>(predicate: #Predicate { unreadIDs.contains($0.conversationID) })
    let all = Dictionary(
      uniqueKeysWithValues: try context.fetch(theirs, groupedBy: \.conversationID, computing: .count))
    return unread.compactMap { conversation in
      let left = all[conversation.id, default: 0] - lost[conversation.id, default: 0]
      return left < conversation.unreadCount ? (conversation, left) : nil
    }
  }
}
