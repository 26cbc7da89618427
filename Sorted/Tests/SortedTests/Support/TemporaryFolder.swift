import Foundation
import Sorted
import SwiftData

/// A folder of its own for a test's archives and store, removed when the test lets go of it.
final class TemporaryFolder {
  let url: URL
  var store: URL { url.appendingPathComponent("inbox.store") }

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("SortedTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Writes a file and returns where it is.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> URL { try write(name, Array(text.utf8)) }

  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data(bytes).write(to: file)
    return file
  }

  /// A context of a container of its own over the store, as another start of the program would have it.
  func context() throws -> ModelContext { ModelContext(try SortedContainer.open(store)) }

  /// Brings an archive into the store.
  @discardableResult
  func bringIn(
    _ reader: some ArchiveReader, chunkSize: Int = 2_000, stop: ImportSession.StopSign = .init(),
    progress: (ImportReport, Double) -> Void = { _, _ in }
  ) throws -> ImportReport {
    try ImportSession(container: try SortedContainer.open(store), chunkSize: chunkSize)
      .run(reader, stop: stop, progress: progress)
  }

  /// Everything in the store that an import writes, a line each: to compare two stores.
  func contents() throws -> [String] {
    let context = try context()
    let conversations = try context.fetch(FetchDescriptor<ConversationEntity>(sortBy: [SortDescriptor(\.id)]))
    let messages = try context.fetch(FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.id)]))
    return conversations.map {
      "\($0.id)|\($0.displayName ?? "-")|\($0.participantIDs)|\($0.isGroup)|\($0.createdAt.timeIntervalSince1970)"
        + "|\($0.lastMessageText ?? "-")|\($0.lastMessageAt?.timeIntervalSince1970 ?? 0)"
        + "|\($0.lastMessageSenderID ?? "-")|\($0.messages.count)"
    }
      + messages.map {
        "\($0.id)|\($0.conversationID)|\($0.conversation?.id ?? "-")|\($0.senderID)|\($0.text)"
          + "|\($0.createdAt.timeIntervalSince1970)|\($0.status)|\($0.syncStatus)"
      }
  }
}

extension Date {
  /// A time written as 2008-04-27T09:30:00Z.
  init(_ text: String) throws { self = try Date(text, strategy: .iso8601) }
}

/// The real input that lies beside the repository, if it is there.
enum RealData {
  static let ircFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent()  // Support
    .deletingLastPathComponent()  // SortedTests
    .deletingLastPathComponent()  // Tests
    .deletingLastPathComponent()  // Sorted
    .deletingLastPathComponent()
    .appendingPathComponent("../shared/data/ubuntu-irc").standardizedFileURL

  static var isThere: Bool { FileManager.default.fileExists(atPath: ircFolder.path) }
}
