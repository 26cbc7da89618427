import Foundation
import Hummingbird
import Sorted

/// A stretch of a conversation as its template wants it.
struct StretchView {
  struct Item {
    /// Nil for all but the first of a day.
    let dayHeading: String?
    let message: MessageRow
    /// Whether a search led to it.
    let isHit: Bool
  }

  let messages: [Item]
  /// Nil where there are none.
  let olderAddress: String?
  let newerAddress: String?

  init(
    _ stretch: ThreadStretch, of conversation: ConversationEntity, viewer: Viewer, hit: String? = nil
  ) {
    let clock = PageClock()
    var day: String?
    messages = stretch.messages.map { message in
      let row = MessageRow(message, in: conversation, viewer: viewer, clock)
      defer { day = row.messageDay }
      return Item(dayHeading: row.messageDay == day ? nil : row.messageDay, message: row, isHit: message.id == hit)
    }
    let path = "/c/\(Slug.encode(conversation.id))"
    olderAddress = stretch.hasOlder ? stretch.messages.first.map { "\(path)?before=\(Slug.encode($0.id))" } : nil
    newerAddress = stretch.hasNewer ? stretch.messages.last.map { "\(path)?after=\(Slug.encode($0.id))" } : nil
  }
}

/// A conversation as its template wants it.
struct ThreadView {
  struct Answer {
    let answerSlug: String
    let question: String
    let answer: String
  }
  struct Editing {
    let editSlug: String
    let editText: String
  }

  let head: ConversationRow
  let people: String
  let stretch: StretchView
  let isNewest: Bool
  let isEmptyThread: Bool
  let draft: String
  let key: String
  let answers: [Answer]
  let hasAnswers: Bool
  let editing: Editing?
}

extension Site {
  func addThread(to router: Router<WebContext>) {
    router.get("c/:conversation") { request, context in
      let visit = try context.signedIn()
      let query = Query(request)
      let id = try Slug.decode(try context.parameters.require("conversation"))
      let filter = try ListFilter(query)
      let position = try ThreadPosition(query)
      let editing = try query["edit"].map { try Slug.decode($0) }
      let isPart = query["part"] == "1"
      let page = try await read(visit.viewer) { access in
        let conversation = try access.conversation(id)
        let thread = try ThreadView(access, conversation, position, editing: editing)
        guard !isPart else { return Rendered(pages: pages, page: thread.stretch) }
        let list = try ConversationList(access: access, filter: filter).page()
        return Rendered(
          pages: pages,
          page: InboxPage(list: try ListView(list, filter, access, current: id), thread: thread))
      }
      guard !isPart else { return page.part("stretch") }
      return page.response("inbox", "Inbox", try await view(request, visit, section: "inbox"))
    }
    addMessageActions(to: router)
  }

}

/// Where in a conversation a page begins.
enum ThreadPosition: Sendable {
  case newest
  case before(String)
  case after(String)
  case around(String)
  case between(String, String)

  init(_ query: Query) throws {
    if let first = query["from"], let last = query["to"] {
      self = .between(try Slug.decode(first), try Slug.decode(last))
    } else if let slug = query["before"] {
      self = .before(try Slug.decode(slug))
    } else if let slug = query["after"] {
      self = .after(try Slug.decode(slug))
    } else if let slug = query["at"] {
      self = .around(try Slug.decode(slug))
    } else {
      self = .newest
    }
  }
}

extension ThreadView {
  /// Reads what a page of a conversation shows.
  /// - Complexity: some statements on indices, however long the conversation is.
  init(
    _ access: Access, _ conversation: ConversationEntity, _ position: ThreadPosition, editing: String?
  ) throws {
    let reader = ThreadReader(context: access.work.inbox, conversationID: conversation.id)
    var hit: String?
    let stretch: ThreadStretch
    switch position {
    case .newest: stretch = try reader.newest()
    case .before(let id): stretch = try reader.before(try access.message(id, in: conversation))
    case .after(let id): stretch = try reader.after(try access.message(id, in: conversation))
    case .between(let first, let last):
      stretch = try reader.between(
        try access.message(first, in: conversation), try access.message(last, in: conversation))
    case .around(let id):
      hit = id
      stretch = try reader.around(try access.message(id, in: conversation))
    }
    let place = try access.place(in: conversation.id)
    let edited = try editing.map { try access.message($0, in: conversation) }
    let answers = try access.answers().filter(\.isEnabled).prefix(20).map {
      ThreadView.Answer(answerSlug: Slug.encode($0.id), question: $0.questionPattern, answer: $0.answer)
    }
    self.init(
      head: try ConversationRow(conversation, place, access, PageClock()),
      people: conversation.participantIDs.map { $0 == access.viewer.userID ? "you" : $0 }.joined(separator: ", "),
      stretch: StretchView(stretch, of: conversation, viewer: access.viewer, hit: hit), isNewest: !stretch.hasNewer,
      isEmptyThread: stretch.messages.isEmpty, draft: place?.draft ?? "", key: UUID().uuidString,
      answers: answers, hasAnswers: !answers.isEmpty,
      editing: edited.map { ThreadView.Editing(editSlug: Slug.encode($0.id), editText: $0.text) })
  }
}
