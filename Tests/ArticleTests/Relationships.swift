import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite("Article: Relationships")
struct Relationships {
  @Model
  final class Artist {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Album {
    var title: String
    var artist: Artist?
    var tags: [Tag] = []

    init(title: String) { self.title = title }
  }

  @Model
  final class Tag {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Album.tags) var albums: [Album] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Account {
    var owner: String
    @Relationship(deleteRule: .deny, inverse: \Payment.account) var payments: [Payment] = []

    init(owner: String) { self.owner = owner }
  }

  @Model
  final class Payment {
    var amount: Decimal
    var account: Account?

    init(amount: Decimal) { self.amount = amount }
  }

  @Model
  final class Match {
    @Relationship(deleteRule: .cascade, minimumModelCount: 2, maximumModelCount: 2) var teams: [Team] = []

    init() {}
  }

  @Model
  final class Team {
    var name: String

    init(name: String) { self.name = name }
  }

  @Test("The context keeps both sides of a relationship in step, before any save")
  func bothSides() throws {
    let context = ModelContext(try memoryContainer(Artist.self))

    let artist = Artist(name: "Portishead")
    context.insert(artist)
    let album = Album(title: "Dummy")
    album.artist = artist
    print(artist.albums.map(\.title))  // ["Dummy"]

    #expect(artist.albums.map(\.title) == ["Dummy"])
    #expect(album.modelContext === context)
    artist.albums.removeAll()
    #expect(album.artist == nil)
  }

  @Test("A many-to-many has one pair of rows, whichever side adds it")
  func manyToMany() throws {
    let container = try memoryContainer(Artist.self)
    let context = ModelContext(container)
    let album = Album(title: "Dummy")
    let trip = Tag(name: "trip hop")
    context.insert(album)
    album.tags.append(trip)
    #expect(trip.albums.map(\.title) == ["Dummy"])
    try context.save()
    let tag = try #require(try ModelContext(container).fetch(FetchDescriptor<Tag>()).first)
    #expect(tag.albums.count == 1 && tag.albums[0].tags.count == 1)
  }

  @Test("An array keeps its order across a save")
  func order() throws {
    let container = try memoryContainer(Artist.self)
    let context = ModelContext(container)
    let artist = Artist(name: "Portishead")
    context.insert(artist)

    artist.albums = [Album(title: "Third"), Album(title: "Dummy"), Album(title: "Portishead")]
    artist.albums.swapAt(0, 1)
    try context.save()

    let stored = try ModelContext(container).fetch(FetchDescriptor<Artist>())[0]
    print(stored.albums.map(\.title))  // ["Dummy", "Third", "Portishead"]

    #expect(stored.albums.map(\.title) == ["Dummy", "Third", "Portishead"])
  }

  @Test("Deny refuses the save and names the relationship")
  func deny() throws {
    let context = ModelContext(try memoryContainer(Account.self))
    let account = Account(owner: "Ada")
    account.payments = [Payment(amount: 10)]
    context.insert(account)
    try context.save()

    context.delete(account)
    do {
      try context.save()
    } catch SwiftDataError.deleteDenied {
      context.rollback()
    }

    #expect(!context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Account>()) == 1)
    context.delete(account)
    let error = #expect(throws: SwiftDataError.deleteDenied) { try context.save() }
    #expect(error?.entity == "Account" && error?.property == "payments")
  }

  @Test("Cascade deletes the targets, nullify clears the other side")
  func rules() throws {
    let context = ModelContext(try memoryContainer(Artist.self))
    let artist = Artist(name: "Portishead")
    let tag = Tag(name: "trip hop")
    artist.albums = [Album(title: "Dummy"), Album(title: "Third")]
    artist.albums[0].tags = [tag]
    context.insert(artist)
    try context.save()
    context.delete(artist)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 0)
    #expect(tag.albums.isEmpty && tag.modelContext === context)
  }

  @Test("The save checks the number of targets")
  func counts() throws {
    let context = ModelContext(try memoryContainer(Match.self))
    let match = Match()
    match.teams = [Team(name: "Red")]
    context.insert(match)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    match.teams.append(Team(name: "Blue"))
    try context.save()
  }

  @Test("A loop over many objects runs a few statements, and none with prefetching")
  func faulting() throws {
    let container = try memoryContainer(Artist.self)
    try fill(container)

    let context = ModelContext(container)
    let (titles, statements) = try StatementTrace.record {
      try context.fetch(FetchDescriptor<Album>()).map { "\($0.title) by \($0.artist?.name ?? "?")" }
    }
    print(titles.count, statements.count)  // 1000 2

    #expect(titles.count == 1_000 && statements.count == 2)

    let fresh = ModelContext(container)
    var descriptor = FetchDescriptor<Artist>()
    descriptor.relationshipKeyPathsForPrefetching = [\.albums]
    let artists = try fresh.fetch(descriptor)

    let reading = StatementTrace.record { artists.reduce(0) { $0 + $1.albums.count } }
    #expect(reading.result == 1_000 && reading.statements.isEmpty)

    let unhinted = ModelContext(container)
    let loop = try StatementTrace.record {
      try unhinted.fetch(FetchDescriptor<Artist>()).reduce(0) { $0 + $1.albums.count }
    }
    #expect(loop.result == 1_000)
    #expect(loop.statements.count == 5, "the fetch, and the albums of 1, 8, 64 and the last 27 artists")
  }

  private func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    for number in 0..<100 {
      let artist = Artist(name: "artist \(number)")
      artist.albums = (0..<10).map { Album(title: "album \($0)") }
      context.insert(artist)
    }
    try context.save()
  }

  @Test("A count of a relationship in a predicate loads no object")
  func countInStore() throws {
    let container = try memoryContainer(Artist.self)
    try fill(container)
    let context = ModelContext(container)

    let busy = FetchDescriptor<Artist>(predicate: #Predicate { $0.albums.count >= 10 })
    print(try context.fetchCount(busy))  // 100

    let counted = try StatementTrace.record { try context.fetchCount(busy) }
    #expect(counted.result == 100 && counted.statements.count == 1)
  }

  @Test("Relating objects of two contexts is an error of the save")
  func twoContexts() throws {
    let container = try memoryContainer(Artist.self)
    let (one, two) = (ModelContext(container), ModelContext(container))
    let artist = Artist(name: "Portishead")
    let album = Album(title: "Dummy")
    one.insert(artist)
    two.insert(album)
    album.artist = artist
    #expect(throws: SwiftDataError.relationshipAcrossContexts) { try two.save() }
  }
}
