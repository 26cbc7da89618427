import Foundation

/// A pass over the queue: the remaining conversations and the next commit.
struct SendRun {
  /// Nil ignores the retry times of failed messages.
  let dueAt: Date?
  private var queue: [String]
  /// Conversations that wait for the next pass.
  private var blocked: Set<String> = []
  /// The maximum number of messages in a commit. A permanently refused commit is halved until one message remains.
  private var limit = MessageSyncService.maximumWrites
  /// Conversations with something that was sent.
  var touched: Set<String> = []
  /// The number of consecutive conflicts.
  var conflicts = 0
  var report = MessageSyncService.Report()

  init(dueAt: Date?, queue: [String]) {
    self.dueAt = dueAt
    self.queue = queue.reversed()
  }

  /// The next commit: whole conversations, or the first messages of a long one. Nil at the end.
  mutating func nextBatch(_ outbox: Outbox) throws -> [OutgoingSlice]? {
    var batch = [OutgoingSlice]()
    var writes = MessageSyncService.maximumWrites
    var messages = limit
    while messages > 0, let id = queue.last {
      guard !blocked.contains(id), var slice = try outbox.slice(id, limit: messages + 1, dueAt: dueAt) else {
        queue.removeLast()
        continue
      }
      guard slice.overhead <= OutgoingSlice.maximumParticipants + 1 else {
        try outbox.fail(slice.messages, OutgoingSlice.tooManyParticipants, isFinal: true)
        report.failed += slice.messages.count
        // Without messages it would come up again and again.
        if slice.messages.isEmpty { blocked.insert(id) }
        continue
      }
      let space = min(messages, writes - slice.overhead)
      guard space >= min(1, slice.messages.count), writes >= slice.overhead else { break }
      let isWhole = slice.messages.count <= space
      slice.messages = Array(slice.messages.prefix(space))
      batch.append(slice)
      writes -= slice.messages.count + slice.overhead
      messages -= max(1, slice.messages.count)
      guard isWhole else { break }
      queue.removeLast()
    }
    return batch.isEmpty ? nil : batch
  }

  /// Postpones conversations to the next pass.
  mutating func block(_ batch: [OutgoingSlice]) { blocked.formUnion(batch.map(\.conversation.id)) }

  /// Returns conversations to the pass, because their messages have changed.
  mutating func again(_ batch: [OutgoingSlice]) {
    for slice in batch.reversed() where !queue.contains(slice.conversation.id) { queue.append(slice.conversation.id) }
  }

  /// Called after a successful commit. The next one may be larger.
  mutating func widen() {
    conflicts = 0
    limit = min(limit * 2, MessageSyncService.maximumWrites)
  }

  /// Called after a permanently refused commit.
  /// - Returns: whether it can be made smaller.
  mutating func narrow(_ batch: [OutgoingSlice]) -> Bool {
    let count = batch.reduce(0) { $0 + max(1, $1.messages.count) }
    guard count > 1 else { return false }
    limit = count / 2
    again(batch)
    return true
  }
}
