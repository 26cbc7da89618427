import Foundation
import SwiftData
import Testing

@Suite struct FaultingTests {
  /// A store with `tracks` tracks on `albums` albums.
  private func library(tracks: Int, albums: Int) throws -> (TemporaryStore, ModelContainer) {
    let store = try TemporaryStore()
    let container = try store.container(Artist.self)
    let context = ModelContext(container)
    let all = (0..<albums).map { Album(title: "album \($0)") }
    for album in all { context.insert(album) }
    for number in 0..<tracks { context.insert(Track(title: "track \(number)", album: all[number % albums])) }
    try context.save()
    return (store, container)
  }

  @Test("Ten thousand tracks whose album is read in a loop cost two statements")
  func toOneInALoop() throws {
    let (store, container) = try library(tracks: 10_000, albums: 300)
    defer { withExtendedLifetime(store) {} }
    let context = ModelContext(container)
    let (length, statements) = try SQLTrace.record {
      try context.fetch(FetchDescriptor<Track>()).reduce(0) { $0 + $1.album!.title.count }
    }
    #expect(length > 0)
    #expect(statements.count == 2)
  }

  @Test("Arrays read in a loop cost a few statements, and one array costs one")
  func toManyInALoop() throws {
    let (store, container) = try library(tracks: 2_000, albums: 500)
    defer { withExtendedLifetime(store) {} }
    let context = ModelContext(container)
    let albums = try context.fetch(FetchDescriptor<Album>())
    let (count, first) = SQLTrace.record { albums[0].tracks.count }
    #expect(count == 4)
    #expect(first.count == 1)
    let (total, rest) = SQLTrace.record { albums.reduce(0) { $0 + $1.tracks.count } }
    #expect(total == 2_000)
    #expect(rest.count <= 4)
  }

  @Test("A prefetch hint loads arrays with one statement, and touching them costs none")
  func prefetching() throws {
    let (store, container) = try library(tracks: 200, albums: 50)
    defer { withExtendedLifetime(store) {} }
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Album>()
    descriptor.relationshipKeyPathsForPrefetching = [\.tracks]
    let (albums, statements) = try SQLTrace.record { try context.fetch(descriptor) }
    #expect(statements.count == 2)
    let (total, none) = SQLTrace.record { albums.reduce(0) { $0 + $1.tracks.count } }
    #expect(total == 200)
    #expect(none.isEmpty)
  }

  @Test("Targets that are registered already cost no statement")
  func registeredTargets() throws {
    let (store, container) = try library(tracks: 100, albums: 5)
    defer { withExtendedLifetime(store) {} }
    let context = ModelContext(container)
    let albums = try context.fetch(FetchDescriptor<Album>())
    let tracks = try context.fetch(FetchDescriptor<Track>())
    let (titles, statements) = SQLTrace.record { Set(tracks.map { $0.album!.title }) }
    #expect(titles.count == albums.count)
    #expect(statements.isEmpty)
  }

  @Test("A partial fetch selects what it names, and the rest comes when touched, once for all objects")
  func partialFetch() throws {
    let (store, container) = try library(tracks: 50, albums: 5)
    defer { withExtendedLifetime(store) {} }
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Track>(sortBy: [SortDescriptor(\.title)])
    descriptor.propertiesToFetch = [\.title]
    let (tracks, statements) = try SQLTrace.record { try context.fetch(descriptor) }
    #expect(statements.count == 1)
    #expect(statements[0].contains("\"title\""))
    #expect(!statements[0].contains("\"seconds\""))
    #expect(tracks[0].title == "track 0")
    let (seconds, later) = SQLTrace.record { tracks.map(\.seconds) }
    #expect(seconds.allSatisfy { $0 == 180 })
    #expect(later.count == 1)
    tracks[1].plays = 7
    try context.save()
    #expect(try store.shell("SELECT count(*) FROM Track WHERE seconds = 180 AND id != ''") == "50")
  }

  @Test("Opening a store and fetching the first page runs no statement that grows with the store")
  func firstPage() throws {
    let (store, _) = try library(tracks: 3_000, albums: 10)
    let container = try store.container(Artist.self)
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Track>(sortBy: [SortDescriptor(\.id)])
    descriptor.fetchLimit = 20
    let (page, statements) = try SQLTrace.record { try context.fetch(descriptor) }
    #expect(page.count == 20)
    #expect(statements.count == 1)
    let plan = try store.shell("EXPLAIN QUERY PLAN " + statements[0].replacingOccurrences(of: "?", with: "20"))
    #expect(plan.contains("INDEX"))
    #expect(!plan.contains("TEMP B-TREE FOR ORDER BY"))
  }
}
