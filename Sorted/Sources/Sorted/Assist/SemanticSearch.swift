import AssistModel
import Foundation
import SwiftData

/// Finds the messages that mean what a text means, by comparing the text with every vector of the store.
///
/// The comparison is exact. Vectors are read in batches, so memory does not grow with the store.
package struct MeaningSearch {
  private let context: ModelContext
  private let model: MeaningModel
  /// How many vectors are read at a time: 2 MB.
  static let batchSize = 4_096
  /// Texts below this cosine are not shown: the model gives 0 to 0.2 to most pairs of texts that have nothing in common.
  package static let minimumSimilarity: Float = 0.2

  package init(context: ModelContext, model: MeaningModel) {
    self.context = context
    self.model = model
  }

  /// A message, and the cosine of the angle between its vector and the text's.
  package struct Hit: Equatable, Sendable {
    package var messageID: String
    package var similarity: Float

    /// The more similar one first; of equal ones the lesser identifier.
    static func isBefore(_ a: Hit, _ b: Hit) -> Bool { (-a.similarity, a.messageID) < (-b.similarity, b.messageID) }
  }

  /// Which messages to look at.
  package struct Scope: Sendable {
    /// The conversations to look in; nil is all.
    package var conversations: [String]?
    /// The only messages to look at; nil is all.
    package var messages: Set<String>?

    package init(conversations: [String]? = nil, messages: Set<String>? = nil) {
      self.conversations = conversations
      self.messages = messages
    }
  }

  /// The messages most similar to a text, the most similar first.
  /// - Parameters:
  ///   - text: what to look for, in English.
  ///   - scope: which messages to look at.
  ///   - limit: how many there are at most.
  ///   - last: the last message of the page before.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: linear in the number of vectors in the scope.
  package func nearest(to text: String, in scope: Scope = Scope(), limit: Int, after last: String? = nil) throws
    -> [Hit]
  {
    let wanted = MeaningVector(model.rememberedVectors(of: [text])[0])
    var best = Best(limit: limit)
    if let last {
      let found = try context.fetch(FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { $0.id == last }))
      // The page before was of a message that is gone.
      guard let vector = found.first, let similarity = wanted.similarity(to: vector.vector) else { return [] }
      best.after = Hit(messageID: last, similarity: similarity)
    }
    try scan(scope) { id, data in
      guard let similarity = wanted.similarity(to: data), similarity >= Self.minimumSimilarity else { return }
      best.add(Hit(messageID: id, similarity: similarity))
    }
    return best.sorted
  }

  /// The messages of a result, in its order. It leaves out messages that are gone, or that were edited or deleted since.
  /// - Throws: `SwiftDataError`.
  package func messages(of hits: [Hit]) throws -> [(message: MessageEntity, similarity: Float)] {
    let ids = hits.map(\.messageID)
    let found = try context.fetch(
      FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) && $0.deletedAt == nil }))
    let vectors = try context.fetch(FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let messages = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let kept = Dictionary(vectors.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return hits.compactMap { hit in
      guard let message = messages[hit.messageID], kept[hit.messageID]?.isOf(message) == true else { return nil }
      return (message, hit.similarity)
    }
  }

  /// Reads the vectors of a scope.
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

  /// The best of many hits, in a heap whose first one is the worst.
  private struct Best {
    let limit: Int
    /// Only hits behind this one count.
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
