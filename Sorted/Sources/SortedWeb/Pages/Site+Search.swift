import Foundation
import Hummingbird
import Sorted

extension Site {
  /// What a search found.
  struct SearchPage {
    struct Part {
      let part: String
      let isMatch: Bool
    }
    struct Hit {
      let address: String
      let conversation: String
      let author: String
      let when: String
      let parts: [Part]
      let chips: [MessageRow.Chip]
      let hasChips: Bool
    }

    let words: String
    let hits: [Hit]
    let hasSearched: Bool
    let count: String
    let noHits: Bool
    let choices: KindChoices
    let isFiltered: Bool
  }

  func addSearch(to router: Router<WebContext>) {
    router.get("search") { request, context in
      let visit = try context.signedIn()
      let query = Query(request)
      let filter = try ListFilter(query)
      let words = (query["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
      guard words.count <= 200, !words.unicodeScalars.contains(where: { $0.value == 0 }) else {
        throw PageError.invalid("Search for 200 characters at most.")
      }
      let page = try await read(visit.viewer) { access in
        Rendered(pages: pages, page: try Self.search(words, filter, access))
      }
      return page.response("search", "Search", try await view(request, visit, section: "search"))
    }
  }

  private static func search(_ words: String, _ filter: ListFilter, _ access: Access) throws -> SearchPage {
    guard !words.isEmpty || filter.readsMessages else {
      return SearchPage(
        words: "", hits: [], hasSearched: false, count: "", noHits: false, choices: KindChoices(filter),
        isFiltered: false)
    }
    let found = try access.search(words, filter, limit: 50)
    let ids = Array(Set(found.messages.map(\.conversationID)))
    let conversations = Dictionary(
      try access.conversations(ids).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let clock = PageClock()
    let hits = found.messages.compactMap { message -> SearchPage.Hit? in
      guard let conversation = conversations[message.conversationID] else { return nil }
      let slug = Slug.encode(message.id)
      return SearchPage.Hit(
        address: "/c/\(Slug.encode(conversation.id))?at=\(slug)#m-\(slug)",
        conversation: conversation.displayName ?? conversation.participantIDs.joined(separator: ", "),
        author: message.senderID == access.viewer.userID ? "You" : message.senderID,
        when: "\(clock.day(message.createdAt)), \(clock.time(message.createdAt))",
        parts: Highlight.parts(of: message.text, matching: words).map {
          SearchPage.Part(part: $0.text, isMatch: $0.isMatch)
        }, chips: MessageRow.chips(message), hasChips: !MessageRow.chips(message).isEmpty)
    }
    let count = found.total == 1 ? "1 message" : "\(found.total) messages"
    return SearchPage(
      words: words, hits: hits, hasSearched: true,
      count: found.total > hits.count ? "\(count), the newest \(hits.count) of them" : count, noHits: hits.isEmpty,
      choices: KindChoices(filter), isFiltered: filter.readsMessages)
  }
}

/// Where a text has what was searched for.
enum Highlight {
  struct Part: Equatable {
    let text: String
    let isMatch: Bool
  }

  /// As much of a long text as fits around its first match.
  private static let maximumLength = 240

  /// The text in parts, matches apart from the rest; upper and lower case are the same.
  static func parts(of text: String, matching words: String) -> [Part] {
    var rest = excerpt(text, words)[...]
    var parts: [Part] = []
    while !words.isEmpty, let match = rest.range(of: words, options: .caseInsensitive), !match.isEmpty {
      if match.lowerBound > rest.startIndex {
        parts.append(Part(text: String(rest[..<match.lowerBound]), isMatch: false))
      }
      parts.append(Part(text: String(rest[match]), isMatch: true))
      rest = rest[match.upperBound...]
    }
    if !rest.isEmpty { parts.append(Part(text: String(rest), isMatch: false)) }
    return parts
  }

  private static func excerpt(_ text: String, _ words: String) -> String {
    guard text.count > maximumLength else { return text }
    let match = text.range(of: words, options: .caseInsensitive)?.lowerBound ?? text.startIndex
    let start = text.index(match, offsetBy: -maximumLength / 3, limitedBy: text.startIndex) ?? text.startIndex
    let end = text.index(start, offsetBy: maximumLength, limitedBy: text.endIndex) ?? text.endIndex
    return (start > text.startIndex ? "…" : "") + text[start..<end] + (end < text.endIndex ? "…" : "")
  }
}
