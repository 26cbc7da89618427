import Sorted
import SwiftData

extension Access {
  /// Finds a page of the messages that the viewer sees and has not deleted.
  /// - Parameters:
  ///   - query: the words and conditions.
  ///   - filter: the kind of message.
  ///   - limit: the most messages of a page.
  ///   - last: the last message of the page before.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: as `MessageSearch.page`, and one more statement.
  func search(
    _ query: MessageQuery, _ filter: ListFilter, limit: Int, after last: MessageEntity? = nil
  ) throws -> MessageSearch.Page {
    var page = try messageSearch(filter).page(query, limit: limit, after: last)
    page.messages = try withoutHidden(page.messages)
    return page
  }

  /// A search of what the viewer sees, by words or by meaning.
  func messageSearch(_ filter: ListFilter) -> MessageSearch {
    MessageSearch(
      context: work.inbox, readers: viewer.isOwner ? [viewer.userID, LocalUser.placeholder] : [viewer.userID],
      scope: viewer.isOwner ? nil : everything.predicate, condition: filter.readsMessages ? kinds(filter) : nil)
  }

  func withoutHidden(_ messages: [MessageEntity]) throws -> [MessageEntity] {
    guard !messages.isEmpty else { return [] }
    let (user, ids) = (viewer.userID, messages.map(\.id))
    let hidden = Set(
      try work.own.fetch(
        FetchDescriptor<HiddenMessageEntity>(
          predicate: #Predicate { $0.userID == user && ids.contains($0.messageID) })
      ).map(\.messageID))
    return messages.filter { !hidden.contains($0.id) }
  }

  /// A judgement is for the reader, so a kind finds messages of others only.
  func kinds(_ filter: ListFilter) -> Predicate<MessageEntity> {
    guard filter.readsMessages else { return #Predicate { _ in true } }
    let (user, owner) = (viewer.userID, viewer.isOwner ? LocalUser.placeholder : viewer.userID)
    let (category, sentiment, score) = (filter.category, filter.sentiment, filter.opportunity ?? 0)
    let (anyCategory, anySentiment, anyScore) = (category == nil, sentiment == nil, filter.opportunity == nil)
    return #Predicate { (message: MessageEntity) in
      message.senderID != user && message.senderID != owner && (anyCategory || message.category == category)
        && (anySentiment || message.sentiment == sentiment) && (anyScore || (message.opportunityScore ?? -1) >= score)
    }
  }
}
