import Foundation
import SwiftData
import Synchronization

/// Brings archives into a store: a chunk of messages at a time, each saved by a context of its own before the next is
/// made, so that memory stays small and an interruption loses nothing that was saved. Importing the same archive again
/// changes nothing.
public struct ImportSession {
  private let container: ModelContainer
  private let chunkSize: Int

  /// - Parameter chunkSize: how many messages are saved together at the most.
  public init(container: ModelContainer, chunkSize: Int = 2_000) {
    self.container = container
    self.chunkSize = max(1, chunkSize)
  }

  /// Asks a running import to stop after the chunk at hand. Any thread, or a signal's handler, may ask.
  public final class StopSign: Sendable {
    private let raised = Atomic(false)
    /// Makes one that is not raised.
    public init() {}
    /// Asks.
    public func raise() { raised.store(true, ordering: .relaxed) }
    /// Whether somebody asked.
    public var isRaised: Bool { raised.load(ordering: .relaxed) }
  }

  /// Imports an archive.
  /// - Parameters:
  ///   - reader: the archive.
  ///   - stop: what may stop it between two chunks.
  ///   - progress: called after each chunk with the report so far and the fraction of the files that is done.
  /// - Throws: what the reader or the store throws; chunks that were saved stay.
  public func run(
    _ reader: some ArchiveReader, stop: StopSign = StopSign(), progress: (ImportReport, Double) -> Void = { _, _ in }
  ) throws -> ImportReport {
    var tally = Tally()
    let files = try reader.files()
    for (index, file) in files.enumerated() {
      if stop.isRaised {
        tally.report.isInterrupted = true
        break
      }
      let parsed = try reader.read(file)
      try store(parsed, stop: stop, &tally) { report, fraction in
        progress(report, (Double(index) + fraction) / Double(files.count))
      }
      if tally.report.isInterrupted { break }
      tally.report.files += 1
      tally.report.lines += parsed.lines
      tally.report.events += parsed.events
      tally.report.skipped += parsed.skipped
      progress(tally.report, Double(index + 1) / Double(files.count))
    }
    return tally.report
  }

  /// What the report counts, and the sets that keep it from counting twice.
  private struct Tally {
    var report = ImportReport()
    var participants = Set<String>()
    var conversations = Set<String>()
    var changedConversations = Set<String>()
  }

  private func store(
    _ parsed: ParsedFile, stop: StopSign, _ tally: inout Tally, _ progress: (ImportReport, Double) -> Void
  ) throws {
    let total = Double(max(1, parsed.messageCount))
    var done = 0
    var moved = Set<String>()
    for chunk in chunks(parsed.conversations) {
      if stop.isRaised {
        tally.report.isInterrupted = true
        break
      }
      let changes = try ChunkWriter(context: ModelContext(container)).write(chunk)
      moved.formUnion(changes.moved)
      tally.changedConversations.formUnion(changes.conversations)
      tally.conversations.formUnion(chunk.map(\.id))
      for conversation in chunk { tally.participants.formUnion(conversation.messages.map(\.sender)) }
      let count = chunk.reduce(0) { $0 + $1.messages.count }
      done += count
      tally.report.messages += count
      tally.report.changedMessages += changes.messages
      tally.report.changedConversations = tally.changedConversations.count
      tally.report.conversations = tally.conversations.count
      tally.report.participants = tally.participants.count
      progress(tally.report, Double(done) / total)
    }
    if moved.isEmpty { return }
    tally.changedConversations.formUnion(try ChunkWriter(context: ModelContext(container)).refresh(moved))
    tally.report.changedConversations = tally.changedConversations.count
  }

  /// Cuts conversations into lists of at most so many messages together.
  private func chunks(_ conversations: [ImportedConversation]) -> [[ImportedConversation]] {
    var result: [[ImportedConversation]] = []
    var room = 0
    for conversation in conversations where !conversation.messages.isEmpty {
      var rest = conversation.messages[...]
      while !rest.isEmpty {
        if room == 0 {
          result.append([])
          room = chunkSize
        }
        var part = conversation
        part.messages = Array(rest.prefix(room))
        rest = rest.dropFirst(room)
        room -= part.messages.count
        result[result.count - 1].append(part)
      }
    }
    return result
  }
}

/// What an import did.
public struct ImportReport: Equatable, Sendable {
  /// How many files were read to their end.
  public var files = 0
  /// How many lines or records those files have.
  public var lines = 0
  /// How many messages were read and are stored.
  public var messages = 0
  /// How many conversations they are in.
  public var conversations = 0
  /// How many senders they have.
  public var participants = 0
  /// How many joins, renames, actions, notices and service messages there are.
  public var events = 0
  /// How many messages were made or changed in the store.
  public var changedMessages = 0
  /// How many conversations were made or changed in the store.
  public var changedConversations = 0
  /// Every line that is neither message nor event.
  public var skipped: [SkippedLine] = []
  /// Whether it was stopped before its end; running it again completes it.
  public var isInterrupted = false

  /// How many messages and conversations were made or changed in the store.
  public var changes: Int { changedMessages + changedConversations }
}

extension ImportReport: Encodable {
  private enum CodingKeys: CodingKey {
    case files, lines, messages, conversations, participants, events
    case changes, changedMessages, changedConversations, skipped, isInterrupted
  }

  /// Writes what is above, and the sum of the changes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(files, forKey: .files)
    try container.encode(lines, forKey: .lines)
    try container.encode(messages, forKey: .messages)
    try container.encode(conversations, forKey: .conversations)
    try container.encode(participants, forKey: .participants)
    try container.encode(events, forKey: .events)
    try container.encode(changes, forKey: .changes)
    try container.encode(changedMessages, forKey: .changedMessages)
    try container.encode(changedConversations, forKey: .changedConversations)
    try container.encode(skipped, forKey: .skipped)
    try container.encode(isInterrupted, forKey: .isInterrupted)
  }
}
