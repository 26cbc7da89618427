import FirestoreProtocol
import Foundation
import SwiftData

/// The synced values of a conversation, independent of a context.
struct ConversationValues: Hashable, Sendable {
  var id: String
  var participants: [String]
  var displayName: String?
  var avatarURL: String?
  var isGroup = false
  var pinnedMessages: [String] = []
  var isPinned = false
  var isMuted = false
  var isArchived = false
  var createdAt: Date
  /// The times of the fields by name.
  var times: [String: Date] = [:]
  var pending: Set<String> = []
  var changeID: Int64 = 0
  var serverTime: Int64 = 0

  init(_ conversation: ConversationEntity) {
    id = conversation.id
    participants = conversation.participantIDs
    displayName = conversation.displayName
    avatarURL = conversation.avatarURL
    isGroup = conversation.isGroup
    pinnedMessages = conversation.pinnedMessageIDs
    isPinned = conversation.isPinned
    isMuted = conversation.isMuted
    isArchived = conversation.isArchived
    createdAt = conversation.createdAt
    times = conversation.fieldTimes
    pending = Set(conversation.pendingFields)
    changeID = conversation.changeID
    serverTime = conversation.serverTime
  }

  /// Makes the values of a conversation that is not in the store.
  init(id: String, createdAt: Date) {
    self.id = id
    self.participants = []
    self.createdAt = createdAt
  }

  /// The users to notify: the participants and the user.
  func recipients(_ userID: String) -> [String] {
    var names = participants.map { $0 == LocalUser.placeholder ? userID : $0 }
    if !names.contains(userID) { names.append(userID) }
    var seen = Set<String>()
    return names.filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  // MARK: - The store

  /// - Returns: whether the conversation was unchanged since it was read.
  func save(updatedAt: Date?, _ context: ModelContext) throws -> Bool {
    let id = id
    let changeID = changeID
    let mine = #Predicate<ConversationEntity> { $0.id == id && $0.changeID == changeID }
    let found = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id })).first
    guard let found else {
      let conversation = ConversationEntity(
        id: id, participantIDs: participants, displayName: displayName, isGroup: isGroup, createdAt: createdAt)
      conversation.avatarURL = avatarURL
      conversation.pinnedMessageIDs = pinnedMessages
      conversation.isPinned = isPinned
      conversation.isMuted = isMuted
      conversation.isArchived = isArchived
      conversation.fieldTimes = times
      conversation.pendingFields = pending.sorted()
      conversation.hasPendingFields = !pending.isEmpty
      conversation.serverTime = serverTime
      conversation.updatedAt = updatedAt ?? createdAt
      context.insert(conversation)
      try context.save()
      return true
    }
    let pendingFields = pending.sorted()
    return try context.update(
      model: ConversationEntity.self, where: mine, set: .assign(\.participantIDs, participants),
      .assign(\.displayName, displayName), .assign(\.avatarURL, avatarURL), .assign(\.isGroup, isGroup),
      .assign(\.pinnedMessageIDs, pinnedMessages),
      .assign(\.isPinned, isPinned), .assign(\.isMuted, isMuted), .assign(\.isArchived, isArchived),
      .assign(\.fieldTimes, times), .assign(\.pendingFields, pendingFields),
      .assign(\.hasPendingFields, !pendingFields.isEmpty), .assign(\.serverTime, serverTime),
      .assign(\.updatedAt, updatedAt ?? found.updatedAt)) == 1
  }
}
