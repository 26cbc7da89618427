import Sorted
import SwiftData

/// Names and pictures of people, as their profiles have them. A piece of work reads each profile once.
final class People {
  private let inbox: ModelContext
  private var known = Set<String>()
  private var names: [String: String] = [:]
  private var pictures: [String: String] = [:]
  private var foreignPictures: [String: String] = [:]

  init(_ inbox: ModelContext) { self.inbox = inbox }

  /// Reads the profiles of those people whose profiles were not read before.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: one statement, and none where all were read before.
  func read(_ ids: [String]) throws {
    let missing = Set(ids).subtracting(known).sorted()
    guard !missing.isEmpty else { return }
    // A person without a profile is shown by the identifier.
    for user in try inbox.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { missing.contains($0.id) })) {
      names[user.id] = user.displayName
      pictures[user.id] = user.picture
      foreignPictures[user.id] = ForeignPicture.address(user.photoURL, "/people/\(Slug.encode(user.id))")
    }
    known.formUnion(missing)
  }

  /// The name that a person's profile has; nil also for people whose profiles were not read.
  func profileName(_ id: String) -> String? { names[id] }

  func name(_ id: String) -> String {
    guard let name = names[id], !name.isEmpty, AccountName.skeleton(name) != AccountName.skeleton(id) else {
      return Viewer.shownName(id)
    }
    // A chosen name says whose it is: another person's name alone would be a disguise.
    return "\(name) (\(id))"
  }

  /// The address of a person's picture on this server; nil also for people whose profiles were not read.
  func picture(_ id: String) -> String? { pictures[id] }

  /// Where this server serves a person's picture of another server; nil also for people whose profiles were not read.
  func foreignPicture(_ id: String) -> String? { foreignPictures[id] }
}

extension UserEntity {
  /// The address of the picture that this server has of the person.
  var picture: String? { photoURL.flatMap { PictureCabinet.isPicture($0, of: id) ? $0 : nil } }
}
