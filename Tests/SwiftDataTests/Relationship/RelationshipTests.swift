import Foundation
import SwiftData
import Testing

@Suite struct RelationshipTests {
  @Test("Both sides of a one-to-many are right in memory at once, from either side")
  func oneToManyInMemory() throws {
    let context = try memoryContext(Artist.self)
    let one = Artist(name: "one")
    let two = Artist(name: "two")
    context.insert(one)
    context.insert(two)
    let album = Album(title: "a", artist: one)
    context.insert(album)
    #expect(one.albums.map(\.title) == ["a"])
    album.artist = two
    #expect(one.albums.isEmpty)
    #expect(two.albums.count == 1)
    one.albums.append(album)
    #expect(album.artist === one)
    #expect(two.albums.isEmpty)
    one.albums = []
    #expect(album.artist == nil)
  }

  @Test("Appending to both sides of a many-to-many makes one pair")
  func manyToMany() throws {
    let store = try TemporaryStore()
    let container = try store.container(Listener.self)
    let context = ModelContext(container)
    let ann = Listener(name: "Ann")
    let bob = Listener(name: "Bob")
    context.insert(ann)
    context.insert(bob)
    ann.following.append(bob)
    #expect(bob.followers.map(\.name) == ["Ann"])
    bob.followers.append(ann)
    #expect(bob.followers.count == 1)
    #expect(ann.following.count == 1)
    try context.save()
    let loaded = try ModelContext(container).fetch(FetchDescriptor<Listener>(sortBy: [SortDescriptor(\.name)]))
    #expect(loaded[0].following.map(\.name) == ["Bob"])
    #expect(loaded[1].followers.map(\.name) == ["Ann"])
    #expect(loaded[1].following.isEmpty)
    ann.following.removeAll { $0 === bob }
    #expect(bob.followers.isEmpty)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Listener>()).allSatisfy { $0.followers.isEmpty })
  }

  @Test("A to-many without an inverse shares its targets")
  func withoutInverse() throws {
    let file = try TemporaryStore()
    defer { withExtendedLifetime(file) {} }
    let container = try file.container(RecordShop.self)
    let context = ModelContext(container)
    let track = Track(id: "t", title: "shared")
    let one = RecordShop(name: "1")
    let two = RecordShop(name: "2")
    one.favourites = [track]
    two.favourites = [track]
    context.insert(one)
    context.insert(two)
    try context.save()
    let loaded = try ModelContext(container).fetch(FetchDescriptor<RecordShop>())
    #expect(loaded.map { $0.favourites.map(\.title) } == [["shared"], ["shared"]])
    context.delete(track)
    try context.save()
    #expect(one.favourites.isEmpty)
    #expect(try ModelContext(container).fetch(FetchDescriptor<RecordShop>()).allSatisfy { $0.favourites.isEmpty })
  }

  @Test("Inserting one object inserts everything it reaches, where registered and new objects mix too")
  func graphs() throws {
    let context = try memoryContext(Artist.self)
    let artist = Artist(name: "A")
    context.insert(artist)
    try context.save()
    let album = Album(title: "new")
    let track = Track(title: "t", album: album)
    track.tags = [Tag(name: "x")]
    artist.albums.append(album)
    #expect(album.modelContext == context)
    album.tracks.append(track)
    #expect(context.insertedModelsArray.count == 3)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
    let other = Album(title: "by init", artist: artist)
    context.insert(other)
    #expect(artist.albums.count == 2)
  }

  @Test("A to-many keeps the order of insertion, or the order that the user gave it")
  func order() throws {
    let file = try TemporaryStore()
    defer { withExtendedLifetime(file) {} }
    let container = try file.container(Artist.self)
    let context = ModelContext(container)
    let artist = Artist(name: "A")
    context.insert(artist)
    for number in 0..<20 { artist.albums.append(Album(title: "\(number)")) }
    try context.save()
    func titles() throws -> [String]? {
      try ModelContext(container).fetch(FetchDescriptor<Artist>()).first?.albums.map(\.title)
    }
    #expect(try titles() == (0..<20).map(String.init))
    artist.albums.reverse()
    try context.save()
    #expect(try titles() == (0..<20).reversed().map(String.init))
    artist.albums.append(Album(title: "last"))
    try context.save()
    #expect(try titles()?.last == "last")
    let person = Track(title: "t")
    context.insert(person)
    person.tags = ["c", "a", "b"].map(Tag.init)
    try context.save()
    let tags = try #require(try ModelContext(container).fetch(FetchDescriptor<Track>()).first).tags
    #expect(tags.map(\.name) == ["c", "a", "b"])
  }

