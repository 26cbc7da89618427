import AssistModel
public import Foundation
import Sorted
public import SwiftData

/// Makes the inbox that `make run` and `sorted serve --sample` show: ``SampleInbox``, and what only a screen has a use for.
public enum WebSample {
  /// The stores of a server, and the folder of attached files.
  package typealias Stores = (inbox: ModelContainer, own: ModelContainer, files: URL)

  /// Makes the stores of a sample in a folder.
  /// - Throws: `SwiftDataError`.
  package static func stores(in folder: URL) throws -> Stores {
    let inbox = try SortedContainer.open(folder.appendingPathComponent("inbox.store"))
    let context = ModelContext(inbox)
    try fill(context)
    // The messages of the sample have classifications. The assistant classifies only later messages.
    try context.update(model: MessageEntity.self, set: .assign(\.assistVersion, MessageModel.version))
    return (
      inbox, try WebSchema.open(folder.appendingPathComponent("web.store")), folder.appendingPathComponent("files")
    )
  }

  private struct Line {
    let text: String
    let sender: String
    var category: MessageCategory?
    var sentiment: MessageSentiment?
    var score: Int?
  }

  private static let festival = [
    Line(text: "Hello! We are putting together the harbour festival in June.", sender: "ines", category: .business),
    Line(text: "Would you film the opening night for us?", sender: "ines", category: .business, score: 72),
    Line(text: "That sounds lovely. How long would it be?", sender: "me"),
    Line(text: "Three hours, from the first boat to the fireworks.", sender: "ines"),
    Line(text: "Is there a place for a tripod on the pier?", sender: "me"),
    Line(text: "There is a platform, four metres up, with a rail.", sender: "ines"),
    Line(text: "And power?", sender: "me"), Line(text: "Two sockets, both dry.", sender: "ines"),
    Line(text: "Dry is my favourite kind.", sender: "me"),
    Line(text: "Ha! We learned that last year.", sender: "ines", sentiment: .positive),
    Line(text: "What happened last year?", sender: "me"),
    Line(text: "Rain, a drum kit, and a very long extension cord.", sender: "ines"),
    Line(text: "I would have watched that.", sender: "me"),
    Line(text: "It is on the archive tape, somewhere.", sender: "ines"),
    Line(
      text: "About the budget: we could pay 1,800 for the evening and the edit.", sender: "ines", category: .business,
      score: 88),
    Line(text: "That works. Half before, half after?", sender: "me"),
    Line(
      text: "Agreed. I will send the contract on Monday.", sender: "ines", category: .business, sentiment: .positive,
      score: 91),
    Line(text: "Do you want drone pictures as well?", sender: "me"),
    Line(text: "If the port authority lets you.", sender: "ines"),
    Line(text: "I will ask them this week.", sender: "me"),
    Line(text: "Wonderful.", sender: "ines", sentiment: .positive),
    Line(text: "One more thing: the mayor wants to say a few words.", sender: "ines"),
    Line(text: "A few?", sender: "me"), Line(text: "Her words. Plan for twenty minutes.", sender: "ines"),
    Line(text: "I will bring a second card.", sender: "me"),
    Line(
      text: "The schedule changed: we need your answer about the drone today, please!", sender: "ines",
      category: .urgent, sentiment: .urgent),
  ]

  /// Fills a store.
  /// - Throws: `SwiftDataError`.
  public static func fill(_ context: ModelContext, now: Date = Date()) throws {
    try SampleInbox.fill(context, now: now)
    try mark(context)
    try addAnswers(context)
    let conversation = ConversationEntity(
      id: "sample/festival", participantIDs: ["me", "ines"], displayName: "Ines, harbour festival",
      createdAt: now.addingTimeInterval(-3 * 86_400))
    conversation.unreadCount = 1
    context.insert(conversation)
    for (index, line) in festival.enumerated() {
      let left = Double(festival.count - 1 - index)
      let message = MessageEntity(
        id: "sample/festival/\(index)", conversationID: conversation.id, senderID: line.sender, text: line.text,
        createdAt: now.addingTimeInterval(-left * 6_300 - 120), status: left < 3 ? .delivered : .read,
        syncStatus: .synced)
      message.category = line.category
      message.categoryConfidence = line.category == nil ? nil : 0.94
      message.sentiment = line.sentiment
      message.sentimentIntensity = line.sentiment == nil ? nil : .medium
      message.opportunityScore = line.score
      conversation.messages.append(message)
      conversation.updateWithMessage(message)
    }
    try context.save()
  }

  private static func mark(_ context: ModelContext) throws {
    for message in try context.fetch(FetchDescriptor<MessageEntity>()) {
      switch message.id {
      case "sample/john/0", "sample/john/2":
        (message.category, message.categoryConfidence) = (.fan, 0.95)
        (message.sentiment, message.sentimentIntensity) = (.positive, .high)
      case "sample/acme/0":
        (message.category, message.categoryConfidence, message.opportunityScore) = (.business, 0.91, 78)
      default: break
      }
    }
  }

  private static func addAnswers(_ context: ModelContext) throws {
    guard let user = try context.fetch(FetchDescriptor<UserEntity>()).first else { return }
    user.faqs += [
      FAQEntity(
        category: .software, questionPattern: "What do you edit with?",
        answer: "With whatever is on the machine; the cut matters more than the program."),
      FAQEntity(
        category: .business, questionPattern: "Do you take commissions?",
        answer: "Yes, two a month. Tell me the place, the date and what it is for."),
    ]
  }
}
