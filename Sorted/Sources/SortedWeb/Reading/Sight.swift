import Foundation
import Sorted
import SwiftData

/// A message that its reader did not delete. Only a ``Sight`` makes one, and what shows a message wants one, so no page, event,
/// search or file shows what the reader deleted.
@dynamicMemberLookup
struct SeenMessage {
  let entity: MessageEntity

  fileprivate init(_ entity: MessageEntity) { self.entity = entity }

  subscript<Value>(dynamicMember path: KeyPath<MessageEntity, Value>) -> Value { entity[keyPath: path] }
}

/// What a viewer deleted for themselves in some conversations: single messages, and whole conversations up to a time.
struct Sight {
  private let hidden: Set<String>
  /// The conversations that they belong to.
  private let touched: Set<String>
  private let cleared: [String: Date]

  fileprivate init(_ hidden: [HiddenMessageEntity], _ places: [PlaceEntity]) {
    self.hidden = Set(hidden.map(\.messageID))
    touched = Set(hidden.map(\.conversationID))
    cleared = Dictionary(
      places.compactMap { place in place.cleared.map { (place.conversationID, $0) } }, uniquingKeysWith: max)
  }

  /// The message, unless the viewer deleted it.
  func seen(_ message: MessageEntity) -> SeenMessage? {
    guard !hidden.contains(message.id), message.createdAt > clearedUpTo(message.conversationID) else { return nil }
    return SeenMessage(message)
  }

  /// Those that the viewer did not delete.
  func seen(_ messages: some Sequence<MessageEntity>) -> [SeenMessage] { messages.compactMap(seen) }

  /// Whether the viewer deleted anything of a conversation.
  func concerns(_ conversationID: String) -> Bool {
    touched.contains(conversationID) || cleared[conversationID] != nil
  }

  /// The messages of a conversation up to then are deleted for the viewer.
  func clearedUpTo(_ conversationID: String) -> Date { cleared[conversationID] ?? .distantPast }

  /// The same rule for the store, of one conversation.
  func condition(in id: String) -> Predicate<MessageEntity> {
    let since = clearedUpTo(id)
    var condition = #Predicate<MessageEntity> { $0.conversationID == id }
    if since > .distantPast {
      let former = condition
      condition = #Predicate { former.evaluate($0) && $0.createdAt > since }
    }
    guard !hidden.isEmpty else { return condition }
    let (former, hidden) = (condition, hidden)
    return #Predicate { former.evaluate($0) && !hidden.contains($0.id) }
  }

  /// A condition and the same rule for the store, of all conversations; nil if there is neither.
  func condition(and condition: Predicate<MessageEntity>? = nil) -> Predicate<MessageEntity>? {
    var terms = [condition].compactMap(\.self)
    for (id, date) in cleared.sorted(by: { $0.key < $1.key }) {
      terms.append(#Predicate { $0.conversationID != id || $0.createdAt > date })
    }
    if !hidden.isEmpty {
      let hidden = hidden
      terms.append(#Predicate { !hidden.contains($0.id) })
    }
    return terms.isEmpty ? nil : MessageConditions.all(terms)
  }
}

/// Conditions of messages that were put together. They are balanced trees, because databases limit how deep an expression is.
enum MessageConditions {
  /// All of some conditions.
  static func all(_ terms: [Predicate<MessageEntity>]) -> Predicate<MessageEntity> {
    joined(terms[...]) { first, second in #Predicate { first.evaluate($0) && second.evaluate($0) } }
  }

  /// Any of some conditions.
  static func any(_ terms: [Predicate<MessageEntity>]) -> Predicate<MessageEntity> {
    joined(terms[...]) { first, second in #Predicate { first.evaluate($0) || second.evaluate($0) } }
  }

  private static func joined(
    _ terms: ArraySlice<Predicate<MessageEntity>>,
    _ join: (Predicate<MessageEntity>, Predicate<MessageEntity>) -> Predicate<MessageEntity>
  ) -> Predicate<MessageEntity> {
    guard terms.count > 1 else { return terms[terms.startIndex] }
    let middle = terms.startIndex + terms.count / 2
    return join(joined(terms[..<middle], join), joined(terms[middle...], join))
  }
}

extension PlaceEntity {
  /// The messages up to then are deleted for the person. Stores of earlier versions have the time of the deletion only.
  var cleared: Date? { clearedUpTo ?? deletedAt }
}

extension Access {
  /// What the viewer deleted in some conversations.
  /// - Parameters:
  ///   - ids: nil is all conversations.
  ///   - places: the viewer's places in these conversations, where they were read before.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: one statement, and another one without places.
  func sight(of ids: [String]? = nil, _ places: [PlaceEntity]? = nil) throws -> Sight {
    let user = viewer.userID
    let hidden: [HiddenMessageEntity]
    if let ids {
      hidden = try work.own.fetch(
        FetchDescriptor(predicate: #Predicate { $0.userID == user && ids.contains($0.conversationID) }))
    } else {
      hidden = try work.own.fetch(FetchDescriptor(predicate: #Predicate { $0.userID == user }))
    }
    return Sight(hidden, try places ?? clearedPlaces(ids))
  }

  private func clearedPlaces(_ ids: [String]?) throws -> [PlaceEntity] {
    let user = viewer.userID
    if let ids {
      let keys = ids.map { PlaceEntity.key(user, $0) }
      return try work.own.fetch(FetchDescriptor(predicate: #Predicate { keys.contains($0.id) }))
    }
    return try work.own.fetch(
      FetchDescriptor(predicate: #Predicate { $0.userID == user && ($0.deletedAt != nil || $0.clearedUpTo != nil) }))
  }
}
