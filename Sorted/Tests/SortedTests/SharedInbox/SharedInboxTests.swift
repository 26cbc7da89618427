import Foundation
import SwiftData
import Testing

@testable import Sorted
@testable import SortedSync

@Suite("Two inboxes over a sync server") struct SharedInboxTests {
  private let people: SharedPeople
  private let ann: Person
  private let bob: Person

  init() async throws {
    people = try await SharedPeople()
    ann = try await people.open("ann")
    bob = try await people.open("bob")
    try ann.begin(with: "bob")
    try ann.say("Hello")
  }

  @Test("A conversation reaches the other person with its first message, and answers go back")
  func bothDirections() async throws {
    let sent = try await ann.sync()
    #expect(sent.outgoing.sent == 1 && sent.pending == 0)
    #expect(try ann.states() == ["Hello sent/synced"])
    let received = try await bob.sync()
    #expect(received.incoming.received == 1)
    #expect(try bob.conversation().participantIDs == ["ann", "bob"])
    #expect(try bob.conversation().lastMessageText == "Hello")
    #expect(try bob.conversation().unreadCount == 1)
    try bob.say("Hello yourself")
    try await syncAll(bob, ann)
    for person in [ann, bob] { #expect(try person.texts() == ["Hello", "Hello yourself"]) }
    #expect(try ann.conversation().lastMessageSenderID == "bob")
  }

  @Test("A conversation without a message stays with who began it")
  func silent() async throws {
    try ann.begin("quiet", with: "bob")
    try await syncAll(ann, bob)
    #expect(try bob.conversations().map(\.id) == ["talk"])
  }

  @Test("The sender sees that a message was sent, delivered and read")
  func receipts() async throws {
    #expect(try ann.states() == ["Hello sending/pending"])
    try await ann.sync()
    #expect(try ann.states() == ["Hello sent/synced"])
    try await bob.sync()
    try await ann.sync()
    #expect(try ann.states() == ["Hello delivered/synced"])
    try bob.read()
    #expect(try bob.conversation().unreadCount == 0)
    try await syncAll(bob, ann, rounds: 1)
    #expect(try ann.states() == ["Hello read/synced"])
    #expect(try ann.message("Hello").readBy == ["bob"])
    #expect(try bob.conversation().unreadCount == 0)
  }

  @Test("A receipt that comes before the note that the server has the message is shown")
  func earlyReceipt() async throws {
    try await syncAll(ann, bob)
    try ann.say("Soon there")
    // The engine exchanges in the background, before the sync of the inbox notes anything.
    try await ann.inbox.engine.syncNow()
    try await bob.sync()
    try await ann.inbox.engine.syncNow()
    #expect(try ann.states().last == "Soon there sending/pending")
    try await ann.sync()
    #expect(try ann.states().last == "Soon there delivered/synced")
  }

  @Test("What one person thinks of a conversation does not reach the other")
  func ownView() async throws {
    try await syncAll(ann, bob)
    try ann.change { inbox in
      let talk = try inbox.conversation("talk")
      try inbox.setPinned(true, talk)
      try inbox.setMuted(true, talk)
      let message = try inbox.message(try self.ann.message("Hello").id)
      (message.category, message.smartReplyDraft) = (.urgent, "later")
    }
    try await syncAll(ann, bob)
    #expect(try !bob.conversation().isPinned && !bob.conversation().isMuted)
    #expect(try bob.message("Hello").category == nil && bob.message("Hello").smartReplyDraft == nil)
    #expect(try ann.conversation().isPinned && ann.message("Hello").category == .urgent)
  }

  @Test("Edits, reactions and deletions for all people reach the other inbox")
  func changes() async throws {
    try await syncAll(ann, bob)
    let id = try ann.message("Hello").id
    try ann.change { try $0.edit(try $0.message(id), text: "Hello, Bob") }
    try await syncAll(ann, bob)
    #expect(try bob.texts() == ["Hello, Bob"] && bob.conversation().lastMessageText == "Hello, Bob")
    try ann.change { try $0.react("🎉", to: try $0.message(id)) }
    try bob.change { try $0.react("👍", to: try $0.message(id)) }
    try await syncAll(ann, bob)
    for person in [ann, bob] {
      #expect(try person.message("Hello, Bob").reactions == ["ann": "🎉", "bob": "👍"])
    }
    try bob.change { try $0.react(nil, to: try $0.message(id)) }
    try await syncAll(bob, ann)
    #expect(try ann.message("Hello, Bob").reactions == ["ann": "🎉", "bob": ""])
    try ann.change { try $0.deleteForEverybody(try $0.message(id)) }
    try await syncAll(ann, bob)
    #expect(try bob.texts() == [InboxService.deletedText])
    #expect(try bob.messages().first?.deletedAt != nil)
    #expect(throws: DataLayerError.self) { try bob.change { try $0.edit(try $0.message(id), text: "no") } }
  }

  @Test("A file travels with its message and goes with it")
  func files() async throws {
    let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let file = people.folder.appendingPathComponent("picture")
    try bytes.write(to: file)
    let id = try ann.change { inbox in
      let picture = AttachmentEntity(
        type: .image, localURL: file.absoluteString, fileSize: Int64(bytes.count), mimeType: "image/png",
        fileName: "picture.png")
      return try inbox.send("Look", to: try inbox.conversation("talk"), attachments: [picture]).id
    }
    try await syncAll(ann, bob)
    let came = try #require(try bob.message("Look").attachments.first)
    #expect(came.contents == bytes && came.fileName == "picture.png" && came.localURL == nil)
    #expect(came.uploadStatus == .completed)
    try ann.change { try $0.deleteForEverybody(try $0.message(id)) }
    try await syncAll(ann, bob)
    #expect(try ModelContext(bob.inbox.container).fetchCount(FetchDescriptor<AttachmentEntity>()) == 0)
  }

  @Test("A removed person loses the conversation, and has it again, with their pin, when they are added")
  func removal() async throws {
    try await syncAll(ann, bob)
    try bob.change { try $0.setPinned(true, try $0.conversation("talk")) }
    try bob.say("Still here")
    try await syncAll(bob, ann)
    try ann.change { try $0.changePeople(of: try $0.conversation("talk"), removing: ["bob"]) }
    try await syncAll(ann, bob)
    #expect(try bob.conversations().isEmpty && bob.messages().isEmpty)
    try ann.say("He cannot see this")
    try await syncAll(ann, bob)
    #expect(try bob.messages().isEmpty)
    try ann.change { try $0.changePeople(of: try $0.conversation("talk"), adding: ["bob"]) }
    try await syncAll(ann, bob)
    #expect(try bob.texts() == ["Hello", "Still here", "He cannot see this"])
    #expect(try bob.conversation().isPinned && !ann.conversation().isPinned)
  }

  @Test("Deleting a conversation is leaving it: the other person keeps everything")
  func leaving() async throws {
    try await syncAll(ann, bob)
    try bob.change { try $0.delete(try $0.conversation("talk")) }
    try await syncAll(bob, ann)
    #expect(try bob.conversations().isEmpty)
    #expect(try ann.texts() == ["Hello"] && ann.conversation().participantIDs == ["ann"])
    // The inbox of the person who shared it does not invite again.
    try ann.say("Hello?")
    try await syncAll(ann, bob)
    #expect(try bob.conversations().isEmpty)
  }

  /// Changes that none of the people knows of before all of them are made, and then the syncs of all.
  private func atOnce(_ eve: Person, _ changes: [() throws -> Void]) async throws {
    try await syncAll(ann, bob, eve)
    for person in [ann, bob, eve] { await person.inbox.engine.pause() }
    for change in changes {
      try change()
      // The later write is another one by its time.
      try await Task.sleep(for: .milliseconds(5))
    }
    try await syncAll(bob, ann, eve, rounds: 4)
  }

  @Test(
    "A person who left a group stays out of it when another participant adds somebody at the same time",
    arguments: [true, false])
  func leavingUnseen(annIsFirst: Bool) async throws {
    let eve = try await people.open("eve")
    let changes: [() throws -> Void] = [
      { try self.ann.change { try $0.changePeople(of: try $0.conversation("talk"), adding: ["eve"]) } },
      { try self.bob.change { try $0.changePeople(of: try $0.conversation("talk"), removing: ["bob"]) } },
    ]
    try await atOnce(eve, annIsFirst ? changes : changes.reversed())
    try ann.say("Without Bob")
    try await syncAll(ann, bob, eve)
    #expect(try bob.conversations().isEmpty)
    for person in [ann, eve] { #expect(try person.conversation().participantIDs == ["ann", "eve"]) }
    #expect(try eve.texts().last == "Without Bob")
    try ann.change { try $0.changePeople(of: try $0.conversation("talk"), adding: ["bob"]) }
    try await syncAll(ann, bob)
    #expect(try bob.texts().last == "Without Bob")
  }

  @Test("A person who leaves stays out although another one removes and adds them at the same time")
  func leavingWhileAddedAgain() async throws {
    let eve = try await people.open("eve")
    try await atOnce(
      eve,
      [
        { try self.bob.change { try $0.changePeople(of: try $0.conversation("talk"), removing: ["bob"]) } },
        { try self.ann.change { try $0.changePeople(of: try $0.conversation("talk"), removing: ["bob"]) } },
        { try self.ann.change { try $0.changePeople(of: try $0.conversation("talk"), adding: ["bob"]) } },
      ])
    #expect(try bob.conversations().isEmpty)
    #expect(try ann.conversation().participantIDs == ["ann"])
  }

  @Test("Two people who each add somebody and pin a message at the same moment both succeed")
  func addingAtOnce() async throws {
    let eve = try await people.open("eve")
    let zoe = try await people.open("zoe")
    try ann.say("Second")
    try await syncAll(ann, bob)
    let ids = try ann.messages().map(\.id)
    func change(_ person: Person, _ added: String, _ pinned: String) throws {
      try person.change { inbox in
        let talk = try inbox.conversation("talk")
        try inbox.changePeople(of: talk, adding: [added])
        try inbox.setPinned(true, try inbox.message(pinned), in: talk)
      }
    }
    try await atOnce(eve, [{ try change(self.ann, "eve", ids[0]) }, { try change(self.bob, "zoe", ids[1]) }])
    try await syncAll(zoe, ann, bob, eve)
    for person in [ann, bob, eve, zoe] {
      #expect(try Set(person.conversation().participantIDs) == ["ann", "bob", "eve", "zoe"])
      #expect(try Set(person.conversation().pinnedMessageIDs) == Set(ids))
    }
    try eve.change { try $0.setPinned(false, try $0.message(ids[0]), in: try $0.conversation("talk")) }
    try await syncAll(eve, ann, bob, zoe)
    #expect(try zoe.conversation().pinnedMessageIDs == [ids[1]])
  }

  @Test("Who shared a conversation and left it cannot write there, and nothing of it counts as unread")
  func leftByOwner() async throws {
    try await syncAll(ann, bob)
    try ann.change { try $0.delete(try $0.conversation("talk")) }
    try await syncAll(ann, bob)
    try bob.say("Ann is gone")
    try await syncAll(bob, ann)
    #expect(try ann.conversation().isArchived && ann.conversation().unreadCount == 0)
    #expect(throws: DataLayerError.self) { try ann.say("I am not") }
    try bob.change { try $0.changePeople(of: try $0.conversation("talk"), adding: ["ann"]) }
    try await syncAll(bob, ann)
    #expect(try ann.conversation().unreadCount == 1)
    try ann.say("Here again")
    try await syncAll(ann, bob)
    #expect(try bob.texts().last == "Here again")
  }

  @Test("The clean-up of old messages leaves the messages of others' conversations alone")
  func retention() async throws {
    try await syncAll(ann, bob)
    let report = try RetentionService(context: ModelContext(bob.inbox.container)).deleteMessages(olderThan: 0)
    #expect(report.deleted == 0)
    try await syncAll(bob, ann)
    #expect(try ann.texts() == ["Hello"] && bob.texts() == ["Hello"])
  }

  @Test("An imported conversation with a person's name is not shared until somebody writes in it")
  func imported() async throws {
    try ann.change { inbox in
      let old = try inbox.begin("archive", with: ["bob"])
      for text in ["long", "ago"] {
        let message = MessageEntity(
          conversationID: "archive", senderID: text == "ago" ? "ann" : "bob", text: text, status: .sent,
          syncStatus: .synced)
        inbox.context.insert(message)
        message.conversation = old
      }
    }
    try await syncAll(ann, bob)
    #expect(try bob.conversations().map(\.id) == ["talk"])
    try ann.say("Do you remember?", in: "archive")
    try await syncAll(ann, bob)
    #expect(try Set(bob.texts("archive")) == ["long", "ago", "Do you remember?"])
  }

  @Test("A conversation that cannot be shared fails with its reason, the others go on, and a retry sends it")
  func refusedPerson() async throws {
    try ann.begin("bad", with: "b/c")
    let id = try ann.say("To nobody", in: "bad")
    let report = try await ann.sync()
    #expect(report.outgoing.sent == 1 && report.outgoing.failed == 1)
    let failed = try ann.message("To nobody")
    #expect(failed.state == MessageState(.sending, .failed))
    #expect(failed.syncError?.contains("name of another account") == true)
    #expect(try ann.states() == ["Hello sent/synced"])
    try ann.change { try $0.changePeople(of: try $0.conversation("bad"), adding: ["bob"], removing: ["b/c"]) }
    try ann.change { _ = try $0.retry(id) }
    try await syncAll(ann, bob)
    #expect(try bob.texts("bad") == ["To nobody"])
  }

  @Test("A store of another account is refused before anything is sent, and a token that is none is named")
  func otherAccount() async throws {
    try await ann.sync()
    await ann.close()
    await #expect(throws: SyncError.otherUser("ann")) {
      _ = try await self.people.open("eve", device: "ann")
    }
    #expect(throws: DataLayerError.self) { try AccountToken.account(of: "no.token") }
    #expect(throws: DataLayerError.self) { try AccountToken.account(of: "a.!!.c") }
    let server = try #require(URL(string: "ftp://127.0.0.1"))
    await #expect(throws: DataLayerError.self) { _ = try await self.people.open("eve", server: server) }
  }

  @Test("A store that has conversations of Firestore is refused, because the others have them as well")
  func firestore() async throws {
    let context = ModelContext(try SortedContainer.open(people.store("eve")))
    let conversation = try InboxService(context: context).begin("old", with: ["bob"])
    conversation.serverTime = 1
    try context.save()
    await #expect(throws: DataLayerError.self) { _ = try await self.people.open("eve") }
    #expect(try SharedInboxEntity.of(ModelContext(SortedContainer.open(people.store("eve")))) == nil)
  }

  @Test("What was written before the first sync, by the user without a name, is sent as theirs")
  func placeholder() async throws {
    let context = ModelContext(try SortedContainer.open(people.store("eve")))
    let inbox = InboxService(context: context)
    try inbox.send("From nobody yet", to: try inbox.begin("early", with: ["bob"]))
    try context.save()
    let eve = try await people.open("eve")
    try await syncAll(eve, bob)
    #expect(try bob.message("From nobody yet").senderID == "eve")
    #expect(try Set(bob.conversation("early").participantIDs) == ["eve", "bob"])
  }
}
