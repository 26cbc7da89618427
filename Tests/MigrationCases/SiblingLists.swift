import SwiftData

private enum V1 {
  @Model class Event {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Work: Event {
    var tags: [Tag] = []
    var main: Tag?
    var note: String = ""
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Party: Event {
    var tags: [Tag] = []
    var main: Tag?
    var note: String = ""
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum V2 {
  @Model class Event {
    var title: String
    var tags: [Tag] = []
    var main: Tag?
    var note: String = ""
    init(_ title: String) { self.title = title }
  }
  @Model final class Work: Event {
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Party: Event {
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum Media1 {
  @Model class Media {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  @Model final class Film: Media {
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class Album: Media {
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class Shelf {
    var name: String
    var best: Media?
    var all: [Media] = []
    init(_ name: String) { self.name = name }
  }
}

/// The relationships lead to a subclass.
private enum Media2 {
  @Model class Media {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  @Model final class Film: Media {
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class Album: Media {
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class Shelf {
    var name: String
    var best: Film?
    var all: [Film] = []
    init(_ name: String) { self.name = name }
  }
}

/// Two subclasses have a to-one of one name to one class.
private enum Accounts {
  @Model final class Account {
    var name = ""
    @Relationship(inverse: \Folder.account) var folders: [Folder] = []
    @Relationship(inverse: \Note.account) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
  @Model class Base {
    var title = ""
    init(_ title: String) { self.title = title }
  }
  @Model final class Folder: Base {
    var account: Account?
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Note: Base {
    var account: Account?
    override init(_ title: String) { super.init(title) }
  }
}

/// Two subclasses have a to-one of one name to different classes, and a value of one name with different types.
private enum Owners {
  @Model final class Person {
    var name = "p"
    @Relationship(inverse: \Dog.owner) var dogs: [Dog] = []
    init() {}
  }
  @Model final class Company {
    var name = "c"
    @Relationship(inverse: \Car.owner) var cars: [Car] = []
    init() {}
  }
  @Model class Thing {
    var title = ""
    init() {}
  }
  @Model final class Dog: Thing {
    var owner: Person?
    var value: Int = 7
    override init() { super.init() }
  }
  @Model final class Car: Thing {
    var owner: Company?
    var value: String = "seven"
    override init() { super.init() }
  }
}

private enum Base1 {
  @Model class Base {
    var number: Int = 0
    init(_ number: Int) { self.number = number }
  }
  @Model final class P: Base {
    var one: X?
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class Q: Base {
    var one: X?
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class X {
    var number: Int = 0
    init(_ number: Int) { self.number = number }
  }
}

/// The to-one is renamed in one subclass.
private enum Base2 {
  @Model class Base {
    var number: Int = 0
    init(_ number: Int) { self.number = number }
  }
  @Model final class P: Base {
    @Relationship(originalName: "one") var first: X?
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class Q: Base {
    var one: X?
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class X {
    var number: Int = 0
    init(_ number: Int) { self.number = number }
  }
}

extension MigrationCase {
  private static func seedMedia(_ store: any CaseStore, withAlbum: Bool) throws {
    let context = try store.open(Media1.Media.self, Media1.Film.self, Media1.Album.self, Media1.Shelf.self)
    let (shelf, film, album) = (Media1.Shelf("s"), Media1.Film(1), Media1.Album(2))
    context.insert(shelf)
    context.insert(album)
    shelf.best = film
    shelf.all = withAlbum ? [film, album] : [film]
    try context.save()
  }

  static var siblingLists: [MigrationCase] {
    // One statement for each case. The compiler takes minutes for them as one literal.
    var cases = [MigrationCase]()
    cases.append(
      MigrationCase(
        "Lists and to-ones of siblings move to their superclass and back",
        expects: [
          "p pn z [\"z\", \"x\"]", "w wn x [\"x\", \"y\"]", "w wn x [\"x\", \"y\"]", "p pn z [\"z\", \"x\"]",
        ]
      ) { store in
        do {
          let context = try store.open(V1.Event.self, V1.Work.self, V1.Party.self, V1.Tag.self)
          let (work, party) = (V1.Work("w"), V1.Party("p"))
          context.insert(work)
          context.insert(party)
          let (x, y, z) = (V1.Tag("x"), V1.Tag("y"), V1.Tag("z"))
          (work.tags, party.tags) = ([x, y], [z, x])
          (work.main, party.main, work.note, party.note) = (x, z, "wn", "pn")
          try context.save()
        }
        let raised: [String]
        do {
          let context = try store.open(V2.Event.self, V2.Work.self, V2.Party.self, V2.Tag.self)
          raised = try texts(context, V2.Event.self, sortBy: [SortDescriptor(\.title)]) {
            "\($0.title) \($0.note) \($0.main?.name ?? "nil") \($0.tags.map(\.name))"
          }
        }
        let context = try store.open(V1.Event.self, V1.Work.self, V1.Party.self, V1.Tag.self)
        return try raised
          + texts(context, V1.Work.self) {
            "\($0.title) \($0.note) \($0.main?.name ?? "nil") \($0.tags.map(\.name))"
          }
          + texts(context, V1.Party.self) {
            "\($0.title) \($0.note) \($0.main?.name ?? "nil") \($0.tags.map(\.name))"
          }
      })
    cases.append(
      MigrationCase("Relationships narrow to a subclass where all targets are of it", expects: ["1 [1]", "0"]) {
        store in
        try seedMedia(store, withAlbum: false)
        let context = try store.open(Media2.Media.self, Media2.Film.self, Media2.Album.self, Media2.Shelf.self)
        let empty = try context.fetchCount(FetchDescriptor<Media2.Shelf>(predicate: #Predicate { $0.best == nil }))
        return try texts(context, Media2.Shelf.self) {
          "\($0.best?.number ?? -1) \($0.all.map(\.number))"
        } + ["\(empty)"]
      })
    cases.append(
      MigrationCase(
        "Relationships that narrow to a subclass are refused where a target is of another",
        expects: ["Shelf.all", "1 [1, 2]"]
      ) { store in
        try seedMedia(store, withAlbum: true)
        do {
          _ = try store.open(Media2.Media.self, Media2.Film.self, Media2.Album.self, Media2.Shelf.self)
          return ["opened"]
        } catch let error as SwiftDataError {
          let context = try store.open(Media1.Media.self, Media1.Film.self, Media1.Album.self, Media1.Shelf.self)
          return ["\(error.entity ?? "").\(error.property ?? "")"]
            + (try texts(context, Media1.Shelf.self) {
              "\($0.best?.number ?? -1) \($0.all.map(\.number))"
            })
        }
      })
    cases.append(
      MigrationCase(
        "Lists through to-ones of one name hold their own class", expects: ["A [\"f\"] [\"n\"]", "B [\"g\"] []"]
      ) { store in
        let types: [any PersistentModel.Type] = [
          Accounts.Account.self, Accounts.Base.self, Accounts.Folder.self, Accounts.Note.self,
        ]
        let context = try store.open(types, version: nil, plan: nil)
        let (a, b) = (Accounts.Account("A"), Accounts.Account("B"))
        let (f, g, n) = (Accounts.Folder("f"), Accounts.Folder("g"), Accounts.Note("n"))
        context.insert(a)
        context.insert(b)
        for object in [f, g, n] as [Accounts.Base] { context.insert(object) }
        (f.account, g.account, n.account) = (a, b, a)
        try context.save()
        return try texts(ModelContext(context.container), Accounts.Account.self, sortBy: [SortDescriptor(\.name)]) {
          "\($0.name) \($0.folders.map(\.title)) \($0.notes.map(\.title))"
        }
      })
    cases.append(
      MigrationCase(
        "To-ones of one name lead to different classes", expects: ["7 p", "seven c", "1", "1"]
      ) { store in
        let types: [any PersistentModel.Type] = [
          Owners.Person.self, Owners.Company.self, Owners.Thing.self, Owners.Dog.self, Owners.Car.self,
        ]
        let context = try store.open(types, version: nil, plan: nil)
        let (person, company, dog, car) = (Owners.Person(), Owners.Company(), Owners.Dog(), Owners.Car())
        for object in [person, company, dog, car] as [any PersistentModel] { context.insert(object) }
        (dog.owner, car.owner) = (person, company)
        try context.save()
        let other = ModelContext(context.container)
        return try texts(other, Owners.Dog.self) { "\($0.value) \($0.owner?.name ?? "nil")" }
          + texts(other, Owners.Car.self) { "\($0.value) \($0.owner?.name ?? "nil")" }
          + texts(other, Owners.Person.self) { "\($0.dogs.count)" }
          + texts(other, Owners.Company.self) { "\($0.cars.count)" }
      })
    cases.append(
      MigrationCase("A to-one is renamed in one sibling", expects: ["5", "6"]) { store in
        do {
          let context = try store.open(Base1.Base.self, Base1.P.self, Base1.Q.self, Base1.X.self)
          let (p, q) = (Base1.P(1), Base1.Q(2))
          context.insert(p)
          context.insert(q)
          (p.one, q.one) = (Base1.X(5), Base1.X(6))
          try context.save()
        }
        let context = try store.open(Base2.Base.self, Base2.P.self, Base2.Q.self, Base2.X.self)
        return try texts(context, Base2.P.self) { "\($0.first?.number ?? -1)" }
          + texts(context, Base2.Q.self) { "\($0.one?.number ?? -1)" }
      })
    return cases
  }
}
