import Foundation
import Testing

@testable import SwiftData

// Forms from public code bases that Apple's framework accepts.

@Model private final class Node {
  var name: String
  @Relationship(deleteRule: .cascade) var children: [Node]?
  weak var parent: Node?
  init(name: String, parent: Node? = nil) {
    self.name = name
    self.parent = parent
  }
}

@Model private final class Wheel {
  unowned var car: Car
  init(car: Car) { self.car = car }
}

@Model private final class Car {
  @Relationship(inverse: \Wheel.car) var wheels: [Wheel] = []
  init() {}
}

@Model private final class User {
  @Attribute(.unique) var id: Int
  var name: String
  var nick: String?
  init(id: Int, name: String, nick: String? = nil) { (self.id, self.name, self.nick) = (id, name, nick) }
}

@Model private final class Country {
  var code: String
  var number: Int
  init(code: String, number: Int) { (self.code, self.number) = (code, number) }
}

/// Written for the expansion of Apple's macro.
@Model private final class Message {
  private var titleData: Data?
  private var bodyData: Data
  var title: String {
    @storageRestrictions(initializes: _titleData, accesses: _$backingData)
    init(initialValue) {
      _titleData = .init()
      _$backingData.setValue(forKey: \.titleData, to: Data(initialValue.utf8))
    }
    get { titleData.map { String(decoding: $0, as: UTF8.self) } ?? "" }
    set { titleData = Data(newValue.utf8) }
  }
  var body: String {
    @storageRestrictions(initializes: _bodyData, accesses: _$backingData)
    init(initialValue) {
      _$backingData.setValue(forKey: \.bodyData, to: Data(initialValue.utf8))
      _bodyData = .init()
    }
    get { String(decoding: bodyData, as: UTF8.self) }
    set { bodyData = Data(newValue.utf8) }
  }
  var number: Int
  init(title: String, body: String, number: Int) {
    self.title = title
    self.body = body
    self.number = number
  }
}

/// Its own `==`, and no `: Hashable`.
@Model private final class Tag {
  var name: String
  var board: Board?
  init(name: String) { self.name = name }
  static func == (left: Tag, right: Tag) -> Bool { left.name == right.name }
}

@Model private final class Board {
  @Relationship(inverse: \Tag.board) var tags: [Tag] = []
  init() {}
}

private struct Details {
  struct Inner {
    var list: [String]
    var region: Region?
  }
  struct Region { var codes: [String]? }
  var borders: [String]?
  var name: String?
  var set: Set<String>?
  var inner: Inner?
  var range: ClosedRange<Int>?
  var names: [String: Int]?
}

private struct Person {
  var name: String
  var nick: String?
}

