import Foundation
import Sorted
import SwiftData
import SwiftDataTesting
import Testing

@testable import SortedWeb

@Suite("Search through the full-text index") struct SearchTests {
  /// An inbox with messages in two conversations. Each hundredth has a rare word, each has a frequent one.
  private static func inbox(_ count: Int) throws -> ModelContainer {
    let container = try SortedContainer.inMemory()
    let context = ModelContext(container)
    for (id, person) in [("harbour", "ines"), ("studio", "maya")] {
      let conversation = ConversationEntity(id: id, participantIDs: ["me", person], displayName: id.capitalized)
      conversation.lastMessageAt = Date(timeIntervalSince1970: 0)
      context.insert(conversation)
    }
    for number in 0..<count {
      let isHarbour = number % 2 == 0
      context.insert(
        MessageEntity(
          id: "m\(number)", conversationID: isHarbour ? "harbour" : "studio", senderID: isHarbour ? "ines" : "maya",
          text: "The others brought cords, number \(number)\(number % 100 == 0 ? ", for the Café noir" : "")",
          createdAt: Date(timeIntervalSince1970: Double(number)), status: .read, syncStatus: .synced))
    }
    try context.save()
    return container
  }

  private static func access(_ inbox: ModelContainer, _ own: ModelContainer, _ viewer: Viewer = .owner("me")) -> Access
  {
    Access(work: Work(inbox: ModelContext(inbox), own: ModelContext(own), setting: Setting()), viewer: viewer)
  }

  @Test("A rare word costs the same statements in a store of 1,000 and of 4,000 messages")
  func statements() throws {
    let own = try WebSchema.inMemory()
    func cost(_ count: Int, _ text: String) throws -> (found: Int, statements: Int) {
      let inbox = try Self.inbox(count)
      let query = try MessageQuery(text)
      func find() throws -> Int {
        try Self.access(inbox, own).search(query, ListFilter(), limit: 5).messages.count
      }
      let (found, statements) = try StatementTrace.record(find)
      return (found, statements.count)
    }
    // The frequent word has more messages than the index is asked for.
    for (text, most) in [("cafe", 7), ("noir cafe from:ines", 9), ("cafe in:harbour", 8), ("cords", 7)] {
      let (small, large) = (try cost(1_000, text), try cost(4_000, text))
      #expect(small.found == 5 && large.found == 5)
      #expect(small.statements == large.statements && large.statements <= most, "\(text): \(large.statements)")
    }
  }

  @Test("Pages of a rare and of a frequent word follow each other without a gap, the newest first")
  func pages() throws {
    let (inbox, own) = (try Self.inbox(1_200), try WebSchema.inMemory())
    let access = Self.access(inbox, own)
    for (text, expected) in [("cafe", 12), ("cords", 1_200), ("brought cord", 1_200), ("from:maya cords", 600)] {
      var found: [MessageEntity] = []
      while true {
        let page = try access.search(try MessageQuery(text), ListFilter(), limit: 50, after: found.last)
        found += page.messages.map(\.entity)
        #expect(!page.messages.isEmpty)
        guard page.hasMore else { break }
      }
      #expect(found.count == expected && Set(found.map(\.id)).count == expected)
      #expect(found.map(\.createdAt) == found.map(\.createdAt).sorted(by: >))
    }
  }

  @Test("A frequent word is found where words begin, as a rare one is; another person's messages are not found")
  func boundaries() throws {
    let (inbox, own) = (try Self.inbox(1_200), try WebSchema.inMemory())
    let access = Self.access(inbox, own)
    func count(_ text: String, _ access: Access) throws -> Int {
      try access.search(try MessageQuery(text), ListFilter(), limit: 2_000).messages.count
    }
    #expect(try count("others", access) == 1_200)
    #expect(try count("hers", access) == 0)
    #expect(try count("ords", access) == 0)
    #expect(try count("\"brought cords\"", access) == 1_200)
    #expect(try count("\"brought cord\"", access) == 0)
    #expect(try count("\"cords brought\"", access) == 0)
    #expect(try count("?!", access) == 0)
    let maya = Self.access(inbox, own, .member("maya"))
    #expect(try count("cords", maya) == 600)
    #expect(try count("cafe", maya) == 0)
    #expect(try count("cafe in:harbour", maya) == 0)
  }

  @Test("A word after a minus leaves messages out, a sender is found in any case and by name, and days have words")
  func conditions() throws {
    let (inbox, own) = (try SortedContainer.inMemory(), try WebSchema.inMemory())
    let context = ModelContext(inbox)
    let now = Date()
    context.insert(ConversationEntity(id: "c", participantIDs: ["me", "olga"]))
    context.insert(UserEntity(id: "olga", email: "", displayName: "Olga Kask"))
    for (id, sender, text, age) in [
      ("a", "olga", "a lantern and a violin", 0.0), ("b", "olga", "a lantern", 0.0),
      ("c", "me", "a lantern of mine", 86_400.0),
    ] {
      context.insert(
        MessageEntity(
          id: id, conversationID: "c", senderID: sender, text: text, createdAt: now.addingTimeInterval(-age)))
    }
    try context.save()
    func found(_ text: String) throws -> Set<String> {
      Set(
        try Self.access(inbox, own).search(try MessageQuery(text), ListFilter(), limit: 10).messages.map(\.id))
    }
    #expect(try found("lantern") == ["a", "b", "c"])
    #expect(try found("lantern -violin") == ["b", "c"])
    #expect(try found("-violin -mine") == ["b"])
    #expect(try found("lantern -\"and a violin\"") == ["b", "c"])
    for sender in ["olga", "OLGA", "kask", "\"Olga Kask\""] {
      #expect(try found("from:\(sender)") == ["a", "b"], "\(sender)")
    }
    #expect(try found("from:stranger") == [])
    #expect(try found("lantern before:today") == ["c"])
    #expect(try found("on:yesterday") == ["c"])
    #expect(try found("on:today lantern") == ["a", "b"])
    #expect(try found("after:yesterday") == ["a", "b"])
  }

  @Test("A kind finds messages of others: the reader's own are not judged for the reader")
  func ownMessages() throws {
    let (inbox, own) = (try SortedContainer.inMemory(), try WebSchema.inMemory())
    let context = ModelContext(inbox)
    context.insert(ConversationEntity(id: "c", participantIDs: ["me", "john"]))
    for (id, sender) in [("a", "john"), ("b", "me")] {
      let message = MessageEntity(id: id, conversationID: "c", senderID: sender, text: "I love it")
      message.category = .fan
      context.insert(message)
    }
    try context.save()
    let filter = ListFilter().with { $0.category = .fan }
    let found = try Self.access(inbox, own).search(try MessageQuery(""), filter, limit: 10)
    #expect(found.messages.map(\.id) == ["a"] && found.total == 1)
    #expect(try Self.access(inbox, own, .member("john")).search(try MessageQuery("love"), filter, limit: 10).total == 1)
  }
}
