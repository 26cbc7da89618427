import Foundation
import Hummingbird
import Sorted
import SwiftData
import UntrustedInput

/// What was deleted and can be had back.
struct BinController: Sendable {
  let site: Site

  struct Page {
    let conversations: [Conversation]
    let messages: [Message]
    let isEmpty: Bool
    let days: Int
  }
  struct Conversation {
    let slug: String
    let name: String
    let deletedISO: String
    let deletedOn: String
  }
  struct Message {
    let threadSlug: String
    let messageSlug: String
    let threadName: String
    let messageText: String
    let isForEverybody: Bool
    let deletedISO: String
    let deletedOn: String
  }

  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let visit = try context.signedIn()
    let (pages, clock) = (site.pages, PageClock(request))
    let days = Int(UntrustedDouble(site.options.undoTime / 86_400).clamped(to: 0...36_500))
    let page = try await site.read(visit.viewer) { access in
      Rendered(pages: pages, page: try Self.page(access, clock, days))
    }
    return page.response("bin", "Bin", try await site.view(request, visit, section: "settings"))
  }

  private static func page(_ access: Access, _ clock: PageClock, _ days: Int) throws -> Page {
    let standings = try access.standings()
    // A message that came since brought the conversation back, and not what was deleted of it.
    let cleared = standings.places.filter { $0.value.cleared != nil }
    let conversations = try access.conversations(Array(cleared.keys)).map { conversation in
      let row = ConversationRow(conversation, standings[conversation], nil, access, clock)
      let date = cleared[conversation.id]?.cleared ?? Date()
      return Conversation(
        slug: row.slug, name: row.name, deletedISO: date.formatted(.iso8601), deletedOn: clock.full(date))
    }
    let messages = try messages(access, standings, clock)
    return Page(
      conversations: conversations, messages: messages, isEmpty: conversations.isEmpty && messages.isEmpty, days: days)
  }

  private static func messages(_ access: Access, _ standings: Standings, _ clock: PageClock) throws -> [Message] {
    let user = access.viewer.userID
    let hidden = try access.work.own.fetch(
      FetchDescriptor<HiddenMessageEntity>(predicate: #Predicate { $0.userID == user }))
    let deleted = try access.work.own.fetch(
      FetchDescriptor<DeletedMessageEntity>(predicate: #Predicate { $0.userID == user }))
    let ids = hidden.map(\.messageID) + deleted.map(\.id)
    let found = try access.work.inbox.fetch(
      FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let byID = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let names = Dictionary(
      try access.conversations(Array(Set(found.map(\.conversationID)))).map {
        ($0.id, ConversationRow($0, standings[$0], nil, access, clock).name)
      }, uniquingKeysWith: { first, _ in first })
    func line(_ message: MessageEntity, _ text: String, _ date: Date, _ isForEverybody: Bool) -> Message? {
      names[message.conversationID].map {
        Message(
          threadSlug: Slug.encode(message.conversationID), messageSlug: Slug.encode(message.id), threadName: $0,
          messageText: text, isForEverybody: isForEverybody, deletedISO: date.formatted(.iso8601),
          deletedOn: clock.full(date))
      }
    }
    let forMe = hidden.compactMap { item in
      byID[item.messageID].flatMap { line($0, $0.text, item.hiddenAt, false) }
    }
    let forAll = try deleted.compactMap { item -> Message? in
      guard let message = byID[item.id], message.deletedAt != nil else { return nil }
      let copy = try JSONDecoder().decode(MessageCopy.self, from: item.contents)
      return line(message, copy.text, item.deletedAt, true)
    }
    return forMe + forAll
  }
}
