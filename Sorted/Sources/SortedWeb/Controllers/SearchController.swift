import Foundation
import Hummingbird
import Sorted
import SwiftData

/// Searching messages, and finding conversations and people by name.
struct SearchController: Sendable {
  let site: Site

  /// What a search found.
  struct Page {
    struct Part {
      let part: String
      let isMatch: Bool
    }
    struct Hit {
      let address: String
      let conversation: String
      let author: String
      let when: String
      let whenISO: String
      let parts: [Part]
      let chips: [MessageRow.Chip]
      let hasChips: Bool
    }

    let words: String
    let hits: [Hit]
    let hasSearched: Bool
    let count: String?
    let noHits: Bool
    let choices: KindChoices
    let isFiltered: Bool
    /// The address of the next page, or nil on the last page.
    let moreAddress: String?
    /// By words and by meaning; empty where there is no choice.
    var modes: [Mode] = []
    var hasModes = false
    var isByMeaning = false
    /// The words by which the script looks for people and conversations.
    var placeWords = ""
  }

  /// A way to search.
  struct Mode {
    let modeTitle: String
    let address: String
    let isChosen: Bool
  }

  private static let pageSize = 50

  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let visit = try context.signedIn()
    let query = Query(request, context)
    let filter = try ListFilter(query)
    let words = (query["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    guard words.count <= 200, !words.unicodeScalars.contains(where: { $0.value == 0 }) else {
      throw PageError.invalid("Search for 200 characters at most.")
    }
    let after = try query["after"].map { try Slug.decode($0) }
    let (pages, clock, viewer) = (site.pages, PageClock(request), visit.viewer)
    let (meaning, isByMeaning) = (site.options.meaning, query["by"] == Self.byMeaning)
    // A search takes longer than a page may wait behind another one's.
    let page = try await site.desk.search { work in
      let access = Access(work: work, viewer: viewer)
      guard let meaning, try MeaningModel.hasVectors(in: work.inbox) else {
        return Rendered(pages: pages, page: try Self.search(words, filter, access, clock, after: after))
      }
      var page =
        isByMeaning
        ? try Self.search(words, by: meaning, filter, access, clock, after: after)
        : try Self.search(words, filter, access, clock, after: after)
      page.modes = Self.modes(words, filter, isByMeaning: isByMeaning)
      page.hasModes = true
      page.isByMeaning = isByMeaning
      return Rendered(pages: pages, page: page)
    }
    return page.response("search", "Search", try await site.view(request, visit, section: "search"))
  }