@Suite("Forms of public code") struct PublicCodeTests {
  private static func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    return ModelContext(try ModelContainer(for: Schema(types), configurations: configuration))
  }

  @Test("A mirror of a property's metadata has the names of Apple's struct")
  func propertyMetadata() throws {
    var unique = [AnyKeyPath: Bool]()
    for metadata in User.schemaMetadata {
      let children = Mirror(reflecting: metadata).children
      #expect(children.map(\.label) == ["name", "keypath", "defaultValue", "metadata"])
      let path = try #require(children.first { $0.label == "keypath" }?.value as? AnyKeyPath)
      let attribute = children.first { $0.label == "metadata" }?.value as? Schema.Attribute
      unique[path] = attribute?.options.contains(.unique) == true
    }
    #expect(unique.count == 3)
    #expect(unique[\User.id] == true)
    #expect(unique[\User.name] == false)
  }

  @Test("A call on a captured value behind a question mark may take the predicate's variable")
  func capturedChains() throws {
    let context = try Self.context(Country.self)
    for (number, code) in ["a", "b", "c"].enumerated() { context.insert(Country(code: code, number: number)) }
    try context.save()
    func found(_ details: Details, _ borders: [String]?) throws -> [String] {
      let name = details.name
      var predicates = [Predicate<Country>]()
      predicates.append(#Predicate<Country> { country in borders?.contains(country.code) == true })
      predicates.append(#Predicate<Country> { country in details.borders?.contains(country.code) == true })
      predicates.append(#Predicate<Country> { country in details.borders?.contains(country.code) ?? false })
      predicates.append(#Predicate<Country> { country in details.set?.contains(country.code) ?? false })
      predicates.append(#Predicate<Country> { country in name?.contains(country.code) == true })
      predicates.append(#Predicate<Country> { country in details.inner?.list.contains(country.code) == true })
      predicates.append(#Predicate<Country> { country in details.inner?.region?.codes?.contains(country.code) == true })
      predicates.append(#Predicate<Country> { country in details.range?.contains(country.number) == true })
      predicates.append(#Predicate<Country> { country in name?.starts(with: country.code) ?? false })
      predicates.append(#Predicate<Country> { country in details.inner?.list.first?.contains(country.code) == true })
      return try predicates.map { predicate in
        let all = try context.fetch(FetchDescriptor<Country>(sortBy: [SortDescriptor(\.code)]))
        let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.code)]))
        #expect(try all.filter { try predicate.evaluate($0) } == found)
        return found.map(\.code).joined()
      }
    }
    let details = Details(
      borders: ["a", "b"], name: "ab", set: ["a"],
      inner: .init(list: ["a"], region: .init(codes: ["b", "c"])), range: 0...1)
    #expect(try found(details, ["a"]) == ["a", "ab", "ab", "a", "ab", "a", "bc", "ab", "a", "a"])
    #expect(try found(Details(), nil) == Array(repeating: "", count: 10))
  }

  @Test("A to-one may be weak or unowned, which changes nothing")
  func weakToOne() throws {
    let context = try Self.context(Node.self, Car.self)
    let root = Node(name: "root")
    context.insert(root)
    let kid = Node(name: "kid", parent: root)
    root.children = [kid]
    context.insert(Wheel(car: Car()))
    try context.save()
    #expect(kid.parent === root && root.children?.map(\.name) == ["kid"])
    let fresh = ModelContext(context.container)
    let nodes = try fresh.fetch(FetchDescriptor<Node>(sortBy: [SortDescriptor(\.name)]))
    #expect(nodes[0].parent === nodes[1])
    let wheel = try #require(try fresh.fetch(FetchDescriptor<Wheel>()).first)
    #expect(wheel.car.wheels == [wheel])
  }

  @Test("Init accessors may set values in _$backingData and initialize the storage with .init()")
  func backingData() throws {
    let context = try Self.context(Message.self)
    let messages = (0..<4).map { Message(title: "title \($0)", body: "body \($0)", number: $0) }
    // Read, changed, or neither before the object is inserted.
    #expect(messages[1].title == "title 1" && messages[1].body == "body 1")
    messages[2].title = "changed"
    for message in messages { context.insert(message) }
    messages[3].body = "changed"
    try context.save()
    messages[0].number = 5
    try context.save()
    let byNumber = FetchDescriptor<Message>(sortBy: [SortDescriptor(\.number)])
    let stored = try ModelContext(context.container).fetch(byNumber)
    #expect(stored.map(\.title) == ["title 1", "changed", "title 3", "title 0"])
    #expect(stored.map(\.body) == ["body 1", "body 2", "changed", "body 0"])
  }

  @Test("A model may have its own == without naming Hashable")
  func ownEquality() throws {
    let context = try Self.context(Board.self)
    let board = Board()
    context.insert(board)
    let tags = ["a", "a", "b"].map { Tag(name: $0) }
    board.tags = tags
    try context.save()
    #expect(tags[0] == tags[1] && tags[0] != tags[2])
    #expect(board.tags.count == 3 && tags.allSatisfy { $0.board === board })
    board.tags.removeAll { $0 == tags[2] }
    #expect(board.tags.contains(Tag(name: "a")))
    context.delete(tags[1])
    try context.save()
    let stored = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Board>()).first)
    #expect(stored.tags.map(\.name) == ["a"])
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 2)
  }

  @Test("One comparator parameter takes all orders of texts, for optional texts of any type")
  func comparators() throws {
    func sorted<C>(
      _ list: [C], _ path: any KeyPath<C, String?> & Sendable, _ comparator: String.LocalizedComparator
    ) -> [C] { list.sorted(using: SortDescriptor<C>(path, comparator: comparator, order: .forward)) }
    let people = ["b10", "B9", nil, "a1"].map { Person(name: $0 ?? "", nick: $0) }
    #expect(sorted(people, \.nick, .lexical).map(\.nick) == [nil, "B9", "a1", "b10"])
    #expect(sorted(people, \.nick, .localizedStandard).map(\.nick) == [nil, "a1", "B9", "b10"])
    #expect(
      people.sorted(using: SortDescriptor(\.name, comparator: .lexical, order: .reverse)).map(\.name)
        == ["b10", "a1", "B9", ""])
    #expect(["b", "a"].sorted(using: String.LocalizedComparator.lexical) == ["a", "b"])
    #expect(String.LocalizedComparator.lexical.compare("B", "a") == .orderedAscending)

    // A generic function does not know that it sorts models, and a store does it all the same.
    func descriptor<C>(
      _ path: any KeyPath<C, String?> & Sendable, _ comparator: String.LocalizedComparator
    ) -> SortDescriptor<C> { SortDescriptor(path, comparator: comparator) }
    let context = try Self.context(User.self)
    for (id, person) in people.enumerated() { context.insert(User(id: id, name: person.name, nick: person.nick)) }
    try context.save()
    func nicks(_ order: SortDescriptor<User>) throws -> [String?] {
      try context.fetch(FetchDescriptor(sortBy: [order])).map(\.nick)
    }
    #expect(try nicks(descriptor(\.nick, .lexical)) == [nil, "B9", "a1", "b10"])
    #expect(try nicks(descriptor(\.nick, .localizedStandard)) == [nil, "a1", "B9", "b10"])
    #expect(try nicks(SortDescriptor(\.nick, comparator: .lexical)) == [nil, "B9", "a1", "b10"])
    #expect(try nicks(SortDescriptor(\.nick, comparator: .localizedStandard)) == [nil, "a1", "B9", "b10"])
  }

  @Test("Processing pending changes does not take in another context's save, and a fetch does")
  @MainActor func pendingChanges() throws {
    let main = try Self.context(User.self).container.mainContext
    let background = ModelContext(main.container)
    background.insert(User(id: 1, name: "seed"))
    try background.save()
    let row = try #require(try main.fetch(FetchDescriptor<User>()).first)
    try background.fetch(FetchDescriptor<User>())[0].name = "written"
    try background.save()
    #expect(row.name == "seed")
    _ = main.model(for: row.persistentModelID)
    #expect(row.name == "seed")
    main.processPendingChanges()
    #expect(row.name == "seed")
    _ = try main.fetch(FetchDescriptor<User>())
    #expect(row.name == "written")
  }
}
