import FirestoreProtocol
import Foundation

/// Merges a conversation with its document, or with the user's own document of it, field by field: the later change
/// wins.
struct ConversationMerge {
  /// A local change that a later one replaced.
  struct Lost: Hashable {
    var field: ConversationField
    var value: String
    var time: Date
    var remoteValue: String
    var remoteTime: Date
  }

  private(set) var values: ConversationValues
  private(set) var lost = [Lost]()

  init(_ values: ConversationValues) { self.values = values }

  /// - Parameter isShared: whether it is the conversation's document rather than the user's own one.
  mutating func take(_ document: FirestoreDocument, isShared: Bool) {
    let times = document.fields["fieldTimes"]?.members ?? [:]
    if isShared {
      values.serverTime = document.serverTime
      if let createdAt = document.fields["createdAt"]?.time { values.createdAt = createdAt }
    }
    for field in ConversationField.allCases where field.isShared == isShared {
      take(field, document.fields[field.rawValue], times[field.rawValue]?.time ?? .distantPast)
    }
  }

  private mutating func take(_ field: ConversationField, _ value: FirestoreValue?, _ time: Date) {
    let name = field.rawValue
    let ownTime = values.times[name] ?? .distantPast
    if ownTime > time {
      // Also if an earlier change replaced it on the server: any client with the later change sends it again.
      values.pending.insert(name)
      return
    }
    let own = field.value(in: values)
    if let value, value != own {
      if values.pending.contains(name) {
        lost.append(
          Lost(
            field: field, value: ConversationField.words(own), time: ownTime,
            remoteValue: ConversationField.words(value), remoteTime: time))
      }
      field.set(value, in: &values)
    }
    if time > .distantPast { values.times[name] = time }
    values.pending.remove(name)
  }
}
