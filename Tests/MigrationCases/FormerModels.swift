import SwiftData

/// The models of the stores in `Tests/MigrationCases/Former`, which the release before the present format made.
package enum Former {
  @Model final class Playlist {
    var name: String
    @Relationship(inverse: \Song.playlist) var songs: [Song] = []
    var tags: [Tag] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Song {
    #Unique<Song>([\.number, \.side])
    #Index<Song>([\.rank])
    @Attribute(.unique) var title: String
    @Attribute(.spotlight) var words: String
    var rank: Int
    var number: Int
    var side: Int
    var playlist: Playlist?
    init(_ title: String, _ rank: Int) {
      self.title = title
      words = "words of \(title)"
      self.rank = rank
      number = rank
      side = 0
    }
  }
  @Model final class Tag {
    var name: String
    @Relationship(inverse: \Playlist.tags) var lists: [Playlist] = []
    init(_ name: String) { self.name = name }
  }
  @Model class Event {
    var title: String
    @Attribute(.preserveValueOnDeletion) var day: Int = 1
    init(_ title: String) { self.title = title }
  }
  @Model final class Work: Event {
    var cost: Int = 1
    var place: String?
    var tags: [Tag] = []
    var main: Tag?
    @Attribute(.spotlight) var note: String = ""
    override init(_ title: String) { super.init(title) }
  }
  @Model class Party: Event {
    var cost: Int = 2
    var place: String?
    var tags: [Tag] = []
    var main: Tag?
    @Attribute(.unique) var code: String
    init(_ title: String, _ code: String) {
      self.code = code
      super.init(title)
    }
  }
  @Model final class Gala: Party {
    var value: String = "gold"
    override init(_ title: String, _ code: String) { super.init(title, code) }
  }
  @Model final class Fair: Event {
    var value: Int = 7
    override init(_ title: String) { super.init(title) }
  }
  @Model final class item {
    var v: Int = 1
    var event: Event?
    init(_ v: Int) { self.v = v }
  }
  @Model final class Plain {
    var text: String
    init(_ text: String) { self.text = text }
  }

  package static let models: [any PersistentModel.Type] = [
    Playlist.self, Song.self, Tag.self, Event.self, Work.self, Party.self, Gala.self, Fair.self, item.self, Plain.self,
  ]

  /// What the stores have, as ``describe(_:)`` writes it.
  package static let contents = [
    "list [\"c\", \"b\", \"a\"] [\"x\", \"y\"]", "a 30 list", "b 20 list", "c 10 list",
    "event 1", "fair 1 70", "gala 1 33 nil [] nil g silver", "party 1 22 nil [\"x\", \"z\"] z p",
    "work 1 11 office [\"y\", \"x\"] y u\u{308}ber", "5 gala", "plain", "found 1 1",
    "deleted 1",
  ]

  package static func describe(_ context: ModelContext) throws -> [String] {
    var found = try texts(context, Playlist.self) {
      "\($0.name) \($0.songs.map(\.title)) \($0.tags.map(\.name))"
    }
    found += try texts(context, Song.self, sortBy: [SortDescriptor(\.title)]) {
      "\($0.title) \($0.rank) \($0.playlist?.name ?? "nil")"
    }
    for event in try context.fetch(FetchDescriptor<Event>(sortBy: [SortDescriptor(\.title)])) {
      var text = "\(event.title) \(event.day)"
      switch event {
      case let work as Work:
        text += " \(work.cost) \(work.place ?? "nil") \(work.tags.map(\.name)) \(work.main?.name ?? "nil") \(work.note)"
      case let party as Party:
        text +=
          " \(party.cost) \(party.place ?? "nil") \(party.tags.map(\.name)) \(party.main?.name ?? "nil") \(party.code)"
        if let gala = party as? Gala { text += " \(gala.value)" }
      case let fair as Fair: text += " \(fair.value)"
      default: break
      }
      found.append(text)
    }
    found += try texts(context, item.self) { "\($0.v) \($0.event?.title ?? "nil")" }
    found += try context.fetch(FetchDescriptor<Plain>()).map(\.text)
    let songs = try context.search(Song.self, matching: "words b").count
    let notes = try context.search(Work.self, matching: "über").count
    found.append("found \(songs) \(notes)")
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let days = history.flatMap(\.changes).compactMap { change -> Int? in
      guard case .delete(let deletion as DefaultHistoryDelete<Work>) = change else { return nil }
      return deletion.tombstone[\.day] as? Int
    }
    return found + days.map { "deleted \($0)" }
  }

  /// Saves to the store what depends on its keys, order and unique values.
  package static func change(_ context: ModelContext) throws -> [String] {
    context.insert(Party("new", "p"))
    context.insert(Work("more"))
    let list = try context.fetch(FetchDescriptor<Playlist>())[0]
    list.songs.append(Song("d", 5))
    try context.save()
    let other = ModelContext(context.container)
    let events = try other.fetch(FetchDescriptor<Event>(sortBy: [SortDescriptor(\.title)])).map(\.title)
    return events + (try other.fetch(FetchDescriptor<Playlist>())[0].songs.map(\.title))
  }

  package static func workCount(_ context: ModelContext) throws -> Int {
    try context.fetchCount(FetchDescriptor<Work>())
  }
  package static let changed = ["event", "fair", "gala", "more", "new", "work", "c", "b", "a", "d"]
}
