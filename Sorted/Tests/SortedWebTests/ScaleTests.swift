import Foundation
import Sorted
import SwiftData
import SwiftDataTesting
import Testing

@testable import SortedWeb

@Suite("Long conversations") struct ScaleTests {
  /// Conversations of all lengths, each message later than the one before.
  private static func fill(_ container: ModelContainer, _ lengths: [Int]) throws {
    for length in lengths {
      let id = "long/\(length)"
      let context = ModelContext(container)
      let conversation = ConversationEntity(id: id, participantIDs: ["me", "x"])
      conversation.lastMessageAt = Date(timeIntervalSince1970: Double(length))
      context.insert(conversation)
      try context.save()
      for start in stride(from: 1, through: length, by: 2_000) {
        try add(start...min(start + 1_999, length), to: id, of: length, ModelContext(container))
      }
    }
  }

  /// With a context that does not have the conversation's messages: they need not be looked through for each.
  private static func add(_ numbers: ClosedRange<Int>, to id: String, of length: Int, _ context: ModelContext) throws {
    let found = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
    let conversation = try #require(found.first)
    for number in numbers {
      let message = MessageEntity(
        id: "\(length)/\(number)", conversationID: id, senderID: "x", text: "message \(number)",
        createdAt: Date(timeIntervalSince1970: Double(number)), status: .read, syncStatus: .synced)
      context.insert(message)
      message.conversation = conversation
    }
    try context.save()
  }

  @Test("A thread of 100,000 messages opens with the statements and the steps of one of 100")
  func statements() throws {
    let inbox = try SortedContainer.inMemory()
    let own = try WebSchema.inMemory()
    try Self.fill(inbox, [100, 100_000])
    func open(_ length: Int, _ position: ThreadPosition) throws -> (statements: [String], steps: Int) {
      func page() throws {
        let access = Access(
          work: Work(inbox: ModelContext(inbox), own: ModelContext(own), setting: Setting()), viewer: .owner("me"))
        let list = try ConversationList(access: access, filter: ListFilter()).page()
        _ = try ListView(list, ListFilter(), access)
        let conversation = try #require(list.conversations.first { $0.id == "long/\(length)" })
        let view = try ThreadView(
          access, conversation, position, list.standings[conversation], place: list.standings.places[conversation.id],
          sight: list.sight, unread: list.unread[conversation])
        #expect(view.stretch.messages.count >= ThreadReader.pageSize)
      }
      return (try StatementTrace.record(page).statements, try StatementTrace.virtualMachineSteps(of: page))
    }
    let pairs: [(ThreadPosition, ThreadPosition)] = [
      (.newest, .newest), (.before("100/50"), .before("100000/50000")), (.around("100/50"), .around("100000/50000")),
    ]
    for (inShort, inLong) in pairs {
      let (short, long) = (try open(100, inShort), try open(100_000, inLong))
      #expect(short.statements == long.statements)
      #expect(long.statements.count <= 14, "\(long.statements.joined(separator: "\n"))")
      #expect(long.steps < short.steps * 3 / 2)
    }
  }

  @Test("A thread beside the list reads the names and pictures for both in one statement, also the thread of a group")
  func people() throws {
    let (inbox, own) = (try SortedContainer.inMemory(), try WebSchema.inMemory())
    let (filling, address) = (ModelContext(inbox), PictureCabinet.path + PictureCabinet.newName(of: "bob"))
    filling.insert(UserEntity(id: "bob", email: "", displayName: "Bob", photoURL: address))
    filling.insert(ConversationEntity(id: "two", participantIDs: ["me", "bob"]))
    filling.insert(ConversationEntity(id: "group", participantIDs: ["me", "bob", "carol"], isGroup: true))
    try filling.save()
    for id in ["two", "group"] {
      let statements = try StatementTrace.record {
        let access = Access(
          work: Work(inbox: ModelContext(inbox), own: ModelContext(own), setting: Setting()), viewer: .owner("me"))
        let list = try ConversationList(access: access, filter: ListFilter()).page()
        let rows = try ListView(list, ListFilter(), access, current: id).items.map(\.row)
        #expect(rows.first { $0.slug == Slug.encode("two") }?.rowPicture == address)
        let conversation = try #require(list.conversations.first { $0.id == id })
        let thread = try ThreadView(
          access, conversation, .newest, list.standings[conversation], place: nil, sight: list.sight, unread: 0)
        #expect(thread.members.first { $0.memberSlug == Slug.encode("bob") }?.memberPicture == address)
      }.statements
      #expect(statements.count { $0.contains("FROM \"UserEntity\"") } == 1, "\(id): \(statements)")
    }
  }

