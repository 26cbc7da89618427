import Foundation
import SwiftData
import Testing

/// What the macro takes of statements, relationships and captured values.
@Suite
struct MacroStatementTests {
  private let store: CatalogStore
  private let title = "Rain"

  init() throws { store = try CatalogStore() }

  @Test("let, guard, if and return make a condition")
  func statements() throws {
    let word = "BAND"
    try store.check(
      #Predicate { track in
        guard let album = track.album, album.year > 1990, let artist = album.artist else { return false }
        let isOld = (artist.age ?? 0) > 30
        let needle = word.lowercased()
        if isOld { return artist.name.lowercased().contains(needle) }
        return track.flag
      }
    ) { track in
      guard let album = track.album, album.year > 1990, let artist = album.artist else { return false }
      let isOld = (artist.age ?? 0) > 30
      let needle = word.lowercased()
      if isOld { return artist.name.lowercased().contains(needle) }
      return track.flag
    }
    try store.check(
      #Predicate {
        let limit: Double = $0.flag ? 100 : 300
        let isShort = $0.duration < limit
        return isShort && $0.plays > 0
      }
    ) { $0.duration < ($0.flag ? 100 : 300) && $0.plays > 0 }
    try store.check(#Predicate { if let limit = $0.limit { limit > 3 } else { $0.flag } }) {
      if let limit = $0.limit { limit > 3 } else { $0.flag }
    }
    try store.check(
      #Predicate { track in
        if track.flag {
          if track.plays > 9 { return true }
        } else if let genre = track.genre, genre == "Jazz" {
          return true
        }
        return track.title.isEmpty
      }
    ) { track in
      if track.flag {
        if track.plays > 9 { return true }
      } else if let genre = track.genre, genre == "Jazz" {
        return true
      }
      return track.title.isEmpty
    }
    try store.check(
      #Predicate {
        let chosen = if let limit = $0.limit { $0.flag ? limit : nil } else { $0.plays }
        return chosen == nil
      }
    ) { $0.limit != nil && !$0.flag }
  }

  @Test("switch chooses among cases, literals, ranges and optionals")
  func switches() throws {
    try store.check(
      #Predicate { track in
        switch track.status {
        case .pending: return track.plays > 1
        case .sent, .failed: return track.flag
        }
      }
    ) { $0.status == .pending ? $0.plays > 1 : $0.flag }
    try store.check(
      #Predicate {
        switch $0.plays {
        case 1...5: true;
        case 7, 9: $0.flag;
        case let n where n > 18: true;
        default: false
        }
      }
    ) { (1...5).contains($0.plays) || $0.plays > 18 || ([7, 9].contains($0.plays) && $0.flag) }
    try store.check(
      #Predicate {
        switch ($0.mood, $0.flag) {
        case (.pending?, true): true
        case (let mood?, _): mood == .sent
        case (nil, _): false
        }
      }
    ) { $0.mood == .pending && $0.flag || $0.mood == .sent }
    try store.check(
      #Predicate {
        switch $0.title {
        case "Rain", "": true;
        default: false
        }
      }
    ) {
      $0.title == "Rain" || $0.title.isEmpty
    }
    try store.check(
      #Predicate {
        if case .pending = $0.status { true } else if case let limit? = $0.limit { limit > 9 } else { false }
      }
    ) { $0.status == .pending || ($0.limit ?? 0) > 9 }
    try store.check(
      #Predicate {
        let number =
          switch $0.status {
          case .pending: 1;
          case .sent: 2;
          default: $0.plays
          }
        return number == 2
      }
    ) { $0.status == .sent || $0.status == .failed && $0.plays == 2 }
  }

  @Test("Relationships are followed, forwards and backwards")
  func relationships() throws {
    try store.check(#Predicate { $0.album?.artist?.name == "The Band" }) { $0.album?.artist?.name == "The Band" }
    try store.check(#Predicate { $0.album?.title.hasSuffix("1") == true }) { $0.album?.title.hasSuffix("1") == true }
    try store.check(#Predicate { $0.album!.year > 1995 }) { $0.album.map { $0.year > 1995 } ?? false }
    try store.check(#Predicate { $0.album == nil || $0.album?.artist?.age == nil }) {
      $0.album == nil || $0.album?.artist?.age == nil
    }
    try store.check(#Predicate { ($0.album?.artist?.albums.count ?? 0) > 1 }) {
      ($0.album?.artist?.albums.count ?? 0) > 1
    }
    try store.check(#Predicate { track in track.album?.tracks.contains { $0.number == track.number + 3 } ?? false }) {
      track in track.album?.tracks.contains { $0.number == track.number + 3 } ?? false
    }
    try store.check(albums: #Predicate { $0.tracks.isEmpty || $0.tracks.count > 6 }) {
      $0.tracks.isEmpty || $0.tracks.count > 6
    }
    try store.check(albums: #Predicate { $0.tracks.filter(\.flag).count > 3 && $0.tracks.contains(where: \.flag) }) {
      $0.tracks.filter(\.flag).count > 3
    }
    try store.check(albums: #Predicate { $0.tracks.count { $0.flag } > 3 }) { $0.tracks.count { $0.flag } > 3 }
    try store.check(albums: #Predicate { $0.tracks.map(\.duration).max() ?? 0 > 671 }) {
      $0.tracks.map(\.duration).max() ?? 0 > 671
    }
    try store.check(albums: #Predicate { $0.tracks.map { $0.plays }.contains(3) }) {
      $0.tracks.map(\.plays).contains(3)
    }
    try store.check(albums: #Predicate { $0.tracks.min { $0.plays < $1.plays }?.number == 1 }) {
      $0.tracks.min { $0.plays < $1.plays }?.number == 1
    }
    try store.check(albums: #Predicate { $0.tracks.first { $0.flag }?.title == "the moon" }) {
      $0.tracks.first { $0.flag }?.title == "the moon"
    }
    try store.check(albums: #Predicate { $0.tracks.allSatisfy { $0.plays < 19 } }) {
      $0.tracks.allSatisfy { $0.plays < 19 }
    }
  }

  @Test("What is captured is computed when the predicate is made")
  func captured() throws {
    struct Filter {
      var name = "Rain"
      var ids = [3, 4]
      var nested: [Int: String] = [1: "Rain"]
      /// Not Codable.
      var action: () -> Int = { 5 }
    }
    let filter = Filter()
    let missing: Filter? = nil
    let start = Date(timeIntervalSinceReferenceDate: 3600 * 6)
    try store.check(#Predicate { $0.title == filter.name && $0.title == title && $0.title == self.title }) {
      $0.title == "Rain"
    }
    try store.check(#Predicate { $0.plays == filter.ids[0] || $0.plays == filter.ids.count + filter.action() }) {
      $0.plays == 3 || $0.plays == 7
    }
    try store.check(#Predicate { $0.duration < Catalog.Track.longest }) { $0.duration < 200 }
    try store.check(#Predicate { $0.released > start.addingTimeInterval(-3600) && $0.released < start + 7200 }) {
      $0.number == 6 || $0.number == 7
    }
    try store.check(#Predicate { missing == nil && $0.flag || $0.title == missing!.name }) { $0.flag }
    try store.check(#Predicate { $0.flag || $0.plays == filter.ids[9] || $0.title == filter.nested[2]! }) { $0.flag }
    try store.check(#Predicate { $0.plays == filter.ids.filter { $0 > 3 }.first! }) { $0.plays == 4 }
    let path = \Catalog.Track.title
    try store.check(#Predicate { $0[keyPath: path] == "Rain" }) { $0.title == "Rain" }
    let city = \Catalog.Track.place.city
    // Only Swift can follow a captured key path of several properties.
    try store.check(#Predicate { $0[keyPath: city] == "Bern" }) { $0.place.city == "Bern" }
    try store.check(#Predicate { $0[keyPath: \.album?.artist?.name] == "solo" }) { $0.album?.artist?.name == "solo" }
    let zero = filter.ids.count - 2
    try store.check(#Predicate { $0.flag || zero != 0 && $0.plays > 10 / zero }) { $0.flag }
  }

  @Test("A captured part that Swift skips does not fail")
  func skippedParts() throws {
    let (none, three): (Int?, Int?) = (nil, 3)
    let empty = [Int]()
    let zero = empty.count
    try store.check(#Predicate { $0.plays > (none == nil ? 2 : none!) + 1 }) { $0.plays > 3 }
    try store.check(#Predicate { $0.plays > max(2, empty.isEmpty ? 3 : empty[0]) }) { $0.plays > 3 }
    try store.check(#Predicate { $0.plays > (zero == 0 ? 2 : 10 / zero) + 1 }) { $0.plays > 3 }
    try store.check(#Predicate { $0.plays > abs(three ?? none!) }) { $0.plays > 3 }
    try store.check(#Predicate { [zero != 0 && 10 / zero > 1].contains($0.flag) }) { !$0.flag }
    try store.check(#Predicate { [zero == 0 || 10 / zero > 1].contains($0.flag) }) { $0.flag }
    try store.check(#Predicate { $0.flag || $0.plays > (zero == 0 ? none! : 2) + 1 }) { $0.flag }
  }

  @Test("A let of a branch does not hide the value of that name outside")
  func namesOfBranches() throws {
    let limit = 3
    try store.check(
      #Predicate {
        if $0.flag { return $0.plays > limit }
        let limit = limit + 4
        return $0.plays > limit
      }
    ) { $0.plays > ($0.flag ? 3 : 7) }
    try store.check(
      #Predicate {
        guard $0.flag else {
          let limit = 7
          return $0.plays > limit
        }
        return $0.plays > limit
      }
    ) { $0.plays > ($0.flag ? 3 : 7) }
    try store.check(
      #Predicate {
        switch $0.status {
        case .pending:
          let limit = 1
          return $0.plays > limit
        case .sent:
          let limit = 5
          return $0.plays > limit
        default: return $0.plays > limit
        }
      }
    ) { $0.plays > ($0.status == .pending ? 1 : $0.status == .sent ? 5 : 3) }
    try store.check(
      #Predicate {
        switch $0.number {
        case let limit where limit > 20: $0.plays > limit - 20
        default: $0.plays > limit
        }
      }
    ) { $0.plays > ($0.number > 20 ? $0.number - 20 : 3) }
  }

  @Test("A name that several patterns of a case bind has the value of the first pattern that matches")
  func namesOfPatterns() throws {
    func isFound(_ track: Catalog.Track) -> Bool {
      switch (track.plays, track.number % 4) {
      case (let value, 1), (3, let value): value > 2
      default: false
      }
    }
    try store.check(
      #Predicate {
        switch ($0.plays, $0.number % 4) {
        case (let value, 1), (3, let value): value > 2
        default: false
        }
      }, isFound)
  }

  @Test("Captured models are compared as rows")
  func models() throws {
    let album = try #require(store.tracks[0].album)
    let none: Catalog.Album? = nil
    try store.check(#Predicate { $0.album == album }) { $0.album == album }
    try store.check(#Predicate { album != $0.album }) { $0.album != album }
    try store.check(#Predicate { $0.album == none }) { $0.album == nil }
    try store.check(albums: #Predicate { $0 == album || $0.artist == nil }) { $0 == album || $0.artist == nil }
    let other = try ModelContext(store.context.container).fetch(FetchDescriptor<Catalog.Album>())
    let same = try #require(other.first { $0.title == album.title })
    #expect(
      try store.context.fetchCount(FetchDescriptor<Catalog.Track>(predicate: #Predicate { $0.album == same }))
        == album.tracks.count)
  }

  @Test("Other predicates and expressions are asked")
  func evaluate() throws {
    let recent = #Predicate<Catalog.Track> { $0.plays > 3 }
    let busy = #Predicate<Catalog.Album> { $0.tracks.count > 6 }
    let flags = #Expression<Catalog.Album, Int> { $0.tracks.count { $0.flag } }
    let length = #Expression<Catalog.Track, Int> { track in
      let base = track.title.count
      return track.flag ? base : base + 1
    }
    try store.check(#Predicate { recent.evaluate($0) && $0.flag }) { $0.plays > 3 && $0.flag }
    try store.check(#Predicate { if let album = $0.album { busy.evaluate(album) } else { false } }) {
      ($0.album?.tracks.count ?? 0) > 6
    }
    try store.check(albums: #Predicate { flags.evaluate($0) > 3 }) { $0.tracks.count { $0.flag } > 3 }
    try store.check(#Predicate { length.evaluate($0) == 5 }) { $0.title.count + ($0.flag ? 0 : 1) == 5 }
    #expect(try flags.evaluate(store.albums[0]) == store.albums[0].tracks.count { $0.flag })
  }

  @Test("Expressions of lists, values and several inputs are asked")
  func evaluateOther() throws {
    let flagged = #Expression<[Catalog.Track], Int> { tracks in tracks.filter { $0.flag }.count }
    let double = #Expression<Int, Int> { $0 * 2 }
    let more = #Expression<Catalog.Album, Int, Bool> { $0.tracks.count > $1 }
    let least = 3
    try store.check(albums: #Predicate { flagged.evaluate($0.tracks) > 3 || $0.tracks.isEmpty }) {
      $0.tracks.count { $0.flag } > 3 || $0.tracks.isEmpty
    }
    try store.check(#Predicate { double.evaluate($0.plays) > 6 }) { $0.plays * 2 > 6 }
    try store.check(albums: #Predicate { more.evaluate($0, least) }) { $0.tracks.count > least }
    try store.check(#Predicate { if let album = $0.album { more.evaluate(album, 6) } else { true } }) {
      $0.album.map { $0.tracks.count > 6 } ?? true
    }
  }

  @Test("Closures may name their parameter, with its type or without")
  func parameters() throws {
    try store.check(#Predicate<Catalog.Track> { item in item.flag }) { $0.flag }
    try store.check(#Predicate { (item: Catalog.Track) in item.flag && item.plays > 2 }) { $0.flag && $0.plays > 2 }
    try store.check(#Predicate<Catalog.Track>({ $0.flag })) { $0.flag }
    #expect(try store.context.fetchCount(FetchDescriptor<Catalog.Track>(predicate: #Predicate { _ in true })) == 24)
  }

  @Test("A capture list names values for the closure")
  func captureLists() throws {
    let limits = 0...7
    try store.check(#Predicate { [range = limits, title] in $0.plays <= range.upperBound || $0.title == title }) {
      $0.plays <= limits.upperBound || $0.title == title
    }
    try store.check(
      albums: #Predicate { album in album.tracks.contains { [year = album.year - 1990] in $0.number == year } }
    ) {
      album in album.tracks.contains { $0.number == album.year - 1990 }
    }
  }

  @Test("Models of the main actor are asked there")
  @MainActor func mainActor() throws {
    let container = try ModelContainer(
      for: Isolated.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    for (index, name) in ["a", "b", "ab"].enumerated() {
      let object = Isolated(name: name)
      if index > 0 { object.parent = try container.mainContext.fetch(FetchDescriptor<Isolated>()).first }
      container.mainContext.insert(object)
    }
    let found = #Predicate<Isolated> {
      $0.name.hasPrefix("a") && $0.parent?.children.contains { $0.name == "b" } == true
    }
    #expect(try container.mainContext.fetch(FetchDescriptor(predicate: found)).map(\.name) == ["ab"])
  }

  @Test("Types other than models keep Foundation's macro, and models may be compared in pairs")
  func otherTypes() throws {
    #expect(try #Predicate<Int> { $0 > 3 }.evaluate(4))
    let pair = #Predicate<Catalog.Track, Catalog.Track> { one, other in one.status == other.status && one.flag }
    #expect(try pair.evaluate(store.tracks[3], store.tracks[6]))
    #expect(try !pair.evaluate(store.tracks[3], store.tracks[7]))
  }
}

@MainActor
@Model
final class Isolated {
  var name: String
  var parent: Isolated?
  @Relationship(inverse: \Isolated.parent) var children: [Isolated] = []

  init(name: String) { self.name = name }
}
