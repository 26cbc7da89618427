import AssistModel
import Foundation
import SwiftData

/// Classifies the pending messages of a store. No text leaves the machine.
///
/// A message is pending if no weights of the current version have classified it: it is new or edited, or its classification was reset.
/// The service works in batches, and reads and saves each batch with a context of its own. A run that stops after a batch is
/// resumed by the next run, because the messages store whether they are pending.
public struct AssistService: Sendable {
  private let container: ModelContainer
  private let meaning: MeaningModel?
  /// The number of messages in a batch, which one save stores.
  static let batchSize = 500

  /// Makes the service of a store. It matches questions by words.
  public init(container: ModelContainer) { self.init(container: container, meaning: nil) }

  /// Makes the service of a store. It matches questions by embeddings if `meaning` is given and a message has an embedding.
  package init(container: ModelContainer, meaning: MeaningModel?) {
    self.container = container
    self.meaning = meaning
  }

  /// Returns the number of pending messages.
  /// - Throws: `SwiftDataError`.
  public func pendingCount() throws -> Int { try ModelContext(container).fetchCount(Self.pending()) }

  /// Classifies all pending messages.
  /// - Parameters:
  ///   - limit: the number of messages after which the run stops; nil has no limit.
  ///   - stop: the sign that can stop the run between two batches.
  ///   - progress: a closure that the run calls after each batch with the numbers of classified and of all pending messages.
  /// - Returns: the number of classified messages.
  /// - Throws: `SwiftDataError`; `WeightsError` if the weights are missing. Saved batches remain.
  /// - Complexity: linear in the number of pending messages.
  @discardableResult
  public func classifyPending(
    limit: Int? = nil, stop: ImportSession.StopSign = .init(),
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> Int {
    let total = try pendingCount()
    var done = 0
    try classifyBatches(limit: limit, stop: stop) { ids in
      done += ids.count
      progress(min(done, total), max(total, done))
    }
    return done
  }

  /// Classifies all pending messages without counting them first.
  /// - Parameters:
  ///   - limit: the number of messages after which the run stops; nil has no limit.
  ///   - stop: the sign that can stop the run between two batches.
  ///   - classified: a closure that the run calls after each batch with its messages.
  /// - Throws: the same errors as ``classifyPending(limit:stop:progress:)``.
  func classifyBatches(
    limit: Int? = nil, stop: ImportSession.StopSign, classified: ([String]) -> Void
  ) throws {
    var done = 0
    while !stop.isRaised, done < limit ?? .max {
      let ids = try classifyBatch()
      if ids.isEmpty { break }
      done += ids.count
      classified(ids)
    }
  }

  /// Marks all messages as pending.
  /// - Throws: `SwiftDataError`.
  public func resetAll() throws {
    try ModelContext(container).update(model: MessageEntity.self, set: .assign(\.assistVersion, 0))
  }

  /// Returns the descriptor of pending messages.
  static func pending(limit: Int? = nil) -> FetchDescriptor<MessageEntity> {
    let version = MessageModel.version
    var descriptor = FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.assistVersion < version })
    descriptor.fetchLimit = limit
    return descriptor
  }

  /// Classifies the next batch.
  /// - Returns: the identifiers of the batch's messages.
  private func classifyBatch() throws -> [String] { try MeanwhileDeleted.readingAgain(classifyNext) }

  private func classifyNext() throws -> [String] {
    let context = ModelContext(container)
    let messages = try context.fetch(Self.pending(limit: Self.batchSize))
    if messages.isEmpty { return [] }
    var assistant = try Assistant(context, meaning: meaning, embeddings: try embeddings(of: messages, context))
    let conversations = try Self.conversations(of: messages, context)
    for message in messages { try assistant.classify(message, in: conversations[message.conversationID]) }
    try context.save()
    try resetEdited(messages)
    return messages.map(\.id)
  }

  /// Returns the stored embeddings that were made from the current texts of messages.
  private func embeddings(of messages: [MessageEntity], _ context: ModelContext) throws -> [String: Embedding] {
    guard meaning != nil else { return [:] }
    let ids = messages.map(\.id)
    let messages = Dictionary(messages.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let found = try context.fetch(FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let current = found.compactMap { stored -> (String, Embedding)? in
      guard let message = messages[stored.id], stored.isOf(message) else { return nil }
      return Embedding(stored.vector).map { (stored.id, $0) }
    }
    return Dictionary(current, uniquingKeysWith: { first, _ in first })
  }

  static func conversations(of messages: [MessageEntity], _ context: ModelContext) throws -> [String:
    ConversationEntity]
  {
    let ids = Array(Set(messages.map(\.conversationID)))
    let found = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { ids.contains($0.id) }))
    return Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Marks the messages of a batch as pending whose text was edited between the fetch and the save of the batch.
  private func resetEdited(_ messages: [MessageEntity]) throws {
    let texts = Dictionary(messages.map { ($0.id, $0.text) }, uniquingKeysWith: { first, _ in first })
    let ids = messages.map(\.id)
    let context = ModelContext(container)
    let stored = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    for message in stored where message.text != texts[message.id] { message.resetClassification() }
    if context.hasChanges { try context.save() }
  }
}