  /// Conversations of ann and bob with ten messages each, alternately theirs; ann has read as many as `read` says.
  private static func fillShared(
    _ inbox: ModelContainer, _ own: ModelContainer, count: Int, read: (Int) -> Int?
  ) throws {
    let (context, places) = (ModelContext(inbox), ModelContext(own))
    for number in 0..<count {
      let conversation = ConversationEntity(id: "c\(number)", participantIDs: ["ann", "bob"])
      context.insert(conversation)
      for index in 1...10 {
        let message = MessageEntity(
          id: "c\(number)/\(index)", conversationID: conversation.id, senderID: index.isMultiple(of: 2) ? "ann" : "bob",
          text: "message \(index)", createdAt: Date(timeIntervalSince1970: Double(number * 100 + index)), status: .sent,
          syncStatus: .synced)
        context.insert(message)
        message.conversation = conversation
        conversation.updateWithMessage(message)
      }
      if let read = read(number) {
        let place = PlaceEntity(userID: "ann", conversationID: conversation.id)
        place.readUpTo = Date(timeIntervalSince1970: Double(number * 100 + read))
        places.insert(place)
      }
    }
    try context.save()
    try places.save()
  }

  @Test("A member's list counts the unread messages of all its conversations in one statement")
  func unreadOfMembers() throws {
    func page(_ count: Int, _ filter: ListFilter = ListFilter()) throws -> (unread: [Int], statements: [String]) {
      let (inbox, own) = (try SortedContainer.inMemory(), try WebSchema.inMemory())
      // Some were never read, some up to the fourth, sixth and last message.
      try Self.fillShared(inbox, own, count: count) { [nil, 4, 6, 10][$0 % 4] }
      let work = Work(inbox: ModelContext(inbox), own: ModelContext(own), setting: Setting(hasAccounts: true))
      let access = Access(work: work, viewer: .member("ann"))
      let (view, trace) = try StatementTrace.record {
        try ListView(try ConversationList(access: access, filter: filter).page(), filter, access)
      }
      return (view.items.map(\.row.unread), trace)
    }
    let (few, many) = (try page(8), try page(120))
    #expect(few.unread == [0, 2, 3, 5, 0, 2, 3, 5])
    #expect(many.unread == (0..<50).map { [0, 2, 3, 5][$0 % 4] })
    #expect(many.statements.count == few.statements.count && many.statements.count <= 6, "\(many.statements)")
    // Ann wrote last everywhere, so that only the messages say what is unread.
    let unread = try page(120, ListFilter().with { $0.kind = .unread })
    #expect(unread.unread == (0..<50).map { [2, 3, 5][$0 % 3] })
    #expect(unread.statements.count <= many.statements.count + 2)
  }

