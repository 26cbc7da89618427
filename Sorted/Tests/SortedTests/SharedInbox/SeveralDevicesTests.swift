import Foundation
import SwiftData
import Testing

@testable import Sorted
@testable import SortedSync

@Suite("Several people and devices over a sync server") struct SeveralDevicesTests {
  private let people: SharedPeople

  init() async throws { people = try await SharedPeople() }

  @Test("Two devices of one person have the same conversations, pins and read marks")
  func devices() async throws {
    let (laptop, phone) = (try await people.open("ann"), try await people.open("ann", device: "phone"))
    let bob = try await people.open("bob")
    try laptop.begin(with: "bob")
    try laptop.say("From the laptop")
    try await syncAll(laptop, phone, bob)
    #expect(try phone.states() == ["From the laptop delivered/synced"])
    try phone.say("From the phone")
    try bob.say("To both")
    try phone.change { try $0.setPinned(true, try $0.conversation("talk")) }
    try await syncAll(phone, bob, laptop)
    let all: Set = ["From the laptop", "From the phone", "To both"]
    for person in [laptop, phone, bob] { #expect(try Set(person.texts()) == all) }
    #expect(try laptop.conversation().isPinned && phone.conversation().isPinned && !bob.conversation().isPinned)
    #expect(try laptop.conversation().unreadCount == 1 && phone.conversation().unreadCount == 1)
    try phone.read()
    try await syncAll(phone, laptop, bob)
    #expect(try laptop.conversation().unreadCount == 0)
    #expect(try bob.message("To both").status == .read)
  }

  @Test("People who read and react at the same moment are all heard")
  func together() async throws {
    let names = ["ann", "bob", "eve", "tom"]
    var everyone: [Person] = []
    for name in names { everyone.append(try await people.open(name)) }
    try everyone[0].begin(with: "bob", "eve", "tom")
    let id = try everyone[0].say("Who comes?")
    for _ in 0..<3 { for person in everyone { try await person.sync() } }
    for (person, emoji) in zip(everyone.dropFirst(), ["👍", "🎉", "❤️"]) {
      try person.read()
      try person.change { try $0.react(emoji, to: try $0.message(id)) }
    }
    // All at once, so that some changes reach the server while others are on their way.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for person in everyone { group.addTask { try await person.sync() } }
      try await group.waitForAll()
    }
    for _ in 0..<4 { for person in everyone { try await person.sync() } }
    for person in everyone {
      let message = try person.message("Who comes?")
      #expect(Set(message.readBy) == ["bob", "eve", "tom"])
      #expect(message.reactions == ["bob": "👍", "eve": "🎉", "tom": "❤️"])
      #expect(try person.conversation().unreadCount == 0)
    }
    #expect(try everyone[0].message("Who comes?").state == MessageState(.read, .synced))
  }

  @Test(
    "An inbox that is open hears of an invitation and of messages without asking for them", .timeLimit(.minutes(20)))
  @MainActor
  func open() async throws {
    let (ann, bob) = (try await people.open("ann"), try await people.open("bob"))
    let coordinator = SharedInboxCoordinator(bob.inbox)
    // It looks by itself once in ten minutes.
    let running = Task { await coordinator.run(interval: 600) }
    defer { running.cancel() }
    while coordinator.lastReport == nil { try await Task.sleep(for: .milliseconds(20)) }
    try ann.begin(with: "bob")
    for text in ["First", "Second"] {
      try ann.say(text)
      try await ann.sync()
      while try bob.messages().last?.text != text || bob.conversation().lastMessageText != text {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    #expect(coordinator.isOnline && coordinator.errorMessage == nil)
  }

  @Test("A person who is added later by another participant sees the conversation from its beginning")
  func added() async throws {
    let (ann, bob, eve) = (try await people.open("ann"), try await people.open("bob"), try await people.open("eve"))
    try ann.begin(with: "bob")
    try ann.say("First")
    try await syncAll(ann, bob)
    try bob.change { try $0.changePeople(of: try $0.conversation("talk"), adding: ["eve"]) }
    try await syncAll(bob, ann, eve)
    #expect(try eve.texts() == ["First"])
    try eve.say("Thanks")
    try await syncAll(eve, ann, bob)
    #expect(try ann.texts() == ["First", "Thanks"] && bob.texts() == ["First", "Thanks"])
    #expect(try eve.conversation().isGroup)
  }

  @Test("The resolver of messages unites receipts and reactions, and takes the later text")
  func resolver() {
    func message(_ text: String, edited: Double, readBy: [String], _ reactions: [String: String]) -> MessageEntity {
      let message = MessageEntity(id: "m", conversationID: "c", senderID: "ann", text: text)
      message.editedAt = Date(timeIntervalSince1970: edited)
      (message.readBy, message.deliveredTo, message.reactions) = (readBy, readBy, reactions)
      return message
    }
    let local = message("old", edited: 1, readBy: ["bob"], ["bob": "👍", "tom": "🎉"])
    let remote = message("new", edited: 2, readBy: ["tom", "eve"], ["bob": "❤️", "tom": "", "eve": "👍"])
    MessageResolver(userID: "bob").resolve(local: local, remote: remote)
    #expect(local.text == "new" && local.readBy == ["bob", "tom", "eve"])
    #expect(local.deliveredTo == ["bob", "tom", "eve"])
    #expect(local.reactions == ["bob": "👍", "tom": "", "eve": "👍"])
    let late = message("older", edited: 0, readBy: [], [:])
    MessageResolver(userID: "bob").resolve(local: local, remote: late)
    #expect(local.text == "new")
  }
}
