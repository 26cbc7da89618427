import Foundation
import SwiftData

/// Creates a small sample inbox. Only the time at which it ends varies.
public enum SampleInbox {
  private struct Thread {
    let id: String
    let name: String
    let people: [String]
    let lines: [String]
    var unread = 0
    var isPinned = false
    var isMuted = false
    var isArchived = false
  }

  private static let threads = [
    Thread(
      id: "sample/studio", name: "Studio team", people: ["maya", "jon", "li"],
      lines: [
        "The new lens arrived.", "How does it look wide open?", "Soft in the corners, lovely in the middle.",
        "Shall we try it on Thursday?", "Yes. I will book the room from two to five.", "Bring the grey card this time.",
      ], unread: 2, isPinned: true),
    Thread(
      id: "sample/john", name: "John Doe", people: ["john"],
      lines: [
        "Hey! Love your latest video!", "Thank you! Which part did you like best?",
        "The part about the harbour at night.",
      ], unread: 1),
    Thread(
      id: "sample/acme", name: "Acme Audio", people: ["dana@acme"],
      lines: [
        "Would you review our new microphone in April?", "What would the terms be?",
        "A loan for six weeks, no script, no approval.", "That sounds fair. Please send the details.",
      ]),
    Thread(
      id: "sample/bike", name: "Bike ride, Sunday", people: ["maya", "tom", "eve"],
      lines: ["Nine at the bridge?", "Make it ten.", "Ten it is. Rain jackets!"], isMuted: true),
    Thread(
      id: "sample/landlord", name: "Landlord", people: ["mr-weber"],
      lines: ["The heating is fixed.", "Wonderful, thank you."], isArchived: true),
  ]

  /// Fills a store.
  /// - Throws: `SwiftDataError`.
  public static func fill(_ context: ModelContext, now: Date = Date()) throws {
    let user = UserEntity(id: "me", email: "me@example.com", displayName: "Me")
    user.faqs = [
      FAQEntity(
        category: .equipment, questionPattern: "Which camera do you use?", answer: "A small one that I like.")
    ]
    context.insert(user)
    for (index, thread) in threads.enumerated() {
      try add(thread, endingAt: now.addingTimeInterval(-Double(index) * 5_400 - 300), to: context)
    }
    try context.save()
  }

  private static func add(_ thread: Thread, endingAt end: Date, to context: ModelContext) throws {
    let conversation = ConversationEntity(
      id: thread.id, participantIDs: ["me"] + thread.people, displayName: thread.name,
      isGroup: thread.people.count > 1, createdAt: end.addingTimeInterval(-86_400))
    conversation.unreadCount = thread.unread
    conversation.isPinned = thread.isPinned
    conversation.isMuted = thread.isMuted
    conversation.isArchived = thread.isArchived
    context.insert(conversation)
    for (index, text) in thread.lines.enumerated() {
      // The other participants begin, then everyone takes turns.
      let people = thread.people + ["me"]
      let message = MessageEntity(
        id: "\(thread.id)/\(index)", conversationID: thread.id, senderID: people[index % people.count], text: text,
        createdAt: end.addingTimeInterval(-Double(thread.lines.count - 1 - index) * 240), status: .read,
        syncStatus: .synced)
      conversation.messages.append(message)
      conversation.updateWithMessage(message)
    }
  }
}
