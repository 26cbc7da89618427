import Foundation
import Sorted
import SwiftData

/// Finds conversations by the name of one of their people or by their own. What the words name exactly comes first, a person before
/// a group with that person; then the latest.
struct NameSearch {
  let access: Access

  private static let maximum = 12
  /// As many of the latest conversations that have the words are put in order.
  private static let candidates = 200

  /// - Throws: `SwiftDataError`.
  /// - Complexity: a bounded number of statements, each with a limit.
  func find(_ text: String) throws -> [(row: ConversationRow, people: String)] {
    let standings = try access.standings()
    let deleted = standings.places.values.count { $0.deletedAt != nil }
    var found = try latest(
      access.conversations(containing: text), text.isEmpty ? Self.maximum + deleted : Self.candidates)
    if !text.isEmpty {
      for person in try people(named: text) {
        found += try latest(access.conversations(with: person), Self.maximum + deleted)
      }
    }
    var seen = Set<String>()
    found = found.filter { !standings[$0].isDeleted && seen.insert($0.id).inserted }
    let names = access.work.people
    try names.read(Array(Set(found.flatMap(\.participantIDs))))
    let ranks = found.map { (rank: rank($0, AccountName.folded(text)), conversation: $0) }
    let sorted = ranks.sorted {
      ($0.rank, $1.conversation.lastMessageAt ?? .distantPast) < (
        $1.rank, $0.conversation.lastMessageAt ?? .distantPast
      )
    }
    let clock = PageClock()
    return sorted.prefix(Self.maximum).map { _, conversation in
      let others = conversation.participantIDs.filter { !access.viewer.names.contains($0) }
      return (
        ConversationRow(conversation, standings[conversation], nil, access, clock),
        conversation.isGroup || conversation.displayName != nil ? others.map(names.name).joined(separator: ", ") : ""
      )
    }
  }

  private func latest(_ predicate: Predicate<ConversationEntity>, _ limit: Int) throws -> [ConversationEntity] {
    var latest = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.lastMessageAt, order: .reverse)])
    latest.fetchLimit = limit
    return try access.work.inbox.fetch(latest)
  }

  /// The person with an account of a name, and a few of those whose profiles have a name with the words.
  private func people(named text: String) throws -> Set<String> {
    var profiles = FetchDescriptor<UserEntity>(predicate: #Predicate { $0.displayName.localizedStandardContains(text) })
    profiles.fetchLimit = 5
    let ids = try access.work.inbox.fetch(profiles, selecting: \.id)
    return Set(ids + [try access.account(named: text)].compactMap(\.self))
  }

  /// 0 is a talk with the person of that name. Greater numbers fit less.
  private func rank(_ conversation: ConversationEntity, _ text: String) -> Int {
    guard !text.isEmpty else { return 0 }
    let others = conversation.participantIDs.filter { !access.viewer.names.contains($0) }
    let isTalk = !conversation.isGroup && others.count <= 1
    let people = isTalk ? others.flatMap { [$0, access.work.people.profileName($0) ?? ""] } : []
    let persons = people.map(AccountName.folded)
    let names = persons + [AccountName.folded(conversation.displayName ?? "")]
    func isWord(_ name: String) -> Bool { name.split { !$0.isLetter && !$0.isNumber }.contains { $0.hasPrefix(text) } }
    return switch true {
    case persons.contains(text): 0
    case names.contains(text): 1
    case persons.contains { $0.hasPrefix(text) || isWord($0) }: 2
    case names.contains { $0.hasPrefix(text) }: 3
    case names.contains(where: isWord): 4
    default: 5
    }
  }
}
