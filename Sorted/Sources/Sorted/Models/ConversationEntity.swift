import Foundation
import SwiftData

/// SwiftData model for conversation storage with participant management.
/// Maintains conversation state, unread counts, and message relationships.
@Model
public final class ConversationEntity {
  // MARK: - Core Properties

  /// Unique conversation identifier (matches Firestore document ID)
  @Attribute(.unique) public var id: String

  /// Array of participant user IDs
  public var participantIDs: [String]

  /// Conversation display name (for groups)
  public var displayName: String?

  /// Conversation avatar URL (for groups)
  public var avatarURL: String?

  /// Is this a group conversation?
  public var isGroup: Bool

  /// Creation timestamp
  public var createdAt: Date

  /// Last update timestamp (when last message was sent)
  public var updatedAt: Date = Date.distantPast

  // MARK: - Conversation State

  /// Is conversation pinned?
  public var isPinned: Bool = false

  /// Is conversation muted?
  public var isMuted: Bool = false

  /// Is conversation archived?
  public var isArchived: Bool = false

  /// Whether ``RetentionService`` keeps its messages
  public var isKept: Bool = false

  /// Unread message count
  public var unreadCount: Int = 0

  /// Last message preview text
  public var lastMessageText: String?

  /// Last message timestamp
  public var lastMessageAt: Date?

  /// Last message sender ID
  public var lastMessageSenderID: String?

  /// Messages that are pinned in it, the first one first
  public var pinnedMessageIDs: [String] = []

  /// Tombstones of participants. Each removal adds a new key; its value is the person who left or was removed. An inbox that has the
  /// tombstone and adds the person again sets the value to an empty text
  var departures: [String: String] = [:]

  /// Tombstones of pinned messages, as ``departures``
  var unpinnings: [String: String] = [:]

  // MARK: - Sync

  /// The ``ConversationField``s that changed here and were not sent
  public var pendingFields: [String] = []

  /// Whether ``pendingFields`` is not empty
  public var hasPendingFields: Bool = false

  /// A new number after each local change (see ``MessageEntity/changeID``)
  public var changeID: Int64 = 0

  /// The time of the last change of each ``ConversationField``, by any client. The later change wins.
  public var fieldTimes: [String: Date] = [:]

  /// The update time of the server's document in microseconds since 1970 (server's clock), or 0 if it is unknown
  public var serverTime: Int64 = 0

  /// The update time of the user's own document (`users/{uid}/conversations/{id}`) that was processed last, as
  /// ``serverTime``
  public var noticeTime: Int64 = 0

  /// The `updatedAt` up to which messages were received, in microseconds since 1970 (server's clock)
  public var messageCursor: Int64 = 0

  // MARK: - AI Metadata

  /// Supermemory conversation ID for RAG context
  public var supermemoryConversationID: String?

  // MARK: - Relationships

  /// All messages in this conversation (cascade delete)
  @Relationship(deleteRule: .cascade)
  public var messages: [MessageEntity]

  // MARK: - Initialization

  /// Makes a conversation. Other properties have their defaults.
  public init(
    id: String = UUID().uuidString,
    participantIDs: [String],
    displayName: String? = nil,
    isGroup: Bool = false,
    createdAt: Date = Date()
  ) {
    self.id = id
    self.participantIDs = participantIDs
    self.displayName = displayName
    self.isGroup = isGroup
    self.createdAt = createdAt
    self.updatedAt = createdAt
    self.isPinned = false
    self.isMuted = false
    self.isArchived = false
    self.unreadCount = 0
    self.messages = []
  }

  // MARK: - Helper Methods

  /// Update conversation with latest message
  public func updateWithMessage(_ message: MessageEntity) {
    self.lastMessageText = message.text
    self.lastMessageAt = message.createdAt
    self.lastMessageSenderID = message.senderID
    self.updatedAt = Date()
  }

