import AssistModel
import Foundation
import SwiftData

/// A semantic search: it finds the messages with the most similar embeddings to a text.
///
/// The search is exact: it compares the text with all embeddings in its scope. It reads them in batches, so memory does not grow with
/// the store.
package struct SemanticSearch {
  private let context: ModelContext
  private let model: MeaningModel
  /// The number of embeddings in a batch, which takes 2 MB.
  static let batchSize = 4_096
  /// The smallest cosine similarity of a result. Most pairs of unrelated texts have 0 to 0.2.
  package static let minimumSimilarity: Float = 0.2

  package init(context: ModelContext, model: MeaningModel) {
    self.context = context
    self.model = model
  }

  /// A message with the cosine similarity of its embedding to the text.
  package struct Hit: Equatable, Sendable {
    package var messageID: String
    package var similarity: Float

    /// Orders hits by descending similarity, and equal ones by identifier.
    static func isBefore(_ a: Hit, _ b: Hit) -> Bool { (-a.similarity, a.messageID) < (-b.similarity, b.messageID) }
  }

  /// The messages that a search compares.
  package struct Scope: Sendable {
    /// The conversations of the messages; nil is all.
    package var conversations: [String]?
    /// The messages; nil is all.
    package var messages: Set<String>?

    package init(conversations: [String]? = nil, messages: Set<String>? = nil) {
      self.conversations = conversations
      self.messages = messages
    }
  }

  /// Returns the messages that are most similar to a text, in descending order.
  /// - Parameters:
  ///   - text: the text in English.
  ///   - scope: the messages to compare.
  ///   - limit: the largest number of hits.
  ///   - last: the last message of the previous page; nil for the first page.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: linear in the number of embeddings in the scope.
  package func nearest(to text: String, in scope: Scope = Scope(), limit: Int, after last: String? = nil) throws
    -> [Hit]
  {
    let wanted = Embedding(model.cachedVectors(of: [text])[0])
    var best = Best(limit: limit)
    if let last {
      let found = try context.fetch(FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { $0.id == last }))
      // The last message of the previous page was deleted.
      guard let vector = found.first, let similarity = wanted.similarity(to: vector.vector) else { return [] }
      best.after = Hit(messageID: last, similarity: similarity)
    }
    try scan(scope) { id, data in
      guard let similarity = wanted.similarity(to: data), similarity >= Self.minimumSimilarity else { return }
      best.add(Hit(messageID: id, similarity: similarity))
    }
    return best.sorted
  }

  /// Fetches the messages of hits in their order, without messages that were edited or deleted since the search.
  /// - Throws: `SwiftDataError`.
  package func messages(of hits: [Hit]) throws -> [(message: MessageEntity, similarity: Float)] {
    let ids = hits.map(\.messageID)
    let found = try context.fetch(
      FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) && $0.deletedAt == nil }))
    let vectors = try context.fetch(FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let messages = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let stored = Dictionary(vectors.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return hits.compactMap { hit in
      guard let message = messages[hit.messageID], stored[hit.messageID]?.isOf(message) == true else { return nil }
      return (message, hit.similarity)
    }
  }

  /// Reads the embeddings of a scope in batches.
  private func scan(_ scope: Scope, _ body: (String, Data) -> Void) throws {
    let version = SentenceEncoder.version
    let (ids, anywhere) = (scope.conversations ?? [], scope.conversations == nil)
    var last = ""
    while true {
      let after = last
      var batch = FetchDescriptor<MessageVectorEntity>(
        predicate: #Predicate {
          $0.id > after && $0.version == version && (anywhere || ids.contains($0.conversationID))
        }, sortBy: [SortDescriptor(\.id)])
      batch.fetchLimit = Self.batchSize
      let rows = try context.fetch(batch, selecting: \.id, \.vector)
      for (id, vector) in rows where scope.messages?.contains(id) != false { body(id, vector) }
      guard rows.count == Self.batchSize, let end = rows.last?.0 else { return }
      last = end
    }
  }

  /// The best hits, in a binary heap with the worst hit at the root.
  private struct Best {
    let limit: Int
    /// The last hit of the previous page. Only hits after it are added.
    var after: Hit?
    private var heap: [Hit] = []

    init(limit: Int) { self.limit = limit }

    var sorted: [Hit] { heap.sorted(by: Hit.isBefore) }

    mutating func add(_ hit: Hit) {
      if let after, !Hit.isBefore(after, hit) { return }
      if heap.count < limit {
        heap.append(hit)
        rise()
      } else if let worst = heap.first, Hit.isBefore(hit, worst) {
        heap[0] = hit
        sink()
      }
    }

    private mutating func rise() {
      var child = heap.count - 1
      while child > 0 {
        let parent = (child - 1) / 2
        guard Hit.isBefore(heap[parent], heap[child]) else { return }
        heap.swapAt(parent, child)
        child = parent
      }
    }

    private mutating func sink() {
      var parent = 0
      while true {
        let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
        guard let child = children.max(by: { Hit.isBefore(heap[$0], heap[$1]) }),
          Hit.isBefore(heap[parent], heap[child])
        else { return }
        heap.swapAt(parent, child)
        parent = child
      }
    }
  }
}
