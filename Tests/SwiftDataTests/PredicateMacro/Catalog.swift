import Foundation
import SwiftData
import Testing

/// The models of the macro's tests, and a store with some of them.
enum Catalog {
  enum Status: String, Codable, CaseIterable { case pending, sent, failed }

  struct Place: Codable, Hashable {
    var city: String
    var x: Double
    var zip: String?
  }

  /// Codable and nothing else.
  struct Loose: Codable { var level: Int }

  @Model
  final class Artist {
    var name: String
    var age: Int?
    @Relationship(inverse: \Album.artist) var albums: [Album] = []

    init(name: String, age: Int? = nil) {
      self.name = name
      self.age = age
    }
  }

  @Model
  final class Album {
    var title: String
    var year: Int
    var artist: Artist?
    @Relationship(inverse: \Track.album) var tracks: [Track] = []

    init(title: String, year: Int, artist: Artist? = nil) {
      self.title = title
      self.year = year
      self.artist = artist
    }
  }

  @Model
  final class Track {
    @Attribute(.unique) var number: Int
    var title: String
    var genre: String?
    var duration: Double
    var plays: Int
    var limit: Int?
    var status: Status
    var mood: Status?
    var tags: [String]
    var marks: Set<Int>
    var place: Place
    var home: Place?
    var loose: Loose?
    var released: Date
    var due: Date?
    var flag: Bool
    var maybe: Bool?
    var letter: Character
    var scores: [String: Int]
    var price: Decimal
    var small: UInt8
    var album: Album?

    static let longest = 200.0

    init(number: Int) {
      self.number = number
      title = ["The Sun", "the moon", "Rain", "", "Lovely Rain", "Ärger"][number % 6]
      genre = [nil, "Rock", "Jazz", "Rock"][number % 4]
      duration = Double(number) * 30.5
      plays = number - 3
      limit = number % 3 == 0 ? nil : number - 4
      status = Status.allCases[number % 3]
      mood = number % 4 == 0 ? nil : Status.allCases[number % 3]
      tags = Array(["a", "b", "long"].prefix(number % 4))
      marks = Set([number % 5, 3])
      let place = Place(city: number % 2 == 0 ? "Bern" : "Genf", x: Double(number), zip: number % 3 == 0 ? nil : "3000")
      self.place = place
      home = number % 3 == 1 ? nil : place
      loose = number % 2 == 0 ? nil : Loose(level: number)
      released = Date(timeIntervalSinceReferenceDate: Double(number) * 3600)
      due = number % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 1000)
      flag = number % 2 == 1
      maybe = [nil, true, false][number % 3]
      letter = ["a", "b", "\u{E9}"][number % 3]
      scores = number % 2 == 0 ? ["a": number] : ["b": 3]
      price = Decimal(number) / 2
      small = UInt8(number)
    }
  }
}

/// Compares what a store finds with what Swift finds.
final class CatalogStore {
  private let folder: TemporaryStore
  let context: ModelContext
  let tracks: [Catalog.Track]
  let albums: [Catalog.Album]

  init() throws {
    folder = try TemporaryStore()
    let container = try folder.container(Catalog.Artist.self, Catalog.Album.self, Catalog.Track.self)
    let writer = ModelContext(container)
    let artists = [Catalog.Artist(name: "The Band", age: 40), Catalog.Artist(name: "solo")]
    let albums = (0..<4).map { index in
      Catalog.Album(title: "Album \(index)", year: 1990 + index * 10, artist: index == 3 ? nil : artists[index % 2])
    }
    albums.forEach(writer.insert)
    for number in 0..<24 {
      let track = Catalog.Track(number: number)
      writer.insert(track)
      track.album = number % 5 == 4 ? nil : albums[number % 3]
    }
    try writer.save()
    // Another context, so that every value comes from the file.
    context = ModelContext(container)
    tracks = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.number)]))
    self.albums = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.title)]))
  }

  /// Expects a fetch, and `evaluate`, to find what the closure finds, which is something but not everything.
  func check(
    _ predicate: Predicate<Catalog.Track>,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ expected: (Catalog.Track) -> Bool
  ) throws {
    let numbers = tracks.filter(expected).map(\.number)
    let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.number) == numbers, "\(predicate)", sourceLocation: sourceLocation)
    #expect(
      tracks.filter { (try? predicate.evaluate($0)) ?? false }.map(\.number) == numbers,
      sourceLocation: sourceLocation)
    #expect(!numbers.isEmpty && numbers.count < tracks.count, "\(numbers)", sourceLocation: sourceLocation)
  }

  func check(
    albums predicate: Predicate<Catalog.Album>,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ expected: (Catalog.Album) -> Bool
  ) throws {
    let titles = albums.filter(expected).map(\.title)
    let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)]))
    #expect(found.map(\.title) == titles, "\(predicate)", sourceLocation: sourceLocation)
    #expect(
      albums.filter { (try? predicate.evaluate($0)) ?? false }.map(\.title) == titles, sourceLocation: sourceLocation)
    #expect(!titles.isEmpty && titles.count < albums.count, "\(titles)", sourceLocation: sourceLocation)
  }
}
