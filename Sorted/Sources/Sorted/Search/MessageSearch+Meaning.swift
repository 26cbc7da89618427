import Foundation
import SwiftData

extension MessageSearch {
  /// A page of a semantic search.
  package struct NearestPage {
    /// The messages with their similarities, in descending order of similarity.
    package var hits: [(message: MessageEntity, similarity: Float)] = []
    /// The last message of the page; nil if no page follows.
    package var last: String?
  }

  /// Finds messages by the meaning of a query's text. The conditions of the query apply as in a search by words.
  /// - Parameters:
  ///   - query: the text and the conditions. The text must not be empty.
  ///   - model: the sentence model.
  ///   - limit: the largest number of messages of a page.
  ///   - last: the last message of the previous page.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: linear in the number of embeddings in the conversations, and in the number of messages that fulfil the conditions.
  package func nearest(
    to query: MessageQuery, by model: MeaningModel, limit: Int, after last: String? = nil
  ) throws -> NearestPage {
    let search = SemanticSearch(context: context, model: model)
    // An additional hit shows whether another page follows.
    let found = try search.nearest(to: query.text, in: try scope(query), limit: limit + 1, after: last)
    let hits = Array(found.prefix(limit))
    return NearestPage(
      hits: try search.messages(of: hits), last: found.count > limit ? hits.last?.messageID : nil)
  }

  private func scope(_ query: MessageQuery) throws -> SemanticSearch.Scope {
    let conversations = try conversationIDs(query)
    guard query.narrowsMessages || hasCondition else { return SemanticSearch.Scope(conversations: conversations) }
    let wanted = FetchDescriptor(predicate: try conditions(query, conversations: conversations))
    let ids: [String] = try context.fetch(wanted, selecting: \.id)
    return SemanticSearch.Scope(conversations: conversations, messages: Set(ids))
  }
}
