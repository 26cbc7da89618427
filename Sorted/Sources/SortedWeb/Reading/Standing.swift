import Foundation
import Sorted
import SwiftData

/// How a conversation stands for a viewer. Only ``Standings`` makes one, and a row of a list, an event and a notification want one,
/// so they all decide alike.
struct Standing: Equatable {
  let isPinned: Bool
  let isMuted: Bool
  /// Archived, and no message has come since. A muted one stays archived.
  let isArchived: Bool
  /// Deleted, and no message has come since.
  let isDeleted: Bool
  /// Whether it belongs to the list of spam alone.
  let isSetAside: Bool

  /// Whether its messages make no noise: no notification, and no number in the title of the page.
  var isSilent: Bool { isMuted || isArchived || isDeleted || isSetAside }

  /// The lists that it belongs to: names of ``ListFilter/Kind``, and ``ConversationList/spamKind``.
  func lists(unread: Int) -> [String] {
    guard !isDeleted else { return [] }
    guard !isSetAside else { return [ConversationList.spamKind] }
    let kinds: [ListFilter.Kind] =
      isArchived ? [.archived] : [.all] + (unread > 0 ? [.unread] : []) + (isPinned ? [.pinned] : [])
    return kinds.map(\.rawValue)
  }

  fileprivate init(
    _ conversation: ConversationEntity, _ place: PlaceEntity?, _ viewer: Viewer, isSetAside: Bool
  ) {
    let last = conversation.lastMessageAt ?? .distantPast
    isPinned = viewer.isOwner ? conversation.isPinned : place?.isPinned ?? false
    isMuted = viewer.isOwner ? conversation.isMuted : place?.isMuted ?? false
    isArchived =
      viewer.isOwner
      ? conversation.isArchived && (isMuted || !Self.isBack(conversation, place))
      : place?.isArchived == true && (isMuted || last <= place?.archivedUpTo ?? place?.readUpTo ?? .distantFuture)
    isDeleted = place?.deletedAt.map { last <= $0 } ?? false
    self.isSetAside = isSetAside && !isPinned
  }

  /// Whether an archived conversation of the owner has an unread message from after it was archived. Other programs archive
  /// without a note of the last message; then the time says it.
  static func isBack(_ conversation: ConversationEntity, _ place: PlaceEntity?) -> Bool {
    guard conversation.unreadCount > 0, let last = conversation.lastMessageAt else { return false }
    let archived = place?.archivedUpTo ?? conversation.fieldTimes[ConversationField.isArchived.rawValue]
    return archived.map { last > $0 } ?? false
  }

  /// Whether the person that `place` belongs to deleted the conversation, and no message has come since.
  static func isDeleted(_ conversation: ConversationEntity, _ place: PlaceEntity?) -> Bool {
    place?.deletedAt.map { (conversation.lastMessageAt ?? .distantPast) <= $0 } ?? false
  }
}

/// How conversations stand for a viewer, read once for all of a page.
struct Standings {
  /// The viewer's places, by conversation.
  let places: [String: PlaceEntity]
  /// The conversations that are set aside as spam.
  let setAside: Set<String>
  private let viewer: Viewer

  subscript(conversation: ConversationEntity) -> Standing {
    Standing(
      conversation, places[conversation.id], viewer, isSetAside: setAside.contains(conversation.id))
  }

  fileprivate init(_ viewer: Viewer, _ places: [PlaceEntity], _ setAside: [String]) {
    self.viewer = viewer
    self.places = Dictionary(places.map { ($0.conversationID, $0) }, uniquingKeysWith: { first, _ in first })
    self.setAside = Set(setAside)
  }
}

extension Access {
  /// How conversations stand for the viewer.
  /// - Parameter one: the only conversation that is asked for; nil for any.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: two statements, and at most six more if a message may be spam.
  func standings(of one: String? = nil) throws -> Standings {
    let user = viewer.userID
    let places = try one.map { try [place(in: $0)].compactMap(\.self) } ?? allPlaces()
    let kept = places.filter { $0.isAccepted || !viewer.isOwner && $0.isPinned }.map(\.conversationID)
    let guessed = try AssistInbox(context: work.inbox).conversationsSetAside(
      for: user, writing: viewer.names, without: Set(kept), only: one)
    // The number that a page shows is of conversations that the viewer sees.
    let byID = Dictionary(places.map { ($0.conversationID, $0) }, uniquingKeysWith: { first, _ in first })
    let setAside =
      try guessed.isEmpty
      ? []
      : conversations(guessed).filter { conversation in
        !Standing.isDeleted(conversation, byID[conversation.id]) && !(viewer.isOwner && conversation.isPinned)
      }
    return Standings(viewer, places, setAside.map(\.id))
  }

  private func allPlaces() throws -> [PlaceEntity] {
    let user = viewer.userID
    return try work.own.fetch(FetchDescriptor<PlaceEntity>(predicate: #Predicate { $0.userID == user }))
  }
}
