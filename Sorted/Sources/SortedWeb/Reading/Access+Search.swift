import Foundation
import Sorted
import SwiftData

extension Access {
  /// The messages that contain a text and are of a kind, the newest first; an empty text is in all of them.
  func search(_ text: String, _ filter: ListFilter, limit: Int) throws -> (messages: [MessageEntity], total: Int) {
    // What every part of a condition costs, it costs for each message.
    if viewer.isOwner, !filter.readsMessages {
      let found = try InboxService(context: work.inbox).search(text, limit: limit)
      return (found.messages, found.total)
    }
    let predicate = try matches(text, filter)
    let total = try work.inbox.fetchCount(FetchDescriptor(predicate: predicate))
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    descriptor.fetchLimit = limit
    return (try work.inbox.fetch(descriptor), total)
  }

  private func matches(_ text: String, _ filter: ListFilter) throws -> Predicate<MessageEntity> {
    let isOwner = viewer.isOwner
    let ids = isOwner ? [] : try work.inbox.fetch(everything).map(\.id)
    let (lower, upper) = (text.lowercased(), text.uppercased())
    let capital = lower.prefix(1).uppercased() + lower.dropFirst()
    let (category, sentiment, score) = (filter.category, filter.sentiment, filter.opportunity ?? 0)
    let (anyText, anyCategory, anySentiment) = (text.isEmpty, category == nil, sentiment == nil)
    let anyScore = filter.opportunity == nil
    return #Predicate { (message: MessageEntity) in
      (isOwner || ids.contains(message.conversationID)) && (anyCategory || message.category == category)
        && (anySentiment || message.sentiment == sentiment)
        && (anyScore || (message.opportunityScore ?? -1) >= score)
        && (anyText || message.text.contains(text) || message.text.contains(lower) || message.text.contains(upper)
          || message.text.contains(capital))
    }
  }
}
