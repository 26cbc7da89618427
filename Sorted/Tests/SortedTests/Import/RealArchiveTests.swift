import Foundation
import Sorted
import SwiftData
import Testing

@Suite("The real IRC logs", .enabled(if: RealData.isThere, "../shared/data/ubuntu-irc is not beside the repository"))
struct RealArchiveTests {
  @Test(
    "The whole folder: 221,597 messages, 173 conversations, all 247,963 lines",
    .enabled(
      if: ProcessInfo.processInfo.environment["TEST_ALL"] != nil, "only in make test-all: TEST_ALL is not set"))
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
    // Some days suffice for the second run; other tests import made-up logs twice.
    for (index, file) in try reader.files().enumerated() where index.isMultiple(of: 25) {
      #expect(try folder.bringIn(IRCReader(path: file)).changes == 0, "\(file.lastPathComponent)")
    }
  }

  @Test("With threads the messages are the same, each annotated conversation that has one is one, all in order")
  func threads() throws {
    let reader = try IRCReader(path: RealData.ircFolder, withThreads: true)
    var conversations = Set<String>()
    var messages = 0
    for file in try reader.files() {
      let parsed = try reader.read(file)
      conversations.formUnion(parsed.conversations.map(\.id))
      messages += parsed.messageCount
      // Some logs run past midnight, some have a clock of twelve hours: the order of the lines is the order in time.
      for conversation in parsed.conversations {
        let times = conversation.messages.map(\.createdAt)
        let isInOrder = zip(times, times.dropFirst()).allSatisfy { $0 < $1 }
        #expect(isInOrder, "\(conversation.id)")
      }
    }
    #expect(messages == 221_597)
    #expect(conversations.count == 173 + 10_067)
  }
}
