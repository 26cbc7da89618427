import Foundation
import GRDB
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

/// Fails one statement after the other of the saves of a piece of work that changes both stores.
@Suite("Two stores, B5", .serialized, .timeLimit(.minutes(20))) struct SecondSaveTests {
  /// A piece of work, and what has to be true whatever failed.
  struct Job: Sendable, CustomStringConvertible {
    let description: String
    /// Makes what the work needs.
    var prepare: @Sendable (RouteWorld) throws -> Void = { _ in }
    let run: @Sendable (RouteWorld) async throws -> Int
    let check: @Sendable (RouteWorld, _ isDone: Bool) throws -> Void
  }

  private static func post(
    _ path: String, _ fields: [String: String], files: [(String, Data)] = [], as user: String = "ann"
  ) -> @Sendable (RouteWorld) async throws -> Int {
    { world in
      let route = try #require(world.routes.first { $0.path == path && $0.method == .post })
      var call = RouteWorld.Call(route: route, files: files)
      for name in route.parameters { call.parameters[name] = try world.parameter(name, of: route) }
      call.form = fields.mapValues { Data($0.utf8) }
      return try await world.send(call, as: user).status
    }
  }

  private static let key = "BBBBBBBB-0000-4000-8000-000000000002"

  static let jobs: [Job] = [
    Job(description: "a message is sent with a file") { world in
      let own = ModelContext(world.own)
      for place in try own.fetch(FetchDescriptor<PlaceEntity>()) where place.userID == "ann" { place.draft = "sent" }
      try own.save()
    } run: { world in
      try await post("c/:conversation/send", ["key": key, "text": "sent"], files: [("a.png", RouteWorld.picture)])(
        world)
    } check: { world, isDone in
      let message = try world.find(MessageEntity.self).filter({ $0.id == key }).first
      let draft = try world.place("ann").draft
      #expect(message != nil || !draft.isEmpty, "the message is lost")
      #expect(!isDone || message != nil && draft.isEmpty)
      let files = try world.storedFiles().filter { $0 != RouteWorld.file }
      #expect(files == (message?.attachments.map(\.id) ?? []), "a file is lost or left over")
    },
    Job(description: "a message is deleted for everybody") { world in
      try await post("c/:conversation/m/:message/delete-for-all", [:])(world)
    } check: { world, isDone in
      let message = try #require(try world.find(MessageEntity.self).filter({ $0.id == "group/1" }).first)
      let copies = try world.keep(DeletedMessageEntity.self).filter { $0.id == RouteWorld.message }
      #expect(message.deletedAt == nil || copies.count == 1, "the text is lost")
      #expect(!isDone || message.deletedAt != nil)
    },
    Job(description: "a message that was deleted twice is deleted again") { world in
      // The bin has a copy of an earlier deletion.
      let own = ModelContext(world.own)
      own.insert(
        DeletedMessageEntity(id: RouteWorld.message, userID: "ann", conversationID: "group", contents: Data("old".utf8))
      )
      try own.save()
    } run: { world in
      try await post("c/:conversation/m/:message/delete-for-all", [:])(world)
    } check: { world, _ in
      let message = try #require(try world.find(MessageEntity.self).filter({ $0.id == "group/1" }).first)
      let copies = try world.keep(DeletedMessageEntity.self).filter { $0.id == RouteWorld.message }
      #expect(copies.count == 1)
      let copy = try? JSONDecoder().decode(MessageCopy.self, from: try #require(copies.first).contents)
      #expect(message.deletedAt == nil || copy?.text.contains(RouteWorld.secret) == true, "the text is lost")
    },
    Job(description: "a hidden message is restored") { world in
      try await post("c/:conversation/m/:message/restore", [:])(world)
    } check: { world, isDone in
      let hidden = try world.keep(HiddenMessageEntity.self)
      #expect(!isDone || hidden.isEmpty)
      let messages = try world.find(MessageEntity.self).filter { $0.id == "group/3" }
      #expect(messages.count == 1)
    },
    Job(description: "a conversation with an invited person begins") { world in
      try await post("new", ["invite": "1", "people": "stranger", "name": "with a stranger"])(world)
    } check: { world, isDone in
      let made = try world.find(ConversationEntity.self).filter({ $0.displayName == "with a stranger" }).first
      let invited = made?.participantIDs.filter { $0.hasPrefix(InvitationEntity.prefix) } ?? []
      let invitations = try world.keep(InvitationEntity.self).map(\.id)
      #expect(invited.allSatisfy(invitations.contains), "a place is kept for a person who cannot take it")
      #expect(!isDone || invited.count == 1)
    },
    Job(description: "an invitation is accepted") { world in
      try await post("invite/:token", [:], as: "eve")(world)
    } check: { world, isDone in
      let group = try #require(try world.find(ConversationEntity.self).filter({ $0.id == "group" }).first)
      let isIn = group.participantIDs.contains("eve")
      let place = group.participantIDs.filter { $0.hasPrefix(InvitationEntity.prefix) }
      let invitations = try world.keep(InvitationEntity.self).map(\.id)
      #expect(isIn != (place.count == 1), "the place is lost or given twice")
      #expect(place.allSatisfy(invitations.contains), "the invitation is lost")
      #expect(!isDone || isIn)
    },
    Job(description: "a conversation is read") { world in
      try await post("c/:conversation/read", [:])(world)
    } check: { world, isDone in
      let receipt = try #require(try world.find(MessageEntity.self).filter({ $0.id == "group/3" }).first).readBy
      let mark = try world.place("ann").readUpTo
      #expect(mark == nil || receipt.contains("ann"), "the sender is never told")
      #expect(!isDone || mark != nil)
    },
    Job(description: "a group is left") { world in
      try await post("c/:conversation/leave", [:], as: "me")(world)
    } check: { world, isDone in
      let group = try #require(try world.find(ConversationEntity.self).filter({ $0.id == "group" }).first)
      let place = try world.place("me")
      #expect(!isDone || group.hasLeft("me") && place.deletedAt != nil)
    },
    Job(description: "an answer is inserted") { world in
      try await post("c/:conversation/answer/:answer", ["text": "typed"])(world)
    } check: { world, isDone in
      let draft = try world.place("ann").draft
      #expect(draft.contains("draft") || draft.contains("typed"), "the draft is lost")
      #expect(!isDone || draft.hasPrefix("typed"))
    },
    Job(description: "switches are saved") { world in
      try await post("settings/switches", ["previews": "1"])(world)
    } check: { world, isDone in
      let user = try #require(try world.find(UserEntity.self).filter({ $0.id == "ann" }).first)
      let look = try world.keep(LookEntity.self).first
      #expect(!isDone || !user.enableFAQ && look?.showsLinkPreviews == true)
    },
    Job(description: "the bin is emptied") { world in
      let own = ModelContext(world.own)
      let key = PlaceEntity.key("me", RouteWorld.group)
      try own.fetch(FetchDescriptor<PlaceEntity>(predicate: #Predicate { $0.id == key })).first?.deletedAt = Date()
      try own.delete(model: AccountEntity.self)
      try own.save()
    } run: { world in
      let site = world.server.site
      let purge = PurgeService(desk: site.desk, files: site.files, undoTime: 0)
      do { try await purge.purge(now: Date().addingTimeInterval(60)) } catch { return 500 }
      return 200
    } check: { world, isDone in
      let isThere = try world.find(ConversationEntity.self).contains { $0.id == "group" }
      let files = try world.storedFiles()
      #expect(files == (isThere ? [RouteWorld.file] : []), "a file is lost or left over")
      if isThere {
        let place = try world.place("me")
        #expect(place.deletedAt != nil, "what was deleted came back")
      }
      #expect(!isDone || !isThere)
    },
  ]

  @Test("Whichever statement fails, nothing is lost, and the same work done again is complete", arguments: jobs)
  func statements(_ job: Job) async throws {
    try await RouteWorld.with(inFiles: true) { world in
      let stores = ["inbox.store", "web.store"].map { world.folder.appendingPathComponent($0).path }
      let faults = try stores.map { try Fault(store: $0) }
      var failed = 0
      for fault in faults {
        for count in 0..<200 {
          try world.fill()
          try job.prepare(world)
          try fault.arm(after: count)
          let status = try await job.run(world)
          try fault.disarm()
          try job.check(world, status < 400)
          guard status >= 500 else { break }
          failed += 1
          let again = try await job.run(world)
          // An invitation that is taken and a message that is deleted are refused the second time.
          try job.check(world, again < 400)
        }
      }
      print("\(job): \(failed) statements failed")
      #expect(failed >= 2)
    }
  }

  @Test(
    "Work that fails before the inbox is saved takes back what it did elsewhere, and work that fails later does not")
  func takenBack() async throws {
    try await RouteWorld.with(inFiles: true) { world in
      let desk = world.server.site.desk
      let events = Events()
      func run(_ changesInbox: Bool) async throws {
        try await desk.write { work in
          work.ifRefused { events.add("refused") }
          work.ifStored { events.add("stored") }
          if changesInbox { work.inbox.insert(ConversationEntity(participantIDs: ["me"])) }
          work.own.insert(RetentionEntity(userID: UUID().uuidString, days: 1))
        }
      }
      try await run(true)
      let fault = try Fault(store: world.folder.appendingPathComponent("web.store").path)
      try fault.arm(after: 0)
      await #expect(throws: UnfinishedWork.self) { try await run(true) }
      await #expect(throws: SwiftDataError.self) { try await run(false) }
      try fault.disarm()
      #expect(events.all == ["stored", "stored", "refused"])
    }
  }
}

/// What happened, in order.
private final class Events: @unchecked Sendable {
  // @unchecked because the lock guards the list.
  private let lock = NSLock()
  private var list: [String] = []

  func add(_ event: String) { lock.withLock { list.append(event) } }
  var all: [String] { lock.withLock { list } }
}

/// Makes the statements of a store fail, from one that is chosen on. Triggers on all tables count them.
private struct Fault {
  private let queue: DatabaseQueue

  init(store: String) throws {
    queue = try DatabaseQueue(path: store)
    try queue.write { database in
      try database.execute(sql: "CREATE TABLE IF NOT EXISTS _fault (rest INTEGER)")
      try database.execute(sql: "DELETE FROM _fault; INSERT INTO _fault VALUES (1000000000)")
      // The tables of a full-text index are of the type shadow, and take no triggers.
      let tables = try String.fetchAll(
        database,
        sql: """
          SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> '_fault'
          AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          """)
      for table in tables {
        for change in ["INSERT", "UPDATE", "DELETE"] {
          try database.execute(
            sql: """
              CREATE TRIGGER "_fault \(table) \(change)" BEFORE \(change) ON "\(table)" BEGIN
                UPDATE _fault SET rest = rest - 1;
                SELECT RAISE(ABORT, 'this statement fails') FROM _fault WHERE rest < 0;
              END
              """)
        }
      }
    }
  }

  func arm(after count: Int) throws {
    try queue.write { try $0.execute(sql: "UPDATE _fault SET rest = ?", arguments: [count]) }
  }

  func disarm() throws { try arm(after: 1_000_000_000) }
}

extension RouteWorld {
  fileprivate func find<T: PersistentModel>(_ type: T.Type) throws -> [T] {
    try ModelContext(inbox).fetch(FetchDescriptor<T>())
  }

  fileprivate func keep<T: PersistentModel>(_ type: T.Type) throws -> [T] {
    try ModelContext(own).fetch(FetchDescriptor<T>())
  }

  fileprivate func place(_ user: String) throws -> PlaceEntity {
    try #require(try keep(PlaceEntity.self).first { $0.userID == user && $0.conversationID == Self.group })
  }

  /// The files of attachments that are in the folder.
  fileprivate func storedFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: server.site.files.folder.path).filter {
      UUID(uuidString: $0) != nil
    }
  }
}
