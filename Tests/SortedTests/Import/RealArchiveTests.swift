import Foundation
import Sorted
import SwiftData
import Testing

@Suite("The real IRC logs", .enabled(if: RealData.isThere, "../shared/data/ubuntu-irc is not beside the repository"))
struct RealArchiveTests {
  @Test("The whole folder: 221,597 messages, 173 conversations, all 247,963 lines; again without a change")
  func whole() throws {
    let folder = try TemporaryFolder()
    let reader = try IRCReader(path: RealData.ircFolder)
    let report = try folder.bringIn(reader)
    #expect(report.messages == 221_597)
    #expect(report.conversations == 173)
    #expect(report.lines == 247_963)
    #expect(report.messages + report.events + report.skipped.count == report.lines)
    #expect(report.changes == 221_597 + 173)
    let context = try folder.context()
    #expect(try context.fetchCount(FetchDescriptor<MessageEntity>()) == 221_597)
    #expect(try context.fetchCount(FetchDescriptor<ConversationEntity>()) == 173)
    let again = try folder.bringIn(reader)
    #expect(again.changes == 0)
    #expect(again.skipped == report.skipped)
  }

  @Test("Sorting by time gives the order of the lines in every file")
  func order() throws {
    let reader = try IRCReader(path: RealData.ircFolder)
    for file in try reader.files() {
      let messages = try reader.read(file).conversations.flatMap(\.messages)
      let isInOrder = zip(messages, messages.dropFirst()).allSatisfy { $0.createdAt < $1.createdAt }
      #expect(isInOrder, "\(file.lastPathComponent)")
    }
  }

  @Test("With threads the messages are the same, and each annotated conversation that has one is a conversation")
  func threads() throws {
    let reader = try IRCReader(path: RealData.ircFolder, withThreads: true)
    var conversations = Set<String>()
    var messages = 0
    for file in try reader.files() {
      let parsed = try reader.read(file)
      conversations.formUnion(parsed.conversations.map(\.id))
      messages += parsed.messageCount
    }
    #expect(messages == 221_597)
    #expect(conversations.count == 173 + 10_067)
  }
}
