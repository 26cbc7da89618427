import Foundation
import Sorted

/// A conversation in the list, as its template wants it.
struct ConversationRow {
  let slug: String
  let name: String
  let initials: String
  let hue: Int
  /// Of the talk of two: the address of the other one's picture, if the work read that profile.
  let rowPicture: String?
  /// Where this server serves the conversation's or the other one's picture of another server.
  let rowForeignPicture: String?
  /// Who wrote what the preview shows, with a colon; nil in a talk of two for the other one.
  let previewAuthor: String?
  let preview: String
  let hasDraft: Bool
  let time: String
  /// Under the heading of its day: the time of day alone.
  let rowTime: String
  let iso: String
  let sort: Int64
  let day: String
  let kinds: String
  /// The pinned messages, so that a page sees when they change.
  let pinnedMessages: String?
  let unread: Int
  let unreadText: String
  let hasUnread: Bool
  let isPinned: Bool
  let isMuted: Bool
  let isArchived: Bool
  let isGroup: Bool
  /// Of the talk of two: the other one's page.
  let person: String?

  /// What its last message is sorted as; for a list of opportunities, the best of them.
  let labelKind: String?
  let label: String?
  let labelExplanation: String?
  /// The last message, which a click on another label gives that label; nil if the viewer's own layer does not learn from it.
  let judgedSlug: String?

  /// Whether its messages make no noise.
  let isSilent: Bool
  /// Whether it belongs to the list of spam alone.
  let isSetAside: Bool

  /// - Parameters:
  ///   - standing: how it stands for the viewer.
  ///   - last: the last message that the viewer sees, if the viewer deleted a later one.
  ///   - judged: the last message, if another person wrote it.
  ///   - unread: how many messages the viewer has not read.
  ///   - score: the opportunity that the list is ordered by.
  init(
    _ conversation: ConversationEntity, _ state: Standing, _ place: PlaceEntity?, _ access: Access, _ clock: PageClock,
    last: LastMessage = .ofConversation, judged: MessageEntity? = nil, unread: Int = 0, score: Int? = nil
  ) {
    let others = conversation.participantIDs.filter { $0 != access.viewer.userID }
    let name = Self.name(of: conversation, access)
    slug = Slug.encode(conversation.id)
    self.name = name
    initials = Avatar.initials(name)
    // A talk of two has the colour of the other person, as that person has everywhere.
    let partner = !conversation.isGroup && others.count == 1 ? others[0] : nil
    hue = Avatar.hue(partner ?? conversation.id)
    rowPicture = partner.flatMap(access.work.people.picture)
    rowForeignPicture =
      ForeignPicture.address(conversation.avatarURL, "/c/\(slug)") ?? partner.flatMap(access.work.people.foreignPicture)
    let draft = place?.draft ?? ""
    hasDraft = !draft.isEmpty
    (previewAuthor, preview) = draft.isEmpty ? Self.preview(conversation, last, access) : (nil, draft)
    let date = conversation.lastMessageAt ?? conversation.createdAt
    time = clock.short(date)
    let isPinnedInList = state.isPinned && !state.isArchived
    rowTime = isPinnedInList ? time : clock.time(date)
    iso = date.formatted(.iso8601)
    sort = PageClock.order(date)
    day = isPinnedInList ? String(translated: "Pinned") : clock.day(date)
    let found = score == nil ? judged.flatMap(Label.init) : nil
    labelKind = score == nil ? found?.kind.rawValue : "opportunity"
    label = score.map { "\($0)" } ?? found?.text
    labelExplanation = score.map { String(translated: "Opportunity \($0)") } ?? found?.explanation
    judgedSlug =
      conversation.isGroup && !access.viewer.isOwner ? nil : judged.map { Slug.encode($0.id) }
    kinds = Self.kinds(state, judged, found, unread: unread).joined(separator: " ")
    isSilent = state.isSilent
    isSetAside = state.isSetAside
    let pins = conversation.pinnedMessageIDs
    pinnedMessages = pins.isEmpty ? nil : pins.map(Slug.encode).joined(separator: " ")
    self.unread = unread
    unreadText = unread > 99 ? "99+" : "\(unread)"
    hasUnread = unread > 0
    isPinned = state.isPinned
    isMuted = state.isMuted
    isArchived = state.isArchived
    isGroup = conversation.isGroup
    person = partner.map(Slug.encode)
  }

