import Foundation
import SwiftData
import Testing

@Suite("What a key path reads is known or refused")
struct KeyPathTests {
  private let context: ModelContext

  init() throws {
    context = try memoryContext(Paths.Song.self, Paths.Single.self, Paths.Album.self, Paths.Label.self)
    let (first, second) = (Paths.Album("b", 1990, plays: 3), Paths.Album("d", 1960, plays: 8))
    first.label = Paths.Label("l")
    first.parent = second
    (first.subtitle, second.subtitle) = ("z", nil)
    let songs = [
      Paths.Song("a", 1980), Paths.Song("x", 2000, first), Paths.Single("c", 2010, second, place: 2),
      Paths.Single("y", 1970, first, place: 1), Paths.Song("b", 1970),
    ]
    songs[0].other = first
    for song in songs { context.insert(song) }
    try context.save()
  }

  private func check<M: PersistentModel>(
    _ sort: [SortDescriptor<M>], inMemory: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(FetchDescriptor<M>())
    let descriptor = FetchDescriptor<M>(sortBy: sort)
    let found = try context.fetch(descriptor)
    #expect(found == all.sorted(using: sort), sourceLocation: sourceLocation)
    try check(descriptor, inMemory: inMemory, sourceLocation)
  }

  private func check<M: PersistentModel>(
    _ predicate: Predicate<M>, inMemory: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(FetchDescriptor<M>())
    let descriptor = FetchDescriptor<M>(predicate: predicate)
    let expected = try all.filter { try predicate.evaluate($0) }
    #expect(try context.fetch(descriptor) == expected, sourceLocation: sourceLocation)
    try check(descriptor, inMemory: inMemory, sourceLocation)
  }

