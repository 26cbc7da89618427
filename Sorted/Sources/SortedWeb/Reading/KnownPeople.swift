import Foundation
import Sorted
import SwiftData

/// The people whom the viewer knows: those who take part in one of the viewer's conversations.
struct KnownPeople {
  /// A person as fields of names offer them.
  struct Person: Encodable, Equatable, Sendable {
    /// What is written into the field.
    let id: String
    /// What the pages call them.
    let name: String
  }

  let access: Access

  private static let maximum = 8
  /// As many of the latest conversations are looked at.
  private static let candidates = 500

  /// People whose name, or a word of it, begins with a text, and the person with an account of exactly that name.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: a bounded number of statements, each with a limit.
  func find(_ text: String) throws -> [Person] {
    guard !text.isEmpty else { return [] }
    let wanted = AccountName.folded(text)
    let profiles = try profiles(containing: text)
    let all = try people(of: access.conversations(containing: text)).union(profiles)
    let ranks = all.compactMap { id in rank(id, wanted).map { (rank: $0, id: id) } }
    var found = ranks.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }.map { person($0.id) }
    // An account of a person whom the viewer does not know is called by its name alone.
    if access.work.setting.hasAccounts, let id = try access.account(named: text), id != access.viewer.userID,
      !all.contains(id)
    {
      found.insert(Person(id: id, name: id), at: 0)
    }
    return Array(found.prefix(Self.maximum))
  }

  /// The only known person of a name, as the pages write it: the profile's name, or that name with the identifier behind it.
  /// - Throws: `SwiftDataError`.
  func only(named text: String) throws -> String? {
    let folded = AccountName.folded(text)
    let ids = try profiles(containing: text).filter { id in
      AccountName.folded(access.work.people.profileName(id) ?? "") == folded
    }
    if ids.count == 1 { return ids.first }
    guard text.hasSuffix(")"), let open = text.lastIndex(of: "(") else { return nil }
    let id = String(text[text.index(after: open)...].dropLast())
    return try access.work.inbox.fetchCount(FetchDescriptor(predicate: access.conversations(with: id))) > 0 ? id : nil
  }

  /// Known people whose names resemble one that no person has: a letter or two differ, or it is a part of the name.
  /// - Throws: `SwiftDataError`.
  func resembling(_ text: String) throws -> [Person] {
    let wanted = AccountName.folded(text)
    let all = try people(of: access.everything.predicate ?? #Predicate<ConversationEntity> { _ in true })
    try access.work.people.read(Array(all))
    let distances = all.compactMap { id -> (distance: Int, id: String)? in
      let names = [id, access.work.people.profileName(id) ?? ""].map(AccountName.folded)
      let words = names + names.flatMap { $0.split(separator: " ").map(String.init) }
      let distance = words.filter { !$0.isEmpty }.map { Self.distance($0, wanted) }.min() ?? .max
      return distance <= min(2, wanted.count / 3) ? (distance, id) : nil
    }
    return distances.sorted { ($0.distance, $0.id) < ($1.distance, $1.id) }.prefix(3).map { person($0.id) }
  }

  private func person(_ id: String) -> Person { Person(id: id, name: access.work.people.name(id)) }

  private func people(of conversations: Predicate<ConversationEntity>) throws -> Set<String> {
    var latest = FetchDescriptor(predicate: conversations, sortBy: [SortDescriptor(\.lastMessageAt, order: .reverse)])
    latest.fetchLimit = Self.candidates
    let people = try access.work.inbox.fetch(latest).flatMap(\.participantIDs)
    return Set(people).filter { !access.viewer.names.contains($0) && !$0.hasPrefix(InvitationEntity.prefix) }
  }

  /// The known people whose profiles have a text in their names. Their profiles are read.
  private func profiles(containing text: String) throws -> Set<String> {
    var profiles = FetchDescriptor<UserEntity>(predicate: #Predicate { $0.displayName.localizedStandardContains(text) })
    profiles.fetchLimit = 50
    let ids = try access.work.inbox.fetch(profiles, selecting: \.id).filter { id in
      guard !access.viewer.names.contains(id) else { return false }
      return try access.work.inbox.fetchCount(FetchDescriptor(predicate: access.conversations(with: id))) > 0
    }
    try access.work.people.read(ids)
    return Set(ids)
  }

  /// 0 is exactly the name. Nil does not begin so.
  private func rank(_ id: String, _ text: String) -> Int? {
    let names = [id, access.work.people.profileName(id) ?? ""].map(AccountName.folded)
    func begins(_ name: String) -> Bool { name.split { !$0.isLetter && !$0.isNumber }.contains { $0.hasPrefix(text) } }
    if names.contains(text) { return 0 }
    if names.contains(where: { $0.hasPrefix(text) }) { return 1 }
    return names.contains(where: begins) ? 2 : nil
  }

  /// How many letters have to be put in, taken out, changed or swapped with their neighbours.
  static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first.prefix(64)), Array(second.prefix(64)))
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
