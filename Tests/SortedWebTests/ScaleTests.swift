import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("Long conversations") struct ScaleTests {
  /// Conversations of all lengths, each message later than the one before.
  private static func fill(_ context: ModelContext, _ lengths: [Int]) throws {
    for length in lengths {
      let conversation = ConversationEntity(id: "long/\(length)", participantIDs: ["me", "x"])
      conversation.lastMessageAt = Date(timeIntervalSince1970: Double(length))
      context.insert(conversation)
      let messages = (1...length).map { number in
        let message = MessageEntity(
          id: "\(length)/\(number)", conversationID: conversation.id, senderID: "x", text: "message \(number)",
          createdAt: Date(timeIntervalSince1970: Double(number)), status: .read, syncStatus: .synced)
        message.conversation = conversation
        return message
      }
      context.insert(contentsOf: messages)
      try context.save()
    }
  }

  @Test("A thread of 100,000 messages opens with the statements and the steps of one of 100")
  func statements() throws {
    let inbox = try SortedContainer.inMemory()
    let own = try WebSchema.inMemory()
    try Self.fill(ModelContext(inbox), [100, 100_000])
    func open(_ length: Int, _ position: ThreadPosition) throws -> (statements: [String], steps: Int) {
      func page() throws {
        let access = Access(work: Work(inbox: ModelContext(inbox), own: ModelContext(own)), viewer: .owner("me"))
        let conversation = try access.conversation("long/\(length)")
        let view = try ThreadView(access, conversation, position, editing: nil)
        #expect(view.stretch.messages.count >= ThreadReader.pageSize)
        _ = try ListView(try ConversationList(access: access, filter: ListFilter()).page(), ListFilter(), access)
      }
      return (try SQLTrace.record(page).statements, try SQLTrace.steps(of: page))
    }
    let pairs: [(ThreadPosition, ThreadPosition)] = [
      (.newest, .newest), (.before("100/50"), .before("100000/50000")), (.around("100/50"), .around("100000/50000")),
    ]
    for (inShort, inLong) in pairs {
      let (short, long) = (try open(100, inShort), try open(100_000, inLong))
      #expect(short.statements == long.statements)
      #expect(long.statements.count < 14)
      #expect(long.steps < short.steps * 3 / 2)
    }
  }
}
