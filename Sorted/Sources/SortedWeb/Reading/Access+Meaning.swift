import Foundation
import Sorted
import SwiftData

extension Access {
  /// A page of the messages that mean what a text means, the nearest first.
  struct Nearest {
    var messages: [MessageEntity] = []
    /// The last message of the page where another page may follow.
    var last: String?
  }

  /// Finds a page of messages by their meaning.
  /// - Parameter last: the last message of the page before.
  /// - Throws: ``PageError/notFound`` for a last message that the viewer does not see; `SwiftDataError`.
  /// - Complexity: linear in the number of vectors of the conversations that the viewer sees.
  func nearest(
    to text: String, by model: MeaningModel, _ filter: ListFilter, limit: Int, after last: String? = nil
  ) throws -> Nearest {
    // Its similarity must not be told to a person who may not read it.
    if let last { _ = try message(last) }
    let places = viewer.isOwner ? nil : try work.inbox.fetch(everything, selecting: \.id)
    var messages: Set<String>?
    if filter.readsMessages {
      let ids: [String] = try work.inbox.fetch(FetchDescriptor(predicate: kinds(filter)), selecting: \.id)
      messages = Set(ids)
    }
    let search = MeaningSearch(context: work.inbox, model: model)
    let hits = try search.nearest(
      to: text, in: MeaningSearch.Scope(conversations: places, messages: messages), limit: limit, after: last)
    let found: [MessageEntity] = try search.messages(of: hits).map { $0.message }
    let (user, ids) = (viewer.userID, found.map(\.id))
    let hidden = Set(
      try work.own.fetch(
        FetchDescriptor<HiddenMessageEntity>(
          predicate: #Predicate { $0.userID == user && ids.contains($0.messageID) })
      ).map(\.messageID))
    // A message may have moved to another conversation since its vector was made.
    let visible = Set(try conversations(Array(Set(found.map(\.conversationID)))).map(\.id))
    return Nearest(
      messages: found.filter { visible.contains($0.conversationID) && !hidden.contains($0.id) },
      last: hits.count == limit ? hits.last?.messageID : nil)
  }
}
