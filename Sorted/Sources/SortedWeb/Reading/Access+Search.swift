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
  /// - Complexity: as `MessageSearch.page`, and two more statements.
  func search(
    _ query: MessageQuery, _ filter: ListFilter, limit: Int, after last: MessageEntity? = nil
  ) throws -> Found {
    let sight = try sight()
    let page = try messageSearch(filter, sight).page(query, limit: limit, after: last)
    return Found(messages: sight.seen(page.messages), total: page.total, hasMore: page.hasMore)
  }

  /// A page of what a search found, as `MessageSearch.Page`.
  struct Found {
    let messages: [SeenMessage]
    let total: Int?
    let hasMore: Bool
  }

  /// A search of what the viewer sees, by words or by meaning.
  func messageSearch(_ filter: ListFilter, _ sight: Sight) -> MessageSearch {
    MessageSearch(
      context: work.inbox, readers: Set(viewer.names), scope: isAlone ? nil : everything.predicate,
      condition: sight.condition(and: filter.readsMessages ? kinds(filter) : nil))
  }

  /// A judgement is for the reader, so a kind finds messages of others only.
  func kinds(_ filter: ListFilter) -> Predicate<MessageEntity> {
    guard filter.readsMessages else { return #Predicate { _ in true } }
    let names = viewer.names
    let (category, sentiment, score) = (filter.category, filter.sentiment, filter.opportunity ?? 0)
    let (anyCategory, anySentiment, anyScore) = (category == nil, sentiment == nil, filter.opportunity == nil)
    return #Predicate { (message: MessageEntity) in
      !names.contains(message.senderID) && (anyCategory || message.category == category)
        && (anySentiment || message.sentiment == sentiment) && (anyScore || (message.opportunityScore ?? -1) >= score)
    }
  }
}
