import Foundation
import Sorted
import UntrustedInput

/// A message, as its template wants it.
struct MessageRow {
  struct File {
    let slug: String
    let fileName: String
    let fileSize: String
    let isImage: Bool
    let isVideo: Bool
    let isAudio: Bool
    let isOther: Bool
  }
  struct Chip {
    let kind: String
    let label: String
    let explanation: String
  }
  /// What it answers.
  struct Quote {
    /// Nil where the message is not here any more.
    let quotedSlug: String?
    let quotedName: String
    let quotedText: String
  }
  struct Reaction {
    let emoji: String
    let reactionCount: Int
    let who: String
    let isOwn: Bool
    /// What the button sends: nothing takes the reaction back.
    let sends: String
  }
  struct Choice {
    let choiceEmoji: String
  }

  let messageSlug: String
  let threadSlug: String
  let order: Int64
  let messageDay: String
  let isMine: Bool
  let senderKey: String
  let senderName: String
  let sender: String?
  let senderHue: Int
  let senderInitials: String
  let senderPicture: String?
  let senderForeignPicture: String?
  let showsAvatar: Bool
  let messageHTML: String?
  let clockTime: String
  let messageISO: String
  let isEdited: Bool
  let isDeleted: Bool
  let isThere: Bool
  /// What happened to a group, in words; nil for what a person wrote.
  let eventText: String?
  let isPinnedMessage: Bool
  let mark: String?
  let markLabel: String
  let failure: String?
  let chips: [Chip]
  let hasChips: Bool
  let files: [File]
  let canEdit: Bool
  let quote: Quote?
  let reactions: [Reaction]
  let hasReactions: Bool
  let choices: [Choice]
  /// The suggested answer.
  let draftReply: String?

  /// What a click reacts with; others are typed.
  static let commonReactions = ["👍", "❤️", "😂", "😮", "😢", "🙏"]

  init(_ message: SeenMessage, _ scene: ThreadScene) {
    let conversation = scene.conversation
    let isMine = scene.isMine(message)
    let name = scene.people.name(message.senderID)
    messageSlug = Slug.encode(message.id)
    threadSlug = Slug.encode(conversation.id)
    order = PageClock.order(message.createdAt)
    messageDay = scene.clock.day(message.createdAt)
    self.isMine = isMine
    senderKey = Slug.encode(message.senderID)
    senderName = isMine ? String(translated: "You") : name
    sender = scene.isNamed(message) ? name : nil
    senderHue = Avatar.hue(message.senderID)
    senderInitials = Avatar.initials(name)
    senderPicture = scene.people.picture(message.senderID)
    senderForeignPicture = scene.people.foreignPicture(message.senderID)
    showsAvatar = scene.isNamed(message)
    isDeleted = message.deletedAt != nil
    isThere = !isDeleted
    eventText = message.entity.isGroupEvent ? GroupEvent.translated(message.text) : nil
    let isFileNameOnly = message.attachments.count == 1 && message.attachments[0].fileName == message.text
    let text = MessageText(people: Set(conversation.participantIDs), reader: scene.viewer.userID)
    messageHTML = isFileNameOnly ? nil : isDeleted ? Phrase(InboxService.deletedText).text : text.html(message.text)
    clockTime = scene.clock.time(message.createdAt)
    messageISO = message.createdAt.formatted(.iso8601)
    isEdited = message.editedAt != nil && !isDeleted
    isPinnedMessage = conversation.pinnedMessageIDs.contains(message.id)
    let mark = Self.mark(message, scene)
    self.mark = isMine && !isDeleted ? mark.name : nil
    markLabel = mark.label.text
    failure =
      isMine && message.syncStatus == .failed
      ? (message.syncError.map(DataLayerText.translated) ?? String(translated: "The server did not take it.")) : nil
    // A judgement is for the reader, not for the sender.
    chips = isDeleted || isMine ? [] : Self.chips(message)
    hasChips = !chips.isEmpty
    files = message.attachments.sorted { $0.createdAt < $1.createdAt }.map(Self.file)
    canEdit = isMine && !isDeleted && eventText == nil
    quote = message.replyToID.map { Self.quote($0, scene) }
    reactions = isDeleted ? [] : Self.reactions(message, scene)
    hasReactions = !reactions.isEmpty
    choices = Self.commonReactions.map { Choice(choiceEmoji: $0) }
    draftReply = isMine || isDeleted ? nil : message.smartReplyDraft
  }

  private static func file(_ attachment: AttachmentEntity) -> File {
    File(
      slug: Slug.encode(attachment.id), fileName: attachment.fileName,
      fileSize: attachment.fileSize.formatted(.byteCount(style: .file)), isImage: attachment.type == .image,
      isVideo: attachment.type == .video, isAudio: attachment.type == .audio,
      isOther: attachment.type == .document)
  }

  static func quote(_ id: String, _ scene: ThreadScene) -> Quote {
    guard let message = scene.quoted[id] else {
      return Quote(
        quotedSlug: nil, quotedName: "", quotedText: String(translated: "A message that is not here any more"))
    }
    return Quote(
      quotedSlug: Slug.encode(id),
      quotedName: scene.isMine(message) ? String(translated: "You") : scene.people.name(message.senderID),
      quotedText: MessageText.plain(String(message.text.prefix(200))))
  }

  private static func reactions(_ message: SeenMessage, _ scene: ThreadScene) -> [Reaction] {
    let given = message.reactions.filter { !$0.value.isEmpty }
    return Dictionary(grouping: given.keys.sorted()) { given[$0] ?? "" }
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
      .map { emoji, people in
        let isOwn = people.contains(scene.viewer.userID)
        return Reaction(
          emoji: emoji, reactionCount: people.count,
          who: people.map { $0 == scene.viewer.userID ? String(translated: "You") : scene.people.name($0) }.joined(
            separator: ", "),
          isOwn: isOwn, sends: isOwn ? "" : emoji)
      }
  }

  private static func mark(_ message: SeenMessage, _ scene: ThreadScene) -> (name: String, label: Phrase) {
    if message.syncStatus == .failed { return ("failed", "Not sent") }
    // What a sync server is to take is on its way; without one it has arrived where it is stored.
    switch message.status == .sending || message.status == .sent ? scene.storedMark ?? message.status : message.status {
    case .sending: return ("sending", "Waiting to be sent")
    case .sent: return ("sent", "Sent")
    case .delivered: return ("delivered", "Delivered")
    case .read: return ("read", "Read")
    }
  }

  static func chips(_ message: SeenMessage) -> [Chip] {
    var chips: [Chip] = []
    if let category = message.category {
      let sure = message.categoryConfidence.map {
        Int((UntrustedDouble($0).clamped(to: 0...1) * 100).rounded())
      }
      let explanation: Phrase = sure.map { "Category, \($0) % sure" } ?? "Category"
      chips.append(
        Chip(
          kind: category.rawValue, label: Phrase(category.rawValue.capitalized).text, explanation: explanation.text))
    }
    if let sentiment = message.sentiment, sentiment != .neutral, sentiment.rawValue != message.category?.rawValue {
      let strength = message.sentimentIntensity.map { Phrase($0.rawValue).text }
      let explanation: Phrase = strength.map { "Mood, \($0)" } ?? "Mood"
      chips.append(
        Chip(
          kind: sentiment.rawValue, label: Phrase(sentiment.rawValue.capitalized).text, explanation: explanation.text))
    }
    if let score = message.opportunityScore {
      chips.append(
        Chip(
          kind: "opportunity", label: String(translated: "Opportunity \(score)"),
          explanation: String(translated: "Score of 100")))
    }
    return chips
  }
}
