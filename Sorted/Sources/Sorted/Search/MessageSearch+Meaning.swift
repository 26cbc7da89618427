import Foundation
import SwiftData

extension MessageSearch {
  /// A page of the messages that mean what a text means.
  package struct NearestPage {
    /// The nearest first.
    package var hits: [(message: MessageEntity, similarity: Float)] = []
    /// The last message of the page where another page follows.
    package var last: String?
  }

  /// Finds messages by the meaning of a query's words. Its conditions narrow the search as they narrow a search by words.
  /// - Parameters:
  ///   - query: the text and the conditions. The text must not be empty.
  ///   - model: the sentence model.
  ///   - limit: the most messages of a page.
  ///   - last: the last message of the page before.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: linear in the number of vectors in the conversations, and in the number of messages that fulfil the conditions.
  package func nearest(
    to query: MessageQuery, by model: MeaningModel, limit: Int, after last: String? = nil
  ) throws -> NearestPage {
    let search = MeaningSearch(context: context, model: model)
    // One more says whether another page follows.
    let found = try search.nearest(to: query.text, in: try scope(query), limit: limit + 1, after: last)
    let hits = Array(found.prefix(limit))
    return NearestPage(
      hits: try search.messages(of: hits), last: found.count > limit ? hits.last?.messageID : nil)
  }

  private func scope(_ query: MessageQuery) throws -> MeaningSearch.Scope {
    let places = try conversationIDs(query)
    guard query.narrowsMessages || hasCondition else { return MeaningSearch.Scope(conversations: places) }
    let wanted = FetchDescriptor(predicate: conditions(query, conversations: places))
    let ids: [String] = try context.fetch(wanted, selecting: \.id)
    return MeaningSearch.Scope(conversations: places, messages: Set(ids))
  }
}
