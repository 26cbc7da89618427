import Foundation
import Sorted
import SwiftData

extension Access {
  /// A page of the messages that mean what a text means, the nearest first.
  struct Nearest {
    var messages: [SeenMessage] = []
    /// The last message of the page where another page may follow.
    var last: String?
  }

  /// Finds a page of messages by their meaning.
  /// - Parameter last: the last message of the page before.
  /// - Throws: ``PageError/notFound`` for a last message that the viewer does not see; `SwiftDataError`.
  /// - Complexity: linear in the number of vectors of the conversations that the viewer sees.
  func nearest(
    to query: MessageQuery, by model: MeaningModel, _ filter: ListFilter, limit: Int, after last: String? = nil
  ) throws -> Nearest {
    // Its similarity must not be told to a person who may not read it.
    if let last { _ = try anyMessage(last) }
    let sight = try sight()
    let page = try messageSearch(filter, sight).nearest(to: query, by: model, limit: limit, after: last)
    let found = page.hits.map(\.message)
    // A message may have moved to another conversation since its vector was made.
    let visible = Set(try conversations(Array(Set(found.map(\.conversationID)))).map(\.id))
    return Nearest(
      messages: sight.seen(found.filter { visible.contains($0.conversationID) }), last: page.last)
  }
}
