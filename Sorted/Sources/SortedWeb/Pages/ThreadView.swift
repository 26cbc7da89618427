import Foundation
import Sorted
import SwiftData

/// Where in a conversation a page begins.
enum ThreadPosition: Sendable {
  /// At the first unread message, or at the newest if all were read.
  case unread
  case newest
  case before(String)
  case after(String)
  case around(String)
  case between(Date, Date?)

  /// The fields of an address that it reads.
  static let fields = ["after", "at", "before", "end", "from", "to"]

  init(_ query: Query) throws {
    if let first = query["from"] {
      let last = query["to"].flatMap { $0.isEmpty ? nil : $0 }
      self = .between(
        try PageClock.date(first, isLast: false, field: "from"),
        try last.map { try PageClock.date($0, isLast: true, field: "to") })
    } else if let slug = query["before"] {
      self = .before(try Slug.decode(slug))
    } else if let slug = query["after"] {
      self = .after(try Slug.decode(slug))
    } else if let slug = query["at"] {
      self = .around(try Slug.decode(slug))
    } else {
      self = query["end"] == nil ? .unread : .newest
    }
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
  /// The message that is being answered.
  struct Reply {
    let replySlug: String
    let replyQuote: MessageRow.Quote
  }
  struct Member {
    /// What a mention has; nil for a person without an account.
    let memberID: String?
    let memberSlug: String
    let memberName: String
    let memberInitials: String
    let memberHue: Int
    let memberPicture: String?
    let memberForeignPicture: String?
    let isYou: Bool
    let isAdmin: Bool
    /// Whether the viewer may remove them, and make them an admin or end that.
    let canRemove: Bool
    let canAppoint: Bool
    /// Where the viewer invited them: the link to hand over.
    let invitation: String?
  }
  struct Pin {
    let pinSlug: String
    let pinText: String
  }

  let head: ConversationRow
  let people: String
  let members: [Member]
  let canLeave: Bool
  let canAdd: Bool
  /// The name that a group was given; empty without one.
  let groupName: String
  /// Whether the viewer left, so that there is nothing to write with.
  let hasLeft: Bool
  let pins: [Pin]
  let hasPins: Bool
  let stretch: StretchView
  let unread: Int
  let isEmptyThread: Bool
  let draft: String
  let key: String
  let answers: [Answer]
  let hasAnswers: Bool
  let editing: Editing?
  let reply: Reply?
}

extension ThreadView {
  /// Reads what a page of a conversation shows.
  /// - Parameters:
  ///   - standing: how the conversation stands for the viewer.
  ///   - place: the viewer's place in the conversation, or nil if there is none.
  ///   - sight: what the viewer deleted of the conversation.
  ///   - unread: how many messages the viewer has not read.
  /// - Complexity: some statements on indices, however long the conversation is.
  init(
    _ access: Access, _ conversation: ConversationEntity, _ position: ThreadPosition, _ standing: Standing,
    place: PlaceEntity?, sight: Sight, unread: Int, editing: String? = nil, reply: String? = nil,
    invitations: [String: String] = [:],
    clock: PageClock = PageClock()
  ) throws {
    var scene = try ThreadScene(unmarked: access, conversation, sight, clock: clock)
    let reader = ThreadReader(context: access.work.inbox, conversationID: conversation.id, sight: scene.sight)
    let first = position.isUnread ? try reader.firstUnread(access.viewer, place, unread) : nil
    let (stretch, hit) = try Self.stretch(access, position, first, reader, conversation)
    try scene.mark(stretch.messages, access)
    try scene.quote(stretch.messages, access.work.inbox)
    let edited = try editing.map { try access.message($0, in: conversation) }
    let answered = try reply.map { try access.message($0, in: conversation) }
    if let answered { scene.quoted[answered.id] = answered }
    let answers = try access.answers().filter(\.isEnabled).prefix(20).map {
      ThreadView.Answer(answerSlug: Slug.encode($0.id), question: $0.questionPattern, answer: $0.answer)
    }
    let head = ConversationRow(conversation, standing, place, access, clock, unread: unread)
    let pins = scene.sight.seen(try access.pins(of: conversation))
    let admins = try GroupAdmins(of: conversation, access)
    self.init(
      head: head,
      people: conversation.participantIDs.map {
        $0 == access.viewer.userID ? String(translated: "you") : scene.people.name($0)
      }
      .joined(separator: ", "),
      members: conversation.participantIDs.map { Self.member($0, scene, admins, invitations) },
      canLeave: conversation.isGroup && conversation.participantIDs.contains(access.viewer.userID),
      canAdd: conversation.isGroup && !conversation.hasLeft(access.viewer.userID),
      groupName: conversation.displayName ?? "",
      hasLeft: conversation.hasLeft(access.viewer.userID),
      pins: pins.map { Pin(pinSlug: Slug.encode($0.id), pinText: MessageText.plain(String($0.text.prefix(120)))) },
      hasPins: !pins.isEmpty,
      stretch: StretchView(stretch, scene, hit: hit, firstUnread: first?.id), unread: unread,
      isEmptyThread: stretch.messages.isEmpty, draft: place?.draft ?? "",
      key: UUID().uuidString, answers: answers, hasAnswers: !answers.isEmpty,
      editing: edited.map { ThreadView.Editing(editSlug: Slug.encode($0.id), editText: $0.text) },
      reply: answered.map { Reply(replySlug: Slug.encode($0.id), replyQuote: MessageRow.quote($0.id, scene)) })
  }

