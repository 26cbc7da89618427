import AssistModel
import Foundation
import SwiftData

/// Keeps the vectors of a store's messages: makes missing ones, replaces vectors of edited messages, and deletes vectors
/// of messages that are gone. No text leaves the machine.
///
/// It compares messages and vectors by their identifiers and texts, so it repairs any difference: after an import, a sync,
/// an older program, a power cut. It works in batches with a context each, and can be stopped after any of them.
package struct MeaningService: Sendable {
  private let container: ModelContainer
  let model: MeaningModel
  /// How many messages are compared together.
  static let scanSize = 1_000
  /// How many vectors are saved together: about a quarter of a second of work.
  static let batchSize = 250

  package init(container: ModelContainer, model: MeaningModel) {
    self.container = container
    self.model = model
  }

  /// How many messages have a vector, which may be of an older text.
  /// - Throws: `SwiftDataError`.
  package func count() throws -> Int { try ModelContext(container).fetchCount(FetchDescriptor<MessageVectorEntity>()) }

  /// Compares all messages with their vectors.
  /// - Parameters:
  ///   - stop: what may stop it between two batches.
  ///   - between: called between two batches, for work that is more urgent; it returns messages that changed meanwhile.
  ///   - progress: called after each batch with how many messages are done and how many there are.
  /// - Returns: how many vectors were made.
  /// - Throws: `SwiftDataError`. Saved batches stay.
  /// - Complexity: linear in the number of messages. It holds one batch in memory.
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
      for start in stride(from: 0, to: scan.differing.count, by: Self.batchSize) where !stop.isRaised {
        let end = min(start + Self.batchSize, scan.differing.count)
        made += try make(Array(scan.differing[start..<end]))
        progress(min(total, done + start), total)
        made += try update(between())
      }
      done += scan.count
      progress(min(total, done), total)
      last = scan.last
    }
    return made
  }

  /// Brings the vectors of some messages up to date.
  /// - Returns: how many vectors were made.
  /// - Throws: `SwiftDataError`. Saved batches stay.
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
    /// The messages whose vectors are missing or of another text.
    var differing: [String]
  }

  /// Compares a stretch of messages, in the order of their identifiers, with their vectors, and deletes vectors without a
  /// message.
  /// - Returns: nil after the last one.
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
    let kept = try context.fetch(
      FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { $0.id > last && $0.id <= end }),
      selecting: \.id, \.version, \.digest)
    var digests = Dictionary(
      kept.map { ($0.0, $0.1 == version ? $0.2 : nil) }, uniquingKeysWith: { first, _ in first })
    var differing: [String] = []
    for (id, text, conversationID, deletedAt) in rows where deletedAt == nil {
      let digest = MessageVectorEntity.digest(of: text, in: conversationID)
      if digests.removeValue(forKey: id) ?? nil != digest { differing.append(id) }
    }
    if !digests.isEmpty {
      try MessageVectorEntity.delete(of: Array(digests.keys), in: context)
      try context.save()
    }
    return Scan(count: rows.count, last: end, differing: differing)
  }

  // MARK: - Making

  /// - Returns: how many vectors were made.
  private func make(_ ids: [String]) throws -> Int {
    let context = ModelContext(container)
    let messages = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let there = Set(messages.filter { $0.deletedAt == nil }.map(\.id))
    let gone = ids.filter { !there.contains($0) }
    try MessageVectorEntity.delete(of: gone, in: context)
    let kept = Dictionary(
      try context.fetch(FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { ids.contains($0.id) }))
        .map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let missing = messages.filter { there.contains($0.id) && kept[$0.id]?.isOf($0) != true }
    guard !missing.isEmpty else {
      try context.save()
      return 0
    }
    let vectors = model.vectors(of: missing.map(\.text)).map(MeaningVector.init)
    for (message, vector) in zip(missing, vectors) {
      let new = MessageVectorEntity(message, vector)
      guard let old = kept[message.id] else {
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

  /// Which question a message asks is known better with its vector.
  private func matchQuestions(_ messages: [MessageEntity], _ vectors: [MeaningVector], _ context: ModelContext) throws {
    let known = Dictionary(zip(messages.map(\.id), vectors), uniquingKeysWith: { first, _ in first })
    var assistant = try Assistant(context, meaning: model, known: known)
    let conversations = try AssistService.conversations(of: messages, context)
    for message in messages { try assistant.matchQuestion(message, in: conversations[message.conversationID]) }
  }
}
