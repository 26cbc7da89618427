import Foundation
import Sorted
import SwiftData

/// A person who takes no messages from another person.
@Model
final class BlockEntity {
  #Index<BlockEntity>([\.userID], [\.blockedID])

  /// ``key(_:_:)``
  @Attribute(.unique) var id: String

  /// Who blocks
  var userID: String

  /// Who is blocked
  var blockedID: String

  /// Blocks a person for another.
  init(userID: String, blockedID: String) {
    id = Self.key(userID, blockedID)
    self.userID = userID
    self.blockedID = blockedID
  }

  /// The identifier for two people. Names of people have no control characters.
  static func key(_ userID: String, _ blockedID: String) -> String { "\(userID)\u{1F}\(blockedID)" }
}

extension Access {
  /// Whether the viewer takes no messages from a person.
  func hasBlocked(_ person: String) throws -> Bool {
    let key = BlockEntity.key(viewer.userID, person)
    return try work.own.fetchCount(FetchDescriptor<BlockEntity>(predicate: #Predicate { $0.id == key })) > 0
  }

  /// Blocks a person, or takes it back.
  func setBlocked(_ isBlocked: Bool, _ person: String) throws {
    guard try hasBlocked(person) != isBlocked else { return }
    let (user, key) = (viewer.userID, BlockEntity.key(viewer.userID, person))
    if isBlocked {
      work.own.insert(BlockEntity(userID: user, blockedID: person))
    } else {
      try work.own.delete(model: BlockEntity.self, where: #Predicate { $0.id == key })
    }
  }

  private func block(with people: [String]) throws -> BlockEntity? {
    let user = viewer.userID
    return try work.own.fetch(
      FetchDescriptor<BlockEntity>(
        predicate: #Predicate {
          $0.userID == user && people.contains($0.blockedID) || $0.blockedID == user && people.contains($0.userID)
        })
    ).first
  }

  /// Whether one of the two of a talk blocked the other, so that neither hears anything new of the other there: no message, change,
  /// reaction or pin, not who writes and not who is here. A group is everybody's, and a person who wants to see nothing of another
  /// one there leaves it.
  func isBlocked(in conversation: ConversationEntity) throws -> Bool {
    guard work.setting.hasAccounts, !conversation.isGroup else { return false }
    return try block(with: conversation.participantIDs) != nil
  }

  /// - Throws: ``PageError`` where ``isBlocked(in:)``.
  func checkBlocks(in conversation: ConversationEntity) throws {
    guard work.setting.hasAccounts, !conversation.isGroup else { return }
    try checkBlocks(with: conversation.participantIDs)
  }

  /// - Throws: ``PageError`` if the viewer has blocked one of some people or is blocked by one.
  func checkBlocks(with people: [String]) throws {
    let user = viewer.userID
    guard let block = try block(with: people) else { return }
    let name = Viewer.shownName(block.userID == user ? block.blockedID : block.userID)
    throw PageError(
      .forbidden, "Blocked",
      block.userID == user
        ? "You blocked \(name). Unblock them on their page first." : "\(name) takes no messages from you.")
  }
}