  /// Increment unread count
  public func incrementUnreadCount() {
    self.unreadCount += 1
  }

  /// Reset unread count (when conversation is opened)
  public func markAsRead() {
    self.unreadCount = 0
  }

  /// Records a local change of a field for the next sync. Without this call the change stays in this store.
  /// - Parameters:
  ///   - field: the changed field.
  ///   - now: the time of the change. A change is never earlier than the one that it replaces, whatever the clock says.
  public func noteChange(of field: ConversationField, now: Date = Date()) {
    let last = fieldTimes[field.rawValue] ?? .distantPast
    fieldTimes[field.rawValue] = ServerTime.rounded(max(now, last.addingTimeInterval(0.001)))
    if !pendingFields.contains(field.rawValue) { pendingFields.append(field.rawValue) }
    hasPendingFields = true
    changeID = .random(in: 1 ... .max)
  }

  /// Get sorted messages (newest first)
  public var sortedMessages: [MessageEntity] {
    messages.sorted { $0.createdAt > $1.createdAt }
  }

  /// Get messages pending sync
  public var pendingSyncMessages: [MessageEntity] {
    messages.filter { $0.isPendingSync }
  }
}

// Who takes part and what is pinned, so that people can change both at the same moment.
//
// Two lists alone cannot be merged: a person who is missing in one of them was either removed there or added in the other. So each
// removal leaves a tombstone. An inbox clears only tombstones that it has, by adding the person again.

extension ConversationEntity {
  /// The participants without those who left. A list that another inbox wrote before it had the tombstone still has them.
  package var presentIDs: [String] {
    let gone = Set(departures.values)
    return participantIDs.filter { !gone.contains($0) }
  }

  /// Whether a person left or was removed. Such a person reads the conversation and cannot write there.
  public func hasLeft(_ person: String) -> Bool {
    // Firestore and imports add people without clearing tombstones.
    !participantIDs.contains(person) && departures.values.contains(person)
  }

  /// Changes who takes part.
  func setPeople(_ people: [String]) {
    Self.leaveTombstones(&departures, from: participantIDs, to: people)
    participantIDs = people
  }

  /// Changes which messages are pinned.
  func setPins(_ messages: [String]) {
    Self.leaveTombstones(&unpinnings, from: pinnedMessageIDs, to: messages)
    pinnedMessageIDs = messages
  }

  /// Takes in what another store says of the people and the pins.
  package func unite(with other: ConversationEntity) {
    Self.unite(&departures, &participantIDs, other.departures, other.participantIDs)
    Self.unite(&unpinnings, &pinnedMessageIDs, other.unpinnings, other.pinnedMessageIDs)
  }

  /// Removes the people who left and the unpinned messages from the lists. Another inbox may have written a list before it had the
  /// tombstones.
  package func settle() {
    let (people, unpinned) = (presentIDs, Set(unpinnings.values))
    let pins = pinnedMessageIDs.filter { !unpinned.contains($0) }
    if participantIDs != people { participantIDs = people }
    if pinnedMessageIDs != pins { pinnedMessageIDs = pins }
  }

  private static func leaveTombstones(_ tombstones: inout [String: String], from old: [String], to new: [String]) {
    let (old, new) = (Set(old), Set(new))
    for (key, name) in tombstones where new.contains(name) && !old.contains(name) { tombstones[key] = "" }
    for name in old.subtracting(new) { tombstones[UUID().uuidString] = name }
  }

  private static func unite(
    _ tombstones: inout [String: String], _ list: inout [String], _ otherTombstones: [String: String],
    _ otherList: [String]
  ) {
    // A cleared tombstone stays cleared, although other inboxes still have the person in it.
    tombstones.merge(otherTombstones) { $0.isEmpty ? $0 : $1 }
    let gone = Set(tombstones.values)
    let all = list + otherList.filter { !list.contains($0) }
    list = all.filter { !gone.contains($0) }
  }
}
