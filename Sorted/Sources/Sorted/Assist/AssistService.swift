import AssistModel
import Foundation
import SwiftData

/// Judges what waits in a store: new messages, edited ones, and all of them where asked for. No text leaves the machine.
///
/// It works in batches, each read and saved by a context of its own. It can be stopped after any batch; what waits is known
/// from the messages themselves, so another run goes on from there.
public struct AssistService: Sendable {
  private let container: ModelContainer
  private let meaning: MeaningModel?
  /// How many messages are saved together.
  static let batchSize = 500

  /// Makes the service of a store.
  public init(container: ModelContainer) { self.init(container: container, meaning: nil) }

  /// Makes the service of a store, which matches the questions of messages with vectors by them.
  package init(container: ModelContainer, meaning: MeaningModel?) {
    self.container = container
    self.meaning = meaning
  }

  /// How many messages wait.
  /// - Throws: `SwiftDataError`.
  public func waitingCount() throws -> Int { try ModelContext(container).fetchCount(Self.waiting()) }

  /// Judges every message that waits.
  /// - Parameters:
  ///   - limit: after how many messages it stops; nil is never.
  ///   - stop: what may stop it between two batches.
  ///   - progress: called after each batch with how many are done and how many there were.
  /// - Returns: how many messages were judged.
  /// - Throws: `SwiftDataError`; `WeightsError` where the weights are missing. Saved batches stay.
  /// - Complexity: linear in the number of messages that wait.
  @discardableResult
  public func judgeWaiting(
    limit: Int? = nil, stop: ImportSession.StopSign = .init(),
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> Int {
    let total = try waitingCount()
    var done = 0
    try judgeBatches(limit: limit, stop: stop) { ids in
      done += ids.count
      progress(min(done, total), max(total, done))
    }
    return done
  }

  /// The same without a count of what waits.
  /// - Parameter judged: called after each batch with the messages that were judged.
  /// - Throws: as ``judgeWaiting(limit:stop:progress:)``.
  func judgeBatches(
    limit: Int? = nil, stop: ImportSession.StopSign, judged: ([String]) -> Void
  ) throws {
    var done = 0
    while !stop.isRaised, done < limit ?? .max {
      let ids = try judgeBatch()
      if ids.isEmpty { break }
      done += ids.count
      judged(ids)
    }
  }

  /// Has every message judged again: the next ``judgeWaiting(limit:stop:progress:)`` takes them all.
  /// - Throws: `SwiftDataError`.
  public func forgetAll() throws {
    try ModelContext(container).update(model: MessageEntity.self, set: .assign(\.assistVersion, 0))
  }

  /// The messages that no weights of this version have judged.
  static func waiting(limit: Int? = nil) -> FetchDescriptor<MessageEntity> {
    let version = MessageModel.version
    var descriptor = FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.assistVersion < version })
    descriptor.fetchLimit = limit
    return descriptor
  }

  /// - Returns: the messages that were judged.
  private func judgeBatch() throws -> [String] {
    let context = ModelContext(container)
    let messages = try context.fetch(Self.waiting(limit: Self.batchSize))
    if messages.isEmpty { return [] }
    var assistant = try Assistant(context, meaning: meaning, known: try vectors(of: messages, context))
    let conversations = try Self.conversations(of: messages, context)
    for message in messages { try assistant.judge(message, in: conversations[message.conversationID]) }
    try context.save()
    try redoEdited(messages)
    return messages.map(\.id)
  }

  /// The vectors that are of the messages' texts.
  private func vectors(of messages: [MessageEntity], _ context: ModelContext) throws -> [String: MeaningVector] {
    guard meaning != nil else { return [:] }
    let ids = messages.map(\.id)
    let messages = Dictionary(messages.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let found = try context.fetch(FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let current = found.compactMap { kept -> (String, MeaningVector)? in
      guard let message = messages[kept.id], kept.isOf(message) else { return nil }
      return MeaningVector(kept.vector).map { (kept.id, $0) }
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

  /// A text may have changed between the reading and the saving of a batch. Such a message waits again.
  private func redoEdited(_ messages: [MessageEntity]) throws {
    let texts = Dictionary(messages.map { ($0.id, $0.text) }, uniquingKeysWith: { first, _ in first })
    let ids = messages.map(\.id)
    let context = ModelContext(container)
    let stored = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    for message in stored where message.text != texts[message.id] { message.forgetJudgement() }
    if context.hasChanges { try context.save() }
  }
}