  @Test("A count of unread messages reads those on an index, and a thread that has 100 of them is counted once")
  func unreadOfLongThreads() throws {
    let (inbox, own) = (try SortedContainer.inMemory(), try WebSchema.inMemory())
    try Self.fill(inbox, [20_000, 50])
    let work = Work(inbox: ModelContext(inbox), own: ModelContext(own), setting: Setting(hasAccounts: true))
    func counts(_ user: String, _ read: [Int: Int]) throws -> (counts: [Int], steps: Int) {
      let access = Access(work: work, viewer: .member(user))
      let conversations = try [20_000, 50].map { try access.conversation("long/\($0)") }
      let places = read.map { length, mark in
        let place = PlaceEntity(userID: user, conversationID: "long/\(length)")
        place.readUpTo = Date(timeIntervalSince1970: Double(mark))
        return (place.conversationID, place)
      }
      let byID = Dictionary(uniqueKeysWithValues: places)
      var found: [Int] = []
      let steps = try StatementTrace.virtualMachineSteps {
        let sight = try access.sight(of: conversations.map(\.id), Array(byID.values))
        let unread = try UnreadCounts(conversations, byID, sight, access)
        found = conversations.map { unread[$0] }
      }
      return (found, steps)
    }
    let read = try counts("me", [20_000: 19_990, 50: 20])
    #expect(read.counts == [10, 30])
    #expect(read.steps < 3_000, "\(read.steps)")
    let first = try counts("me", [:])
    #expect(first.counts == [100, 50])
    let second = try counts("me", [:])
    #expect(second.counts == [100, 50])
    #expect(second.steps < first.steps / 20, "\(first.steps), \(second.steps)")
    // A later read mark counts again.
    #expect(try counts("me", [20_000: 19_950]).counts == [50, 50])
    #expect(try counts("x", [:]).counts == [0, 0])
  }

  @Test("A person who deletes unread messages of a thread that has a hundred of them sees how many are left")
  func unreadAfterDeleting() throws {
    let (inbox, own, fullThreads) = (try SortedContainer.inMemory(), try WebSchema.inMemory(), FullThreads())
    try Self.fill(inbox, [120])
    func read<T>(_ body: (Access, ConversationEntity) throws -> T) throws -> T {
      let setting = Setting(hasAccounts: true)
      let work = Work(
        inbox: ModelContext(inbox), own: ModelContext(own), setting: setting, fullThreads: fullThreads)
      return try work.saving { work in
        let access = Access(work: work, viewer: .member("me"))
        return try body(access, try access.conversation("long/120"))
      }
    }
    func count() throws -> Int {
      try read { try UnreadCounts([$1], [:], $0.sight(of: [$1.id]), $0)[$1] }
    }
    #expect(try count() == 100)
    try read { access, conversation in
      for number in 1...50 {
        try DeletedMessages(access: access).hide(try access.anyMessage("120/\(number)", in: conversation))
      }
    }
    #expect(try count() == 70)
  }

  @Test("A search for conversations by name or person is one statement with a limit, whatever their number")
  func conversationsByName() throws {
    let inbox = try SortedContainer.inMemory()
    let filling = ModelContext(inbox)
    for number in 0..<500 {
      let conversation = ConversationEntity(
        id: "c\(number)", participantIDs: ["ann", number.isMultiple(of: 5) ? "Bob" : "carol"],
        displayName: number.isMultiple(of: 7) ? "Café \(number)" : nil)
      conversation.lastMessageAt = Date(timeIntervalSince1970: Double(number))
      filling.insert(conversation)
    }
    try filling.save()
    let all = try filling.fetch(FetchDescriptor<ConversationEntity>())
    for viewer in [Viewer.owner("me"), .member("ann"), .member("bob"), .member("stranger")] {
      let context = ModelContext(inbox)
      let access = Access(
        work: Work(inbox: context, own: ModelContext(try WebSchema.inMemory()), setting: Setting()), viewer: viewer)
      for predicate in [
        access.conversations(containing: ""), access.conversations(containing: "bob"),
        access.conversations(containing: "CAFE"), access.conversations(with: "carol"),
      ] {
        var latest = FetchDescriptor(
          predicate: predicate, sortBy: [SortDescriptor(\ConversationEntity.lastMessageAt, order: .reverse)])
        latest.fetchLimit = 12
        var found = [ConversationEntity]()
        let statements = try StatementTrace.record { found = try context.fetch(latest) }.statements
        #expect(statements.count == 1 && statements[0].contains("LIMIT"), "\(statements)")
        let expected = try all.filter { try predicate.evaluate($0) }
          .sorted { ($0.lastMessageAt ?? .distantPast) > ($1.lastMessageAt ?? .distantPast) }.prefix(12)
        #expect(found.map(\.id) == expected.map(\.id))
      }
    }
  }
}