  private static func stretch(
    _ access: Access, _ position: ThreadPosition, _ firstUnread: SeenMessage?, _ reader: ThreadReader,
    _ conversation: ConversationEntity
  ) throws -> (ThreadStretch, hit: String?) {
    switch position {
    case .unread:
      let newest = try reader.newest()
      guard let firstUnread, !newest.messages.contains(where: { $0.id == firstUnread.id }) else { return (newest, nil) }
      return (try reader.around(firstUnread.entity), nil)
    case .newest: return (try reader.newest(), nil)
    case .before(let id): return (try reader.before(try access.anyMessage(id, in: conversation)), nil)
    case .after(let id): return (try reader.after(try access.anyMessage(id, in: conversation)), nil)
    case .between(let first, let last): return (try reader.between(first, last), nil)
    case .around(let id): return (try reader.around(try access.anyMessage(id, in: conversation)), id)
    }
  }

  private static func member(
    _ id: String, _ scene: ThreadScene, _ admins: GroupAdmins, _ invitations: [String: String]
  ) -> Member {
    let isYou = scene.viewer.names.contains(id)
    let name = scene.people.name(id)
    return Member(
      memberID: id.hasPrefix(InvitationEntity.prefix) ? nil : id, memberSlug: Slug.encode(id), memberName: name,
      memberInitials: Avatar.initials(name), memberHue: Avatar.hue(id),
      memberPicture: scene.people.picture(id), memberForeignPicture: scene.people.foreignPicture(id),
      isYou: isYou, isAdmin: admins.ids.contains(id), canRemove: admins.viewerMayRemove && !isYou,
      canAppoint: admins.viewerMayAppoint && !id.hasPrefix(InvitationEntity.prefix), invitation: invitations[id])
  }
}

extension ThreadPosition {
  fileprivate var isUnread: Bool { if case .unread = self { true } else { false } }
}

extension Access {
  /// The pinned messages of a conversation that are there, as they were pinned.
  func pins(of conversation: ConversationEntity) throws -> [MessageEntity] {
    let ids = conversation.pinnedMessageIDs
    guard !ids.isEmpty else { return [] }
    let found = try work.inbox.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let byID = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return ids.compactMap { byID[$0] }.filter { $0.conversationID == conversation.id && $0.deletedAt == nil }
  }
}