  private static func search(
    _ words: String, _ filter: ListFilter, _ access: Access, _ clock: PageClock, after: String?
  ) throws -> Page {
    let query = try MessageQuery(words, calendar: clock.calendar)
    guard !query.isEmpty || filter.readsMessages else {
      return Page(
        words: words, hits: [], hasSearched: false, count: nil, noHits: false, choices: KindChoices(filter),
        isFiltered: false, moreAddress: nil)
    }
    let last = try after.map { try access.anyMessage($0) }
    let found = try access.search(query, filter, limit: pageSize, after: last)
    let ids = Array(Set(found.messages.map(\.conversationID)))
    let conversations = Dictionary(
      try access.conversations(ids).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    try access.work.people.read(
      conversations.values.flatMap { ConversationRow.people(of: $0) } + found.messages.map(\.senderID))
    let hits = found.messages.compactMap { message in
      conversations[message.conversationID].map { hit(message, $0, query, access, clock) }
    }
    let count = after == nil ? Self.count(found, shown: hits.count) : nil
    // A search for a name wants the person as well.
    let placeWords = after == nil && query.isOnlyWords ? query.text : ""
    let more = "/search?q=\(escaped(words))" + filter.address.replacing("?", with: "&")
    return Page(
      words: words, hits: hits, hasSearched: true,
      count: count?.text, noHits: hits.isEmpty,
      choices: KindChoices(filter), isFiltered: filter.readsMessages,
      moreAddress: found.hasMore ? found.messages.last.map { "\(more)&after=\(Slug.encode($0.id))" } : nil,
      placeWords: placeWords)
  }

  private static func count(_ found: Access.Found, shown: Int) -> Phrase? {
    switch (found.total, found.hasMore) {
    case (let total?, true): "\(total) messages, the newest \(shown) of them"
    case (1, false): "1 message"
    case (let total?, false): "\(total) messages"
    case (nil, true): "The newest \(shown) messages; there are more"
    case (nil, false): nil
    }
  }

  private static func hit(
    _ message: SeenMessage, _ conversation: ConversationEntity, _ query: MessageQuery, _ access: Access,
    _ clock: PageClock
  ) -> Page.Hit {
    let slug = Slug.encode(message.id)
    let isMine = access.viewer.wrote(message.entity)
    // A judgement is for the reader, not for the sender.
    let chips = isMine ? [] : MessageRow.chips(message)
    // The thread marks the words as well.
    let mark = query.words.isEmpty ? "" : "&q=\(escaped(query.words.joined(separator: " ")))"
    return Page.Hit(
      address: "/c/\(Slug.encode(conversation.id))?at=\(slug)\(mark)#m-\(slug)",
      conversation: ConversationRow.name(of: conversation, access),
      author: isMine ? String(translated: "You") : access.work.people.name(message.senderID),
      when: clock.full(message.createdAt),
      whenISO: message.createdAt.formatted(.iso8601),
      parts: Highlight.parts(of: MessageText.plain(message.text), matching: query.words).map {
        Page.Part(part: $0.text, isMatch: $0.isMatch)
      }, chips: chips, hasChips: !chips.isEmpty)
  }

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  // MARK: - By name

  /// A place to go to, for the palette.
  private struct Place: Encodable {
    let name: String
    /// Who takes part, where the name does not say it.
    let people: String
    let address: String
    let initials: String
    let hue: Int
  }

  /// Conversations whose name or people have a text, as JSON, in the order of ``NameSearch``.
  func find(_ request: Request, _ context: WebContext) async throws -> Response {
    let viewer = try context.signedIn().viewer
    let text = String((Query(request, context)["q"] ?? "").prefix(100)).trimmingCharacters(in: .whitespaces)
    let found = try await site.desk.search { work in
      try NameSearch(access: Access(work: work, viewer: viewer)).find(text).map { row, people in
        Place(name: row.name, people: people, address: "/c/\(row.slug)", initials: row.initials, hue: row.hue)
      }
    }
    return try Self.json(found)
  }

  /// People with an account and those whom the viewer knows, by the beginning of a name, for the fields of names.
  func names(_ request: Request, _ context: WebContext) async throws -> Response {
    let viewer = try context.signedIn().viewer
    let text = String((Query(request, context)["q"] ?? "").prefix(100)).trimmingCharacters(in: .whitespaces)
    return try Self.json(
      try await site.desk.search { try KnownPeople(access: Access(work: $0, viewer: viewer)).find(text) })
  }

  private static func json(_ value: some Encodable) throws -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: .init(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(value))))
  }
}

extension SearchController {
  // MARK: - By meaning

  private static let byMeaning = "meaning"

  private static func address(_ words: String, _ filter: ListFilter, isByMeaning: Bool) -> String {
    let address = "/search?q=\(escaped(words))" + filter.address.replacing("?", with: "&")
    return isByMeaning ? "\(address)&by=\(byMeaning)" : address
  }

  private static func modes(_ words: String, _ filter: ListFilter, isByMeaning: Bool) -> [Mode] {
    [
      Mode(
        modeTitle: String(translated: "By words"), address: address(words, filter, isByMeaning: false),
        isChosen: !isByMeaning),
      Mode(
        modeTitle: String(translated: "By meaning"), address: address(words, filter, isByMeaning: true),
        isChosen: isByMeaning),
    ]
  }

  private static func search(
    _ text: String, by meaning: MeaningModel, _ filter: ListFilter, _ access: Access, _ clock: PageClock, after: String?
  ) throws -> Page {
    let query = try MessageQuery(text, calendar: clock.calendar, maximumTerms: .max)
    // Conditions alone mean nothing: the newest messages that fulfil them come.
    guard !query.text.isEmpty || query.isEmpty else { return try search(text, filter, access, clock, after: after) }
    let found =
      try query.isEmpty
      ? Access.Nearest() : access.nearest(to: query, by: meaning, filter, limit: pageSize, after: after)
    let ids = Array(Set(found.messages.map(\.conversationID)))
    let conversations = Dictionary(
      try access.conversations(ids).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    try access.work.people.read(
      conversations.values.flatMap { ConversationRow.people(of: $0) } + found.messages.map(\.senderID))
    let hits = try found.messages.compactMap { message in
      // No word of it is what was found.
      try conversations[message.conversationID].map { hit(message, $0, try .init(""), access, clock) }
    }
    let more = found.last.map { address(text, filter, isByMeaning: true) + "&after=\(Slug.encode($0))" }
    return Page(
      words: text, hits: hits, hasSearched: !text.isEmpty, count: nil, noHits: hits.isEmpty && more == nil,
      choices: KindChoices(filter), isFiltered: filter.readsMessages, moreAddress: more)
  }
}
