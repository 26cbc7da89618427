import Foundation
import SwiftData
import Synchronization

/// Imports archives into a store in chunks. Each chunk has its own context and save, so memory stays small, and an
/// interruption loses nothing that was saved. Importing the same archive again changes nothing.
public struct ImportSession {
  private let container: ModelContainer
  private let chunkSize: Int

  /// Makes a session for a store.
  /// - Parameters:
  ///   - container: the store.
  ///   - chunkSize: the maximum number of messages per save.
  public init(container: ModelContainer, chunkSize: Int = 2_000) {
    self.container = container
    self.chunkSize = max(1, chunkSize)
  }

  /// Stops a running import after the current chunk. Any thread or signal handler may raise it.
  public final class StopSign: Sendable {
    private let raised = Atomic(false)
    /// Makes a sign that is not raised.
    public init() {}
    /// Raises the sign.
    public func raise() { raised.store(true, ordering: .relaxed) }
    /// Whether the sign was raised.
    public var isRaised: Bool { raised.load(ordering: .relaxed) }
  }

  /// Imports an archive.
  /// - Parameters:
  ///   - reader: the archive.
  ///   - stop: stops the import between two chunks when raised.
  ///   - progress: called after each chunk with the report so far and the fraction of finished files.
  /// - Throws: errors of the reader or the store. Saved chunks stay.
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

  /// The counts of the report, with sets that prevent double counting.
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

  /// Splits conversations into chunks of at most a number of messages.
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

/// The result of an import.
public struct ImportReport: Equatable, Sendable {
  /// The number of completely read files.
  public var files = 0
  /// The number of lines or records in those files.
  public var lines = 0
  /// The number of stored messages.
  public var messages = 0
  /// The number of their conversations.
  public var conversations = 0
  /// The number of their senders.
  public var participants = 0
  /// The number of joins, renames, actions, notices and service messages.
  public var events = 0
  /// The number of created or changed messages.
  public var changedMessages = 0
  /// The number of created or changed conversations.
  public var changedConversations = 0
  /// The lines that are neither messages nor events.
  public var skipped: [SkippedLine] = []
  /// Whether the import was stopped. Running it again completes it.
  public var isInterrupted = false

  /// The number of created or changed messages and conversations.
  public var changes: Int { changedMessages + changedConversations }
}

extension ImportReport: Encodable {
  private enum CodingKeys: CodingKey {
    case files, lines, messages, conversations, participants, events
    case changes, changedMessages, changedConversations, skipped, isInterrupted
  }

  /// Encodes all counts and the sum of the changes.
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