  private func check<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, inMemory: Bool, _ sourceLocation: SourceLocation
  ) throws {
    let findings = try context.explain(descriptor).findings.map(\.description)
    #expect(findings.contains { $0.contains("in memory") } == inMemory, sourceLocation: sourceLocation)
  }

  @Test("Stored properties are found behind to-ones, in subclasses, and without the right to set them")
  func stored() throws {
    try check([SortDescriptor(\Paths.Song.title)])
    try check([SortDescriptor(\Paths.Song.code, order: .reverse)])
    try check([SortDescriptor(\Paths.Song.album?.title), SortDescriptor(\Paths.Song.title)])
    try check([SortDescriptor(\Paths.Song.album?.label?.name), SortDescriptor(\Paths.Song.title)])
    try check([SortDescriptor(\Paths.Song.album?.parent?.title), SortDescriptor(\Paths.Song.title)])
    try check([SortDescriptor(\Paths.Album.parent?.parent?.year), SortDescriptor(\Paths.Album.title)])
    try check([SortDescriptor(\Paths.Single.album!.year), SortDescriptor(\Paths.Single.place)])
    try check([SortDescriptor(\Paths.Single.title)])
    try check([SortDescriptor(\Paths.Single.album?.title), SortDescriptor(\Paths.Single.place)])
    try check([SortDescriptor(\Paths.Album.plays)])
    try check([SortDescriptor(\Paths.Song.album?.plays), SortDescriptor(\Paths.Song.title)])
    try check(#Predicate<Paths.Album> { $0.plays > 5 })
    try check(#Predicate<Paths.Single> { $0.title == "y" && $0.code != "c!" && $0.album?.plays == 3 })
  }

  @Test("Generic code over a superclass names its stored properties")
  func superclass() throws {
    func sorts<M: Paths.Song>(_: M.Type) -> [SortDescriptor<M>] {
      [SortDescriptor(\M.album?.title), SortDescriptor(\M.title, order: .reverse), SortDescriptor(\M.code)]
    }
    try check(sorts(Paths.Song.self))
    try check(sorts(Paths.Single.self))
    func later<M: Paths.Song>(_: M.Type) -> Predicate<M> { #Predicate { $0.year > 1975 && $0.album != nil } }
    try check(later(Paths.Single.self))
  }

  @Test("Identifiers are known, and no other property of their type is taken for one")
  func identifiers() throws {
    func sorts<M: PersistentModel>(_: M.Type) -> [SortDescriptor<M>] { [SortDescriptor(\M.persistentModelID)] }
    try check(sorts(Paths.Song.self))
    try check([SortDescriptor(\Paths.Album.persistentModelID, order: .reverse)])
    try check([SortDescriptor(\Paths.Single.album?.persistentModelID), SortDescriptor(\Paths.Single.place)])
    let song = try #require(try context.fetch(FetchDescriptor<Paths.Song>()).first)
    let id = song.persistentModelID
    try check(#Predicate<Paths.Song> { $0.persistentModelID == id })
    try check(#Predicate<Paths.Song> { $0.id == id })
    expectRefusal(#Predicate<Paths.Song> { $0.owner == id })
    expectRefusal(SortDescriptor(\Paths.Song.owner))
    // Also where unsaved changes are looked up by the identifier.
    context.insert(Paths.Song("new", 1))
    expectRefusal(#Predicate<Paths.Song> { $0.owner == id })
  }

  @Test("Swift computes a requirement of a protocol in memory, because any property may meet it")
  func requirement() throws {
    func sorts<M: PersistentModel & Dated>(_: M.Type) -> [SortDescriptor<M>] { [SortDescriptor(\M.year)] }
    func later<M: PersistentModel & Dated>(_: M.Type) -> Predicate<M> { #Predicate { $0.year > 1975 } }
    try check(sorts(Paths.Album.self), inMemory: true)
    try check(sorts(Paths.Song.self), inMemory: true)
    try check(later(Paths.Album.self), inMemory: true)
    try check(later(Paths.Single.self), inMemory: true)
    // The database does what it can before.
    let first = try #require(try context.fetch(FetchDescriptor<Paths.Album>()).first).persistentModelID
    func others<M: PersistentModel & Dated>(_: M.Type) -> Predicate<M> {
      #Predicate { $0.persistentModelID != first && $0.year > 1950 }
    }
    try check(others(Paths.Album.self), inMemory: true)
    #expect(try context.explain(FetchDescriptor(predicate: others(Paths.Album.self))).sql.contains("WHERE"))
    let read = try SQLTrace.record { try context.fetch(FetchDescriptor(predicate: others(Paths.Album.self))) }
    #expect(read.statements.allSatisfy { $0.contains("WHERE") })
    // Also what a captured predicate says.
    func composed<M: PersistentModel & Dated>(_: M.Type) -> Predicate<M> {
      let others = others(M.self)
      return #Predicate { others.evaluate($0) && $0.year > 1900 }
    }
    try check(composed(Paths.Album.self), inMemory: true)
    #expect(try context.explain(FetchDescriptor(predicate: composed(Paths.Album.self))).sql.contains("WHERE"))
    func total<M: PersistentModel & Dated>(_: M.Type) throws -> Int {
      try context.fetch(FetchDescriptor<M>(), computing: .sum(\M.year))
    }
    #expect(try total(Paths.Album.self) == 3_950)
  }

  // MARK: - Computed properties

  private func expectRefusal<M: PersistentModel>(
    _ sort: SortDescriptor<M>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: SwiftDataError.transientProperty, sourceLocation: sourceLocation) {
      try context.fetch(FetchDescriptor<M>(sortBy: [sort]))
    }
  }

  private func expectRefusal<M: PersistentModel>(
    _ predicate: Predicate<M>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: SwiftDataError.transientProperty, sourceLocation: sourceLocation) {
      try context.fetch(FetchDescriptor<M>(predicate: predicate))
    }
  }

  @Test("A computed property is refused, also one that returns a stored value for most objects")
  func computed() throws {
    expectRefusal(SortDescriptor(\Paths.Song.group))
    expectRefusal(SortDescriptor(\Paths.Song.constant))
    expectRefusal(SortDescriptor(\Paths.Song.since))
    expectRefusal(SortDescriptor(\Paths.Song.mapped))
    expectRefusal(SortDescriptor(\Paths.Song.labelled))
    expectRefusal(SortDescriptor(\Paths.Song.shifted))
    expectRefusal(SortDescriptor(\Paths.Song.abstract))
    expectRefusal(SortDescriptor(\Paths.Song.album?.shown))
    expectRefusal(SortDescriptor(\Paths.Song.anyAlbum?.title))
    expectRefusal(#Predicate<Paths.Song> { $0.group > "b" })
    expectRefusal(#Predicate<Paths.Song> { $0.abstract == "" })
    expectRefusal(#Predicate<Paths.Song> { $0.anyAlbum?.title == "b" })
    expectRefusal(#Predicate<Paths.Song> { $0.album?.shown == "b" })
    let all = FetchDescriptor<Paths.Song>()
    #expect(throws: SwiftDataError.transientProperty) { let _: Int = try context.fetch(all, computing: .sum(\.since)) }
    #expect(throws: SwiftDataError.transientProperty) { try context.fetch(all, selecting: \.group) }
    #expect(throws: SwiftDataError.transientProperty) { try context.fetch(all, groupedBy: \.group, computing: .count) }
    #expect(throws: SwiftDataError.transientProperty) { try context.fetch(all, sectionBy: \.group) }
  }
}
