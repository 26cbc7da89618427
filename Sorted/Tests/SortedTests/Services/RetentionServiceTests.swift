import Foundation
import Sorted
import SwiftData
import SwiftDataTesting
import Testing

@Suite("The clean-up of old messages") struct RetentionServiceTests {
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)
  private let context: ModelContext
  private let service: RetentionService

  init() throws {
    context = ModelContext(try SortedContainer.inMemory())
    service = RetentionService(context: context)
  }

  private static func day(_ age: Int, seconds: Double = 0) -> Date {
    now.addingTimeInterval(Double(-age) * 86_400 + seconds)
  }

  private static var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }

  @discardableResult
  private func add(_ id: String, ages: [Int], status: SyncStatus = .synced) throws -> ConversationEntity {
    let conversation = ConversationEntity(id: id, participantIDs: ["a"])
    context.insert(conversation)
    for age in ages {
      let message = MessageEntity(
        id: "\(id)/\(age)", conversationID: id, senderID: "a", text: "x", createdAt: Self.day(age), syncStatus: status)
      conversation.messages.append(message)
      conversation.updateWithMessage(message)
    }
    try context.save()
    return conversation
  }

  private func clean(_ days: Int) throws -> RetentionService.Report {
    try service.deleteMessages(olderThan: days, now: Self.now, calendar: Self.calendar)
  }

  private func ids() throws -> [String] {
    try context.fetch(FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.id)])).map(\.id)
  }

  @Test("What is older than the limit goes, what is exactly as old or younger stays, and the preview says the same")
  func limit() throws {
    let conversation = try add("a", ages: [40, 31, 30, 29, 0])
    let preview = try service.preview(olderThan: 30, now: Self.now, calendar: Self.calendar)
    #expect(preview == .init(cutoff: Self.day(30), deleted: 2, stayed: 0))
    #expect(try ids().count == 5)
    #expect(try clean(30) == preview)
    #expect(try ids() == ["a/0", "a/29", "a/30"])
    #expect(Set(conversation.messages.map(\.id)) == ["a/0", "a/29", "a/30"])
    #expect(conversation.lastMessageAt == Self.day(0))
    #expect(try clean(30).deleted == 0)
  }

  @Test("Days are the calendar's: across the end of summer time one has 25 hours")
  func summerTime() throws {
    var berlin = Calendar(identifier: .gregorian)
    berlin.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let noon = try Date("2023-10-29T11:00:00Z")
    #expect(try service.preview(olderThan: 1, now: noon, calendar: berlin).cutoff == Date("2023-10-28T10:00:00Z"))
  }

  @Test("What waits to be sent stays, however old: pending and failed messages, and those whose file is not there yet")
  func pending() throws {
    try add("a", ages: [99, 98], status: .pending)
    try add("b", ages: [99], status: .failed)
    let files = try add("c", ages: [99, 98, 97])
    for (index, message) in files.messages.enumerated() {
      let file = AttachmentEntity(
        id: "\(index)", type: .image, localURL: "l", fileSize: 1, mimeType: "m", fileName: "f")
      message.attachments = [file]
      if index == 1 { file.markAsUploaded(url: "u") }
      if index == 2 { file.markAsFailed(error: "e") }
    }
    try context.save()
    #expect(try clean(1) == .init(cutoff: Self.day(1), deleted: 1, stayed: 5))
    #expect(try ids() == ["a/98", "a/99", "b/99", "c/97", "c/99"])
    // The file goes with its message.
    #expect(
      try context.fetch(FetchDescriptor<AttachmentEntity>(sortBy: [SortDescriptor(\.id)])).map(\.id) == ["0", "2"])
  }

  @Test("A kept conversation keeps its messages, and a message without a conversation is cleaned up")
  func kept() throws {
    let inbox = InboxService(context: context)
    let conversation = try add("a", ages: [9])
    #expect(try inbox.setKept(true, conversation))
    context.insert(
      MessageEntity(
        id: "lone", conversationID: "z", senderID: "a", text: "x", createdAt: Self.day(9), syncStatus: .synced))
    try context.save()
    #expect(try clean(1) == .init(cutoff: Self.day(1), deleted: 1, stayed: 1))
    #expect(try ids() == ["a/9"])
    try inbox.setKept(false, conversation)
    #expect(try clean(1).deleted == 1)
  }

  @Test("A conversation has no more unread messages than are left of it; one that lost none keeps its count")
  func unread() throws {
    for (id, ages, unread) in [("a", [9, 8, 0], 2), ("b", [9, 0], 1), ("c", [0], 5), ("d", [9], 0)] {
      try add(id, ages: ages).unreadCount = unread
    }
    try context.save()
    #expect(try clean(1).deleted == 4)
    let left = try context.fetch(FetchDescriptor<ConversationEntity>(sortBy: [SortDescriptor(\.id)]))
    #expect(left.map(\.unreadCount) == [1, 1, 5, 0])
  }

  @Test("A negative number of days is refused, and nothing is deleted")
  func negative() throws {
    try add("a", ages: [9])
    #expect(throws: DataLayerError.self) { try clean(-1) }
    #expect(try ids() == ["a/9"])
  }

  @Test("Two thousand messages cost as many statements as twenty, and none of them is loaded")
  func statements() throws {
    func statements(_ id: String, _ count: Int) throws -> [String] {
      try add(id, ages: Array(2..<(2 + count))).unreadCount = 1
      try context.save()
      let other = RetentionService(context: ModelContext(context.container))
      let (report, statements) = try StatementTrace.record {
        try other.deleteMessages(olderThan: 1, now: Self.now, calendar: Self.calendar)
      }
      #expect(report.deleted == count)
      return statements
    }
    let few = try statements("a", 20)
    let many = try statements("b", 2_000)
    #expect(few.count == many.count)
    #expect(many.count <= 20, "\(many.prefix(20).joined(separator: "\n"))")
    #expect(!many.contains { $0.hasPrefix("SELECT") && $0.contains("supermemoryID") })
  }
}
