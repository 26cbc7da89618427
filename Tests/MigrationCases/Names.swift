import SwiftData

// Properties and classes whose names a database, or a store that makes other names of them, could take for others.

private enum Order {
  @Model final class Playlist {
    var name: String
    @Relationship(inverse: \Song.playlist) var songs: [Song] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Song {
    var title: String
    var playlist: Playlist?
    var playlist_position: Int?
    init(_ title: String, _ position: Int?) {
      self.title = title
      playlist_position = position
    }
  }
}

private enum Indices {
  @Model final class User {
    @Attribute(.unique) var group_name: String
    init(_ name: String) { group_name = name }
  }
  @Model final class User_group {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Doc {
    #Unique<Doc>([\.a_b], [\.a, \.b])
    var a: Int = 0
    var b: Int = 0
    var a_b: Int = 0
    init(_ a: Int, _ b: Int, _ a_b: Int) {
      (self.a, self.b, self.a_b) = (a, b, a_b)
    }
  }
}

private enum Pairs {
  @Model final class Vault {
    var name: String
    @Relationship(inverse: \Tag.vaults) var tags: [Tag] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Tag {
    var name: String
    var vaults: [Vault] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Tag_vaults {
    var x: Int
    init(_ x: Int) { self.x = x }
  }
  @Model final class A {
    var k: Int = 0
    var b_c: [Tag] = []
    init() {}
  }
  @Model final class A_b {
    var k: Int = 0
    var c: [Tag] = []
    init() {}
  }
}

private enum Case {
  @Model final class Link {
    var url: String = "a"
    var URL: String = "B"
    @Attribute(.unique) var Url: String = "C"
    var target: item?
    var TARGET: Item?
    init() {}
  }
  @Model final class item {
    var v: Int = 1
    var list: [Link] = []
    init() {}
  }
  @Model final class Item {
    var v: Int = 2
    var list: [Link] = []
    init() {}
  }
}

private enum Reserved {
  @Model final class _swiftdata_numbers {
    var n: Int = 0
    init() {}
  }
  @Model final class sqlite_master {
    var _pk: Int = 1
    var _given: String = "g"
    var rowid: Int = 2
    var oid: Int = 3
    var ctid: Int = 4
    var xmin: Int = 5
    var tableoid: Int = 6
    @Attribute(.spotlight) var rank: String = "seven"
    var order: [_swiftdata_numbers] = []
    init() {}
  }
  @Model final class AClassWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows {
    @Attribute(.unique) var aPropertyWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows1: Int = 1
    @Attribute(.unique) var aPropertyWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows2: Int = 2
    var aListWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllowsForNames: [sqlite_master] = []
    init() {}
  }
}

extension MigrationCase {
  package static var names: [MigrationCase] {
    // One statement for each case. The compiler takes minutes for them as one literal.
    var cases = [MigrationCase]()
    cases.append(
      MigrationCase(
        "A property has the name that the order of a list once had",
        expects: ["a 30, b 20, c nil", "c nil, b 20, a 30", "c"]
      ) { store in
        let context = try store.open(Order.Playlist.self, Order.Song.self)
        func songs() throws -> String {
          let list = try ModelContext(context.container).fetch(FetchDescriptor<Order.Playlist>())[0]
          return list.songs.map { "\($0.title) \($0.playlist_position.map(String.init) ?? "nil")" }.joined(
            separator: ", ")
        }
        let list = Order.Playlist("p")
        context.insert(list)
        list.songs = [Order.Song("a", 30), Order.Song("b", 20), Order.Song("c", nil)]
        try context.save()
        var found = [try songs()]
        list.songs.reverse()
        try context.save()
        found.append(try songs())
        let predicate = #Predicate { (song: Order.Song) in song.playlist_position == nil }
        return found
          + (try ModelContext(context.container).fetch(FetchDescriptor<Order.Song>(predicate: predicate)).map(\.title))
      })
    cases.append(
      MigrationCase("Names of unique constraints with underscores", expects: ["1 1", "2 2 2"]) { store in
        let context = try store.open(Indices.User.self, Indices.User_group.self, Indices.Doc.self)
        for _ in 0..<2 {
          context.insert(Indices.User("a"))
          context.insert(Indices.User_group("b"))
          try context.save()
        }
        for (a, b, c) in [(1, 1, 1), (1, 1, 2), (2, 2, 2)] {
          context.insert(Indices.Doc(a, b, c))
          try context.save()
        }
        let users = try context.fetchCount(FetchDescriptor<Indices.User>())
        let groups = try context.fetchCount(FetchDescriptor<Indices.User_group>())
        // The second object goes into the row of the first, and the third into the same, by the other constraint.
        let docs = try ModelContext(context.container).fetch(FetchDescriptor<Indices.Doc>())
        return ["\(users) \(groups)"] + docs.map { "\($0.a) \($0.b) \($0.a_b)" }
      })
    cases.append(
      MigrationCase("Classes and lists with underscores", expects: ["[\"t\"] 5", "[\"a1\", \"a2\"] [\"b\"]"]) { store in
        let context = try store.open(
          Pairs.Vault.self, Pairs.Tag.self, Pairs.Tag_vaults.self, Pairs.A.self, Pairs.A_b.self)
        let (vault, a, b) = (Pairs.Vault("v"), Pairs.A(), Pairs.A_b())
        context.insert(vault)
        context.insert(Pairs.Tag_vaults(5))
        context.insert(a)
        context.insert(b)
        vault.tags = [Pairs.Tag("t")]
        a.b_c = [Pairs.Tag("a1"), Pairs.Tag("a2")]
        b.c = [Pairs.Tag("b")]
        try context.save()
        let other = ModelContext(context.container)
        let tags = try other.fetch(FetchDescriptor<Pairs.Vault>())[0].tags.map(\.name)
        let number = try other.fetch(FetchDescriptor<Pairs.Tag_vaults>())[0].x
        let lists = (
          try other.fetch(FetchDescriptor<Pairs.A>())[0].b_c.map(\.name),
          try other.fetch(FetchDescriptor<Pairs.A_b>())[0].c.map(\.name)
        )
        return ["\(tags) \(number)", "\(lists.0) \(lists.1)"]
      })
    cases.append(
      MigrationCase("Names that differ by case only", expects: ["aBC 1 2", "[\"C\"] [\"C\"]", "1 1", "1"]) { store in
        let context = try store.open(Case.Link.self, Case.item.self, Case.Item.self)
        let (link, lower, upper) = (Case.Link(), Case.item(), Case.Item())
        context.insert(link)
        context.insert(lower)
        context.insert(upper)
        (link.target, link.TARGET) = (lower, upper)
        lower.list = [link]
        try context.save()
        let other = ModelContext(context.container)
        let found = try texts(other, Case.Link.self) {
          "\($0.url)\($0.URL)\($0.Url) \($0.target?.v ?? 0) \($0.TARGET?.v ?? 0)"
        }
        let lists =
          "\(try other.fetch(FetchDescriptor<Case.item>())[0].list.map(\.Url)) \(try other.fetch(FetchDescriptor<Case.Item>())[0].list.map(\.Url))"
        let counts =
          "\(try other.fetchCount(FetchDescriptor<Case.item>())) \(try other.fetchCount(FetchDescriptor<Case.Item>()))"
        let matches = try other.fetchCount(
          FetchDescriptor<Case.Link>(predicate: #Predicate { $0.url == "a" && $0.URL == "B" && $0.Url == "C" }))
        return found + [lists, counts, "\(matches)"]
      })
    cases.append(
      MigrationCase(
        "Names of the databases and of the store, and long names",
        expects: ["1 g 2 3 4 5 6 seven [9]", "1", "1 2 1", "2"]
      ) { store in
        let context = try store.open(
          Reserved.sqlite_master.self, Reserved._swiftdata_numbers.self,
          Reserved.AClassWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows.self)
        let (master, number) = (Reserved.sqlite_master(), Reserved._swiftdata_numbers())
        let long = Reserved.AClassWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows()
        for object in [master, number, long] as [any PersistentModel] { context.insert(object) }
        number.n = 9
        master.order = [number]
        long.aListWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllowsForNames = [master]
        try context.save()
        // Only the first unique value is taken.
        let other = ModelContext(context.container)
        let second = Reserved.AClassWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows()
        second.aPropertyWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows2 = 3
        second.aPropertyWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows1 = 3
        other.insert(second)
        try other.save()
        let found = try texts(other, Reserved.sqlite_master.self) {
          "\($0._pk) \($0._given) \($0.rowid) \($0.oid) \($0.ctid) \($0.xmin) \($0.tableoid) \($0.rank) \($0.order.map(\.n))"
        }
        let matches = try other.fetchCount(
          FetchDescriptor<Reserved.sqlite_master>(
            predicate: #Predicate { $0._pk == 1 && $0.rowid == 2 && $0.ctid == 4 }))
        let longs = try other.fetch(
          FetchDescriptor<Reserved.AClassWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows>())
        let first = longs.first {
          $0.aPropertyWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows1 == 1
        }.map {
          "\($0.aPropertyWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows1) \($0.aPropertyWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllows2) \($0.aListWhoseNameIsLongerThanTheSixtyThreeBytesThatPostgreSQLAllowsForNames.count)"
        }
        return found + ["\(matches)", first ?? "", "\(longs.count)"]
      })
    return cases
  }
}
