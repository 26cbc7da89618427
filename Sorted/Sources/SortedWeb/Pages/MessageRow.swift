import Foundation
import Sorted
import UntrustedInput

/// A message, as its template wants it.
struct MessageRow {
  struct File {
    let slug: String
    let fileName: String
    let fileSize: String
    let width: Int
    let height: Int
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
  let isLong: Bool
  let isEmoji: Bool
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
  let pictures: [File]
  /// Whether the pictures are a grid.
  let isAlbum: Bool
  /// What is no picture.
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
    // A message of files alone is called like its first file.
    let isFileNameOnly = message.attachments.contains { $0.fileName == message.text }
    let text = MessageText(people: Set(conversation.participantIDs), reader: scene.viewer.userID)
    messageHTML = isFileNameOnly ? nil : isDeleted ? Phrase(InboxService.deletedText).text : text.html(message.text)
    isLong = !isDeleted && Self.isLong(message.text)
    isEmoji = !isDeleted && message.attachments.isEmpty && Self.isEmoji(message.text)
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
    let attachments = message.attachments.sorted { $0.createdAt < $1.createdAt }
    pictures = attachments.filter { $0.type == .image }.map { Self.file($0, scene.files) }
    isAlbum = pictures.count > 1
    files = attachments.filter { $0.type != .image }.map { Self.file($0, scene.files) }
    canEdit = isMine && !isDeleted && eventText == nil
    quote = message.replyToID.map { Self.quote($0, scene) }
    reactions = isDeleted ? [] : Self.reactions(message, scene)
    hasReactions = !reactions.isEmpty
    choices = Self.commonReactions.map { Choice(choiceEmoji: $0) }
    draftReply = isMine || isDeleted ? nil : message.smartReplyDraft
  }

  private static func file(_ attachment: AttachmentEntity, _ files: FileCabinet?) -> File {
    let size = PictureSize.of(attachment, in: files)
    return File(
      slug: Slug.encode(attachment.id), fileName: attachment.fileName,
      fileSize: attachment.fileSize.formatted(.byteCount(style: .file)),
      width: size?.width ?? 240, height: size?.height ?? 160, isVideo: attachment.type == .video,
      isAudio: attachment.type == .audio, isOther: attachment.type == .document)
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

  /// What the assistant says of a message, if it is sure enough.
  static func chips(_ message: SeenMessage) -> [Chip] {
    guard let label = Label(message.entity) else { return [] }
    return [Chip(kind: label.kind.rawValue, label: label.text, explanation: label.explanation)]
  }

  /// Whether a text is shown folded: it has more characters or lines than a screen.
  static func isLong(_ text: String) -> Bool {
    text.utf8.count > 1_500 && text.count > 1_500 || text.utf8.count { $0 == UInt8(ascii: "\n") } > 20
  }

  /// Whether a text is one to three emoji and nothing else, which are shown large.
  static func isEmoji(_ text: String) -> Bool {
    guard text.utf8.count < 120, (1...3).contains(text.count) else { return false }
    return text.allSatisfy { character in
      let scalars = character.unicodeScalars
      return scalars.first?.properties.isEmoji == true
        && (scalars.first?.properties.isEmojiPresentation == true || scalars.contains("\u{FE0F}"))
    }
  }
}
