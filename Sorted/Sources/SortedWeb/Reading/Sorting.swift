import Foundation
import Sorted
import SwiftData

/// The one label that a message carries. A judgement that is not sure enough says nothing.
struct Label: Equatable {
  let kind: MessageCategory
  let text: String
  let explanation: String

  /// A guess below it makes no label. An urgent message has one in any case, because it may not wait.
  static let leastConfidence = 0.6

  /// The predicate of ``init(_:)``, for one category.
  static func condition(_ category: MessageCategory) -> Predicate<MessageEntity> {
    let least = category == .urgent ? 0 : leastConfidence
    return #Predicate { $0.category == category && ($0.categoryConfidence ?? 1) >= least }
  }

  init?(_ message: MessageEntity) {
    guard let category = message.category else { return nil }
    let confidence = min(max(message.categoryConfidence ?? 1, 0), 1)
    guard category == .urgent || confidence >= Self.leastConfidence else { return nil }
    kind = category
    let name = Phrase(category.rawValue.capitalized).text
    let score = category == .business ? message.opportunityScore : nil
    text = score.map { "\(name) \($0)" } ?? name
    let sure = Int((confidence * 100).rounded())
    let explanation: Phrase =
      score.map { "Category, \(sure) % sure; opportunity \($0) of 100" } ?? "Category, \(sure) % sure"
    self.explanation = explanation.text
  }
}

/// How the list of a viewer is sorted now: which conversations need an answer, and how many each tab leads to.
struct Sorting {
  /// The last messages from other people, of the newest conversations that are in the list.
  let last: [AssistInbox.Pair]
  /// The conversations that need an answer, the most urgent first.
  let waiting: [ConversationEntity]
  /// The time at which it was read. A page never replaces it by an older one.
  let order: Int64

  /// The greatest number of conversations that lead the list. The tab lists all that need an answer.
  static let leadCount = 5
  /// After this many days a conversation counts as answered elsewhere.
  private static let waitingDays = 30.0

  /// - Throws: `SwiftDataError`.
  /// - Complexity: five statements at most.
  init(_ access: Access, _ standings: Standings, now: Date = Date()) throws {
    order = PageClock.order(now)
    let assist = AssistInbox(context: access.work.inbox)
    let all = access.everything.predicate ?? #Predicate { _ in true }
    let listed = try assist.newestFromOthers(than: access.viewer.names, where: all).filter {
      standings[$0].lists(unread: 0).contains(ListFilter.Kind.all.rawValue)
    }
    let sight = try access.sight(of: listed.map(\.id), listed.compactMap { standings.places[$0.id] })
    last = try assist.lastMessages(of: listed).filter { sight.seen($0.message) != nil }
    let since = now.addingTimeInterval(-Self.waitingDays * 86_400)
    let digest = Digest(of: last.filter { $0.message.createdAt > since }, for: access.viewer.userID)
    let byID = Dictionary(last.map { ($0.conversation.id, $0.conversation) }, uniquingKeysWith: { first, _ in first })
    waiting = digest.needAnswer.compactMap { byID[$0.conversationID] }
  }

  /// The conversations that lead the list.
  var leads: [ConversationEntity] { Array(waiting.prefix(Self.leadCount)) }

  /// How many conversations have a label.
  func count(_ category: MessageCategory) -> Int { last.count { Label($0.message)?.kind == category } }
}

/// The last messages of conversations, where another person than the viewer wrote them: what a row says of how it is sorted.
struct LastFromOthers {
  private var messages: [String: MessageEntity] = [:]

  subscript(conversation: ConversationEntity) -> MessageEntity? { messages[conversation.id] }

  /// - Parameter known: what was read before.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: a statement for 50 conversations that are not known.
  init(_ conversations: [ConversationEntity], _ sight: Sight, _ access: Access, known: [AssistInbox.Pair] = []) throws {
    for (conversation, message) in known { messages[conversation.id] = message }
    let missing = conversations.filter { conversation in
      messages[conversation.id] == nil
        && conversation.lastMessageSenderID.map { !access.viewer.names.contains($0) } ?? false
    }
    for (conversation, message) in try AssistInbox(context: access.work.inbox).lastMessages(of: missing)
    where sight.seen(message) != nil && !access.viewer.wrote(message) { messages[conversation.id] = message }
  }
}
