import Foundation
import Sorted

/// A conversation in the list, as its template wants it.
struct ConversationRow {
  let slug: String
  let name: String
  let initials: String
  let hue: Int
  let preview: String
  let hasDraft: Bool
  let time: String
  let iso: String
  let sort: Int64
  let day: String
  let kinds: String
  let unread: Int
  let unreadText: String
  let hasUnread: Bool
  let isPinned: Bool
  let isMuted: Bool
  let isArchived: Bool
  let isGroup: Bool

  init(_ conversation: ConversationEntity, _ place: PlaceEntity?, _ access: Access, _ clock: PageClock) throws {
    let state = try ConversationState(conversation, place, access)
    let others = conversation.participantIDs.filter { $0 != access.viewer.userID }
    let name = conversation.displayName ?? (others.isEmpty ? "You" : others.joined(separator: ", "))
    slug = Slug.encode(conversation.id)
    self.name = name
    initials = Avatar.initials(name)
    hue = Avatar.hue(conversation.id)
    let draft = place?.draft ?? ""
    hasDraft = !draft.isEmpty
    preview = draft.isEmpty ? Self.preview(conversation, access.viewer) : draft
    let date = conversation.lastMessageAt ?? conversation.createdAt
    time = clock.short(date)
    iso = date.formatted(.iso8601)
    sort = PageClock.order(date)
    day = state.isPinned && !state.isArchived ? "Pinned" : clock.day(date)
    kinds = ConversationList.kinds(state).map(\.rawValue).joined(separator: " ")
    unread = state.unread
    unreadText = state.unread > 99 ? "99+" : "\(state.unread)"
    hasUnread = state.unread > 0
    isPinned = state.isPinned
    isMuted = state.isMuted
    isArchived = state.isArchived
    isGroup = conversation.isGroup
  }

  private static func preview(_ conversation: ConversationEntity, _ viewer: Viewer) -> String {
    let text = String((conversation.lastMessageText ?? "").prefix(200))
    guard let sender = conversation.lastMessageSenderID, !text.isEmpty else { return text }
    if sender == viewer.userID { return "You: \(text)" }
    return conversation.isGroup ? "\(sender): \(text)" : text
  }
}

/// A message, as its template wants it.
struct MessageRow {
  struct File {
    let slug: String
    let fileName: String
    let fileSize: String
    let isImage: Bool
  }
  struct Chip {
    let kind: String
    let label: String
    let explanation: String
  }

  let messageSlug: String
  let threadSlug: String
  let order: Int64
  let messageDay: String
  let isMine: Bool
  let sender: String?
  let senderHue: Int
  let messageText: String?
  let clockTime: String
  let messageISO: String
  let isEdited: Bool
  let mark: String?
  let markLabel: String
  let failure: String?
  let chips: [Chip]
  let hasChips: Bool
  let files: [File]
  let canEdit: Bool

  init(_ message: MessageEntity, in conversation: ConversationEntity, viewer: Viewer, _ clock: PageClock) {
    let isMine = message.senderID == viewer.userID || viewer.isOwner && message.senderID == LocalUser.placeholder
    messageSlug = Slug.encode(message.id)
    threadSlug = Slug.encode(conversation.id)
    order = PageClock.order(message.createdAt)
    messageDay = clock.day(message.createdAt)
    self.isMine = isMine
    sender = isMine || !conversation.isGroup ? nil : message.senderID
    senderHue = Avatar.hue(message.senderID)
    let isFileNameOnly = message.attachments.count == 1 && message.attachments[0].fileName == message.text
    messageText = isFileNameOnly ? nil : message.text
    clockTime = clock.time(message.createdAt)
    messageISO = message.createdAt.formatted(.iso8601)
    isEdited = message.editedAt != nil
    let mark = Self.mark(message)
    self.mark = isMine ? mark.name : nil
    markLabel = mark.label
    failure = isMine && message.syncStatus == .failed ? (message.syncError ?? "The server did not take it.") : nil
    chips = Self.chips(message)
    hasChips = !chips.isEmpty
    files = message.attachments.sorted { $0.createdAt < $1.createdAt }.map {
      File(
        slug: Slug.encode($0.id), fileName: $0.fileName,
        fileSize: $0.fileSize.formatted(.byteCount(style: .file)), isImage: $0.type == .image)
    }
    canEdit = isMine
  }

  private static func mark(_ message: MessageEntity) -> (name: String, label: String) {
    if message.syncStatus == .failed { return ("failed", "Not sent") }
    switch message.status {
    case .sending: return ("sending", "Waiting to be sent")
    case .sent: return ("sent", "Sent")
    case .delivered: return ("delivered", "Delivered")
    case .read: return ("read", "Read")
    }
  }

  static func chips(_ message: MessageEntity) -> [Chip] {
    var chips: [Chip] = []
    if let category = message.category {
      let sure = message.categoryConfidence.map { ", \(Int(($0 * 100).rounded())) % sure" } ?? ""
      chips.append(
        Chip(kind: category.rawValue, label: category.rawValue.capitalized, explanation: "Category\(sure)"))
    }
    if let sentiment = message.sentiment, sentiment != .neutral, sentiment.rawValue != message.category?.rawValue {
      let strength = message.sentimentIntensity.map { ", \($0.rawValue)" } ?? ""
      chips.append(
        Chip(kind: sentiment.rawValue, label: sentiment.rawValue.capitalized, explanation: "Mood\(strength)"))
    }
    if let score = message.opportunityScore {
      chips.append(Chip(kind: "opportunity", label: "Opportunity \(score)", explanation: "Score of 100"))
    }
    return chips
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
      Choice(choiceTitle: "\($0) or more", value: $0, isChosen: filter.opportunity.map(String.init) == $0)
    }
  }

  private static func choices(_ names: [String], _ chosen: String?) -> [Choice] {
    names.map { Choice(choiceTitle: $0.capitalized, value: $0, isChosen: $0 == chosen) }
  }
}

/// A picture for those who have none.
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