  @Test("An unsaved change of one side shows in the other when that is loaded later")
  func unloadedInverse() throws {
    let file = try TemporaryStore()
    defer { withExtendedLifetime(file) {} }
    let container = try file.container(Artist.self)
    let setup = ModelContext(container)
    let one = Artist(name: "one")
    one.albums = [Album(title: "a"), Album(title: "b")]
    setup.insert(one)
    setup.insert(Artist(name: "two"))
    try setup.save()
    let context = ModelContext(container)
    let artists = try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
    let albums = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
    albums[0].artist = artists[1]
    #expect(artists[0].albums.map(\.title) == ["b"])
    #expect(artists[1].albums.map(\.title) == ["a"])
    let new = Album(title: "c", artist: artists[1])
    context.insert(new)
    #expect(artists[1].albums.map(\.title) == ["a", "c"])
  }

  @Test("Cascade deletes along, nullify clears, in memory at once and in the store")
  func deleteRules() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Artist.self))
    let artist = Artist(name: "A")
    let album = Album(title: "a", artist: artist)
    let track = Track(title: "t", album: album)
    context.insert(artist)
    context.insert(album)
    context.insert(track)
    try context.save()
    context.delete(artist)
    #expect(album.isDeleted)
    #expect(!track.isDeleted)
    #expect(track.album == nil)
    try context.save()
    #expect(
      try store.shell("SELECT (SELECT count(*) FROM Album), (SELECT count(*) FROM Track), (SELECT album FROM Track)")
        == "0|1|")
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }

  @Test("Deny refuses the save with an error that names the relationship, and nothing is deleted")
  func deny() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Account.self))
    let account = Account(name: "A")
    account.invoices = [Invoice(number: 1)]
    context.insert(account)
    try context.save()
    context.delete(account)
    let error = #expect(throws: SwiftDataError.deleteDenied) { try context.save() }
    #expect(error?.description.contains("Account.invoices") == true)
    #expect(try store.shell("SELECT count(*) FROM Account") == "1")
    context.rollback()
    context.delete(account.invoices[0])
    context.delete(account)
    try context.save()
    #expect(try store.shell("SELECT count(*) FROM Account") == "0")
  }

  @Test("No action leaves the other side as it is, and reads nothing where the target is gone")
  func noAction() throws {
    let store = try TemporaryStore()
    let container = try store.container(Account.self)
    let context = ModelContext(container)
    let account = Account(name: "A")
    account.notes = [AccountNote(text: "n")]
    context.insert(account)
    try context.save()
    context.delete(account)
    try context.save()
    #expect(try store.shell("SELECT count(*) FROM AccountNote WHERE account IS NOT NULL") == "1")
    let notes = try ModelContext(container).fetch(FetchDescriptor<AccountNote>())
    #expect(notes.map(\.text) == ["n"])
    #expect(notes[0].account == nil)
  }

  @Test("Minimum and maximum counts and required to-ones are checked by the save")
  func counts() throws {
    let context = try memoryContext(Team.self)
    let team = Team()
    context.insert(team)
    let few = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(few?.description.contains("Team.players") == true)
    team.players = (0..<3).map { Player(number: $0, team: team) }
    let many = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(many?.description.contains("at most 2") == true)
    context.delete(team.players[2])
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Player>()) == 2)
  }

  @Test("A required to-one is loaded like an optional one, and deleting its target is refused")
  func requiredToOne() throws {
    let file = try TemporaryStore()
    defer { withExtendedLifetime(file) {} }
    let container = try file.container(Badge.self)
    let context = ModelContext(container)
    let holder = Listener(name: "P")
    context.insert(Badge(holder: holder))
    try context.save()
    let other = ModelContext(container)
    let badge = try #require(try other.fetch(FetchDescriptor<Badge>()).first)
    #expect(badge.holder.name == "P")
    other.delete(badge.holder)
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    other.rollback()
    other.delete(badge)
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Badge>()) == 0)
  }
}

@Model
final class Account {
  var name: String
  @Relationship(deleteRule: .deny, inverse: \Invoice.account) var invoices: [Invoice] = []
  @Relationship(deleteRule: .noAction, inverse: \AccountNote.account) var notes: [AccountNote] = []
  init(name: String) { self.name = name }
}

@Model
final class Invoice {
  var number: Int
  var account: Account?
  init(number: Int) { self.number = number }
}

@Model
final class AccountNote {
  var text: String
  var account: Account?
  init(text: String) { self.text = text }
}

@Model
final class Team {
  @Relationship(minimumModelCount: 1, maximumModelCount: 2, inverse: \Player.team) var players: [Player] = []
  init() {}
}

@Model
final class Player {
  var number: Int
  var team: Team?
  init(number: Int, team: Team?) {
    self.number = number
    self.team = team
  }
}

@Model
final class Badge {
  var holder: Listener
  init(holder: Listener) { self.holder = holder }
}
