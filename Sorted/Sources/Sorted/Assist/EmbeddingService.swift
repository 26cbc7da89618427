import AssistModel
import Foundation
import SwiftData

/// Maintains the embeddings of a store's messages. No text leaves the machine.
///
/// The service makes missing embeddings, replaces the embeddings of edited messages, and deletes the embeddings of deleted messages. It
/// compares digests of all texts, so it finds any difference: after an import, a sync, a run of an older program or a power cut. It works
/// in batches with a context of their own, and can stop after any batch.
package struct EmbeddingService: Sendable {
  private let container: ModelContainer
  let model: MeaningModel
  /// The number of messages in one scan.
  static let scanSize = 1_000
  /// The number of embeddings in one save, which take about a quarter of a second.
  static let batchSize = 250

  package init(container: ModelContainer, model: MeaningModel) {
    self.container = container
    self.model = model
  }

  /// Returns the number of stored embeddings, with stale ones.
  /// - Throws: `SwiftDataError`.
  package func count() throws -> Int { try ModelContext(container).fetchCount(FetchDescriptor<MessageVectorEntity>()) }

  /// Updates the embeddings of all messages. It deletes all embeddings if the owner does not allow them.
  /// - Parameters:
  ///   - stop: the sign that can stop the run between two batches.
  ///   - between: a closure that the run calls between two batches for urgent work. It returns messages to update next.
  ///   - progress: a closure that the run calls after each batch with the numbers of compared and of all messages.
  /// - Returns: the number of embeddings that were made.
  /// - Throws: `SwiftDataError`. Saved batches remain.
  /// - Complexity: linear in the number of messages. One batch is in memory.
  @discardableResult
  package func updateAll(
    stop: ImportSession.StopSign = .init(), between: () throws -> [String] = { [] },
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> Int {
    let context = ModelContext(container)
    guard try MeaningModel.isAllowed(in: context) else {
      try context.delete(model: MessageVectorEntity.self)
      try context.save()
      return 0
    }
    let total = try context.fetchCount(FetchDescriptor<MessageEntity>())
    var (made, done) = (0, 0)
    var last = ""
    while !stop.isRaised, let scan = try scan(after: last) {
      for start in stride(from: 0, to: scan.stale.count, by: Self.batchSize) where !stop.isRaised {
        let end = min(start + Self.batchSize, scan.stale.count)
        made += try make(Array(scan.stale[start..<end]))
        progress(min(total, done + start), total)
        made += try update(between())
      }
      done += scan.count
      progress(min(total, done), total)
      last = scan.last
    }
    return made
  }

  /// Updates the embeddings of some messages.
  /// - Returns: the number of embeddings that were made.
  /// - Throws: `SwiftDataError`. Saved batches remain.
  @discardableResult
  package func update(_ messageIDs: [String]) throws -> Int {
    guard !messageIDs.isEmpty, try MeaningModel.isAllowed(in: ModelContext(container)) else { return 0 }
    var made = 0
    for start in stride(from: 0, to: messageIDs.count, by: Self.batchSize) {
      made += try make(Array(messageIDs[start..<min(start + Self.batchSize, messageIDs.count)]))
    }
    return made
  }

  // MARK: - Comparing

  private struct Scan {
    var count: Int
    var last: String
    /// The messages whose embeddings are missing or stale.
    var stale: [String]
  }

  /// Compares the next messages, in the order of their identifiers, with their embeddings, and deletes embeddings without a message.
  /// - Returns: nil after the last message.
  private func scan(after last: String) throws -> Scan? {
    let context = ModelContext(container)
    var messages = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.id > last }, sortBy: [SortDescriptor(\.id)])
    messages.fetchLimit = Self.scanSize
    let rows = try context.fetch(messages, selecting: \.id, \.text, \.conversationID, \.deletedAt)
    guard let end = rows.last?.0 else {
      try context.delete(model: MessageVectorEntity.self, where: #Predicate { $0.id > last })
      try context.save()
      return nil
    }
    let version = SentenceEncoder.version
    let stored = try context.fetch(
      FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { $0.id > last && $0.id <= end }),
      selecting: \.id, \.version, \.digest)
    var digests = Dictionary(
      stored.map { ($0.0, $0.1 == version ? $0.2 : nil) }, uniquingKeysWith: { first, _ in first })
    var stale: [String] = []
    for (id, text, conversationID, deletedAt) in rows where deletedAt == nil {
      let digest = MessageVectorEntity.digest(of: text, in: conversationID)
      if digests.removeValue(forKey: id) ?? nil != digest { stale.append(id) }
    }
    if !digests.isEmpty {
      try MessageVectorEntity.delete(of: Array(digests.keys), in: context)
      try context.save()
    }
    return Scan(count: rows.count, last: end, stale: stale)
  }

  // MARK: - Making

  /// Makes the missing and stale embeddings of some messages, and deletes the embeddings of deleted ones.
  /// - Returns: the number of embeddings that were made.
  private func make(_ ids: [String]) throws -> Int { try MeanwhileDeleted.readingAgain { try makeOnce(ids) } }

  private func makeOnce(_ ids: [String]) throws -> Int {
    let context = ModelContext(container)
    let messages = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let existing = Set(messages.filter { $0.deletedAt == nil }.map(\.id))
    let deleted = ids.filter { !existing.contains($0) }
    try MessageVectorEntity.delete(of: deleted, in: context)
    let stored = Dictionary(
      try context.fetch(FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { ids.contains($0.id) }))
        .map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let missing = messages.filter { existing.contains($0.id) && stored[$0.id]?.isOf($0) != true }
    guard !missing.isEmpty else {
      try context.save()
      return 0
    }
    let vectors = model.vectors(of: missing.map(\.text)).map(Embedding.init)
    for (message, vector) in zip(missing, vectors) {
      let new = MessageVectorEntity(message, vector)
      guard let old = stored[message.id] else {
        context.insert(new)
        continue
      }
      (old.version, old.digest, old.vector) = (new.version, new.digest, new.vector)
      old.conversationID = new.conversationID
    }
    try matchQuestions(missing, vectors, context)
    try context.save()
    return missing.count
  }

  /// Matches the questions of messages again, because embeddings match them better than words.
  private func matchQuestions(_ messages: [MessageEntity], _ vectors: [Embedding], _ context: ModelContext) throws {
    let embeddings = Dictionary(zip(messages.map(\.id), vectors), uniquingKeysWith: { first, _ in first })
    var assistant = try Assistant(context, meaning: model, embeddings: embeddings)
    let conversations = try AssistService.conversations(of: messages, context)
    for message in messages { try assistant.matchQuestion(message, in: conversations[message.conversationID]) }
  }
}