  /// The lists that the row belongs to.
  private static func kinds(_ state: Standing, _ judged: MessageEntity?, _ label: Label?, unread: Int) -> [String] {
    let kinds = state.lists(unread: unread)
    guard kinds.contains(ListFilter.Kind.all.rawValue) else { return kinds }
    return kinds + (judged?.needsAnswer == true ? [ListFilter.Kind.waiting.rawValue] : [])
      + (label?.kind == .spam ? [] : [label?.kind.rawValue].compactMap(\.self))
  }

  /// What a conversation is called everywhere: its name, or the names of the others, whose profiles were read.
  static func name(of conversation: ConversationEntity, _ access: Access) -> String {
    if let name = conversation.displayName { return name }
    let others = conversation.participantIDs.filter { $0 != access.viewer.userID }
    return others.isEmpty
      ? String(translated: "You") : others.map(access.work.people.name).joined(separator: ", ")
  }

  /// The people whom the row of a conversation names.
  /// - Parameter isWhole: whether all who take part are wanted.
  static func people(of conversation: ConversationEntity, isWhole: Bool = false) -> [String] {
    guard isWhole || !conversation.isGroup || conversation.displayName == nil else {
      return [conversation.lastMessageSenderID].compactMap(\.self)
    }
    return conversation.participantIDs
  }

  private static func preview(
    _ conversation: ConversationEntity, _ last: LastMessage, _ access: Access
  ) -> (author: String?, text: String) {
    let (words, author): (String, String?) =
      switch last {
      case .ofConversation: (conversation.lastMessageText ?? "", conversation.lastMessageSenderID)
      case .seen(let message): (message?.text ?? "", message?.senderID)
      }
    let text = MessageText.plain(String(words.prefix(200)))
    guard let sender = author, !text.isEmpty else { return (nil, text) }
    if access.viewer.names.contains(sender) { return (String(translated: "You") + ":", text) }
    return (conversation.isGroup ? access.work.people.name(sender) + ":" : nil, text)
  }
}

/// What can be asked of messages, as forms want it.
struct KindChoices {
  struct Choice {
    let choiceTitle: String
    let value: String
    let isChosen: Bool
  }

  let categories: [Choice]
  let sentiments: [Choice]
  let scores: [Choice]

  init(_ filter: ListFilter) {
    categories = Self.choices(["fan", "business", "spam", "urgent"], filter.category?.rawValue)
    sentiments = Self.choices(["positive", "negative", "urgent", "neutral"], filter.sentiment?.rawValue)
    scores = ["25", "50", "75"].map {
      Choice(
        choiceTitle: String(translated: "\($0) or more"), value: $0, isChosen: filter.opportunity.map(String.init) == $0
      )
    }
  }

  private static func choices(_ names: [String], _ chosen: String?) -> [Choice] {
    names.map { Choice(choiceTitle: Phrase($0.capitalized).text, value: $0, isChosen: $0 == chosen) }
  }
}

/// The initials and the colour that stand for a person without a picture.
enum Avatar {
  /// As many as the style sheet has.
  static let hues = 8

  static func initials(_ name: String) -> String {
    let words = name.split { !$0.isLetter && !$0.isNumber }
    guard let first = words.first?.first else { return "?" }
    let second = words.dropFirst().first?.first.map(String.init) ?? ""
    return (String(first) + second).uppercased()
  }

  /// Always the same for the same identifier, unlike `hashValue`.
  static func hue(_ id: String) -> Int {
    Int(id.utf8.reduce(UInt32(5_381)) { $0 &* 33 &+ UInt32($1) } % UInt32(hues))
  }
}
