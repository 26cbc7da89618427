import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

/// An e-mail address, which ignores case.
private struct Email: RawRepresentable, Codable, Hashable, Comparable, Sendable {
  var rawValue: String
  static func == (left: Email, right: Email) -> Bool { left.rawValue.lowercased() == right.rawValue.lowercased() }
  func hash(into hasher: inout Hasher) { hasher.combine(rawValue.lowercased()) }
  static func < (left: Email, right: Email) -> Bool { left.rawValue.lowercased() < right.rawValue.lowercased() }
}

/// A name that says that its `==` compares raw values.
private struct Handle: Schema.ComparedByRawValue, Codable, Hashable, Sendable { var rawValue: String }

/// An enum whose cases are equal as the compiler makes them.
private enum Size: String, Codable { case small, medium, large }

/// An enum with an `==` of its own.
private enum Answer: String, Codable, Sendable {
  case yes, yeah, no
  static func == (left: Answer, right: Answer) -> Bool {
    (left.rawValue == "no") == (right.rawValue == "no")
  }
  func hash(into hasher: inout Hasher) { hasher.combine(rawValue == "no") }
}

private struct Place: Codable, Hashable { var names: Set<String>, area: Double }

@Model private final class Correspondent {
  var number: Int
  var email: Email
  var emails: [Email]
  var size: Size
  var answer: Answer
  var best: Answer?
  init(_ number: Int, _ email: String, _ answer: Answer, best: Answer? = nil) {
    self.number = number
    self.email = Email(rawValue: email)
    emails = [Email(rawValue: email)]
    size = number == 0 ? .small : .large
    self.answer = answer
    self.best = best
  }
}

@Model private final class UniqueText {
  @Attribute(.unique) var name: String
  var value: Int
  init(_ name: String, _ value: Int) { (self.name, self.value) = (name, value) }
}

@Model private final class UniqueCharacter {
  @Attribute(.unique) var letter: Character
  var value: Int
  init(_ letter: Character, _ value: Int) { (self.letter, self.value) = (letter, value) }
}

@Model private final class UniquePair {
  #Unique<UniquePair>([\.name, \.year])
  var name: String
  var year: Int
  var value: Int
  init(_ name: String, _ year: Int, _ value: Int) { (self.name, self.year, self.value) = (name, year, value) }
}

@Model private final class UniqueNumber {
  @Attribute(.unique) var number: Double
  var value: Int
  init(_ number: Double, _ value: Int) { (self.number, self.value) = (number, value) }
}

@Model private final class UniqueDate {
  #Unique<UniqueDate>([\.date, \.name])
  var date: Date?
  var name: String
  var value: Int
  init(_ date: Date?, _ name: String, _ value: Int) { (self.date, self.name, self.value) = (date, name, value) }
}

@Model private final class UniqueSet {
  @Attribute(.unique) var tags: Set<String>
  var value: Int
  init(_ tags: Set<String>, _ value: Int) { (self.tags, self.value) = (tags, value) }
}

@Model private final class UniquePlace {
  @Attribute(.unique) var place: Place
  var value: Int
  init(_ place: Place, _ value: Int) { (self.place, self.value) = (place, value) }
}

@Model private final class UniqueScores {
  @Attribute(.unique) var scores: [UUID: Int]
  var value: Int
  init(_ scores: [UUID: Int], _ value: Int) { (self.scores, self.value) = (scores, value) }
}

@Model private final class UniqueHandle {
  @Attribute(.unique) var handle: Handle
  @Attribute(.unique) var size: Size?
  var value: Int
  init(_ handle: String, _ value: Int) { (self.handle, self.value) = (Handle(rawValue: handle), value) }
}

@Model private final class UniqueEmail {
  @Attribute(.unique) var email: Email
  init(_ email: String) { self.email = Email(rawValue: email) }
}

@Model private final class UniqueAnswer {
  #Unique<UniqueAnswer>([\.name, \.answer])
  var name: String
  var answer: Answer
  init(_ answer: Answer) { (name, self.answer) = ("", answer) }
}

private enum Before {
  @Model final class Town {
    var name: String
    var area: Double
    init(_ name: String, _ area: Double) { (self.name, self.area) = (name, area) }
  }
}

private enum After {
  @Model final class Town {
    @Attribute(.unique) var name: String
    @Attribute(.unique) var area: Double
    init(_ name: String, _ area: Double) { (self.name, self.area) = (name, area) }
  }
}

private var models: [any PersistentModel.Type] {
  [
    Correspondent.self, UniqueText.self, UniqueCharacter.self, UniquePair.self, UniqueNumber.self, UniqueDate.self,
    UniqueSet.self, UniquePlace.self, UniqueScores.self, UniqueHandle.self,
  ]
}

/// `.unique`, `#Unique`, `==`, `contains` and upserts mean Swift's `==`, before and after a save, in both databases.
@Suite("Equality")
struct EqualityTests {
  enum Database: CaseIterable { case sqlite, postgres }

  static let databases: [Database] =
    ProcessInfo.processInfo.environment["POSTGRES_URL"] == nil ? [.sqlite] : Database.allCases

  private static func container(_ database: Database, _ types: [any PersistentModel.Type] = models) throws
    -> ModelContainer
  {
    guard database == .postgres else {
      return try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    let url = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""
    return try ModelContainer(
      for: Schema(types),
      configurations: PostgresConfiguration(
        url: url, namespace: "equality_" + UUID().uuidString.lowercased(), pool: PostgresPoolOptions(size: 2)))
  }

  /// Saves objects one by one, each in a context of its own.
  /// - Returns: the values of the stored rows.
  private func save<M: PersistentModel>(
    _ database: Database, _ value: KeyPath<M, Int>, _ make: [() -> M]
  ) throws -> [Int] {
    let container = try Self.container(database)
    defer { if database == .postgres { try? container.erase() } }
    for make in make {
      let context = ModelContext(container)
      context.insert(make())
      try context.save()
    }
    let apart = try ModelContext(container).fetch(FetchDescriptor<M>()).map { $0[keyPath: value] }
    // All in one save.
    let all = ModelContext(container)
    try all.delete(model: M.self)
    try all.save()
    for make in make { all.insert(make()) }
    try all.save()
    let together = try ModelContext(container).fetch(FetchDescriptor<M>()).map { $0[keyPath: value] }
    #expect(together == apart)
    return apart
  }

  static let composed = "Z\u{fc}rich"
  static let decomposed = "Zu\u{308}rich"

  @Test("Canonically equivalent texts are one unique value", arguments: databases)
  func texts(database: Database) throws {
    let (one, two) = (Self.composed, Self.decomposed)
    #expect(try save(database, \UniqueText.value, [{ UniqueText(one, 1) }, { UniqueText(two, 2) }]) == [2])
    #expect(try save(database, \UniqueText.value, [{ UniqueText(two, 1) }, { UniqueText(one, 2) }]) == [2])
    #expect(
      try save(
        database, \UniqueText.value, [{ UniqueText(two, 1) }, { UniqueText("Bern", 2) }, { UniqueText(two, 3) }]) == [
          3, 2,
        ])
    #expect(
      try save(
        database, \UniqueCharacter.value, [{ UniqueCharacter("\u{e9}", 1) }, { UniqueCharacter("e\u{301}", 2) }]) == [2]
    )
    #expect(
      try save(
        database, \UniquePair.value,
        [{ UniquePair(one, 1, 1) }, { UniquePair(two, 2, 2) }, { UniquePair(two, 1, 3) }]) == [3, 2])
  }

  @Test("A change to an equivalent text is refused, and changes nothing", arguments: databases)
  func changedText(database: Database) throws {
    let container = try Self.container(database)
    defer { if database == .postgres { try? container.erase() } }
    let context = ModelContext(container)
    let (first, second) = (UniqueText(Self.decomposed, 1), UniqueText("Bern", 2))
    context.insert(first)
    context.insert(second)
    try context.save()
    second.name = Self.composed
    #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    context.rollback()
    // Two may exchange their texts.
    (first.name, second.name) = (second.name, Self.composed)
    try context.save()
    let stored = try ModelContext(container).fetch(FetchDescriptor<UniqueText>(sortBy: [SortDescriptor(\.value)]))
    #expect(stored.map(\.name) == ["Bern", Self.composed])
  }

  @Test("NaN equals nothing, so it is no duplicate, and 0 equals -0", arguments: databases)
  func numbers(database: Database) throws {
    #expect(
      try save(database, \UniqueNumber.value, [{ UniqueNumber(.nan, 1) }, { UniqueNumber(.nan, 2) }]) == [1, 2])
    #expect(try save(database, \UniqueNumber.value, [{ UniqueNumber(0, 1) }, { UniqueNumber(-0.0, 2) }]) == [2])
    #expect(try save(database, \UniqueNumber.value, [{ UniqueNumber(2.5, 1) }, { UniqueNumber(2.5, 2) }]) == [2])
    let (nan, day) = (Date(timeIntervalSinceReferenceDate: .nan), Date(timeIntervalSinceReferenceDate: 1))
    #expect(
      try save(
        database, \UniqueDate.value,
        [
          { UniqueDate(nan, "a", 1) }, { UniqueDate(nan, "a", 2) }, { UniqueDate(day, "a", 3) },
          { UniqueDate(day, "b", 4) }, { UniqueDate(day, "a", 5) }, { UniqueDate(nil, "a", 6) },
        ]) == [1, 2, 5, 4, 6])
  }

  @Test("Equal sets and dictionaries are one unique value, also in a struct", arguments: databases)
  func sets(database: Database) throws {
    let words = (0..<40).map { "w\($0)" } + [Self.composed]
    let one = Set(words)
    var other = Set<String>(minimumCapacity: 1000)
    for word in words.dropLast().reversed() { other.insert(word) }
    other.insert(Self.decomposed)
    #expect(one == other)
    let sets = (one, other)
    #expect(try save(database, \UniqueSet.value, [{ UniqueSet(sets.0, 1) }, { UniqueSet(sets.1, 2) }]) == [2])
    #expect(
      try save(
        database, \UniquePlace.value,
        [
          { UniquePlace(Place(names: sets.0, area: 1), 1) }, { UniquePlace(Place(names: sets.1, area: 1), 2) },
          { UniquePlace(Place(names: sets.1, area: 2), 3) },
        ]) == [2, 3])
    let ids = (0..<20).map { _ in UUID() }
    let scores = Dictionary(uniqueKeysWithValues: ids.map { ($0, 1) })
    var same = [UUID: Int](minimumCapacity: 1000)
    for id in ids.reversed() { same[id] = 1 }
    let both = (scores, same)
    #expect(try save(database, \UniqueScores.value, [{ UniqueScores(both.0, 1) }, { UniqueScores(both.1, 2) }]) == [2])
  }

  @Test("A value of any kind is read back with the scalars and the order that it had", arguments: databases)
  func unchanged(database: Database) throws {
    let container = try Self.container(database)
    defer { if database == .postgres { try? container.erase() } }
    let context = ModelContext(container)
    context.insert(UniqueText(Self.decomposed, 1))
    context.insert(UniquePlace(Place(names: [Self.decomposed, "b"], area: -0.0), 1))
    try context.save()
    let fresh = ModelContext(container)
    let name = try fresh.fetch(FetchDescriptor<UniqueText>())[0].name
    #expect(Array(name.unicodeScalars) == Array(Self.decomposed.unicodeScalars))
    let place = try fresh.fetch(FetchDescriptor<UniquePlace>())[0].place
    #expect(place.names == [Self.composed, "b"] && place.area.sign == .minus)
    #expect(place.names.contains { Array($0.unicodeScalars) == Array(Self.decomposed.unicodeScalars) })
  }

  @Test("Types with a raw value are compared by their own ==, before and after the save", arguments: databases)
  func rawValues(database: Database) throws {
    let container = try Self.container(database)
    defer { if database == .postgres { try? container.erase() } }
    let context = ModelContext(container)
    context.insert(Correspondent(0, "Ann@x.org", .yes, best: .yeah))
    context.insert(Correspondent(1, "ann@X.org", .yeah))
    context.insert(Correspondent(2, "bob@x.org", .no, best: .no))
    let (ann, answer, size) = (Email(rawValue: "ANN@X.ORG"), Answer.yes, Size.large)
    let (list, answers, many) = ([ann], [answer], (0..<20).map { Email(rawValue: "\($0)@x") } + [ann])
    func numbers(_ predicate: Predicate<Correspondent>) throws -> [Int] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])).map(\.number)
    }
    for state in ["unsaved", "saved"] {
      if state == "saved" { try context.save() }
      let comment = Comment(rawValue: state)
      #expect(try numbers(#Predicate { $0.email == ann }) == [0, 1], comment)
      #expect(try numbers(#Predicate { $0.email != ann }) == [2], comment)
      #expect(try numbers(#Predicate { list.contains($0.email) }) == [0, 1], comment)
      #expect(try numbers(#Predicate { many.contains($0.email) }) == [0, 1], comment)
      #expect(try numbers(#Predicate { $0.emails.contains(ann) }) == [0, 1], comment)
      #expect(try numbers(#Predicate { $0.email < ann }) == [], comment)
      #expect(try numbers(#Predicate { $0.answer == answer }) == [0, 1], comment)
      #expect(try numbers(#Predicate { $0.best == answer }) == [0], comment)
      #expect(try numbers(#Predicate { $0.best != answer }) == [1, 2], comment)
      #expect(try numbers(#Predicate { $0.best == $0.answer }) == [0, 2], comment)
      #expect(try numbers(#Predicate { answers.contains($0.answer) }) == [0, 1], comment)
      #expect(try numbers(#Predicate { $0.size == size }) == [1, 2], comment)
    }
  }

  @Test("An enum whose == is the compiler's is compared in SQL, and one with its own in Swift")
  func statements() throws {
    let context = ModelContext(try Self.container(.sqlite))
    let (size, answer, handle) = (Size.large, Answer.yes, Handle(rawValue: "a"))
    func plan<M: PersistentModel>(_ predicate: Predicate<M>) throws -> String {
      let explanation = try context.explain(FetchDescriptor(predicate: predicate))
      return explanation.sql
    }
    #expect(try plan(#Predicate<Correspondent> { $0.size == size }).contains("\"size\" = ?"))
    #expect(try plan(#Predicate<Correspondent> { $0.answer == answer }).contains("swift_value("))
    #expect(try plan(#Predicate<UniqueHandle> { $0.handle == handle }).contains("\"handle\" = ?"))
  }

  @Test("Unique values with an == that is not known are refused when the store opens", arguments: databases)
  func refused(database: Database) throws {
    for type in [UniqueEmail.self, UniqueAnswer.self] as [any PersistentModel.Type] {
      let error = #expect(throws: SwiftDataError.self) { try Self.container(database, [type]) }
      #expect(error?.message?.contains("Schema.ComparedByRawValue") == true)
    }
    #expect(
      try save(
        database, \UniqueHandle.value, [{ UniqueHandle("a", 1) }, { UniqueHandle("b", 2) }, { UniqueHandle("a", 3) }])
        == [3, 2])
  }

  @Test("A migration to unique values finds equal ones that differ in their scalars")
  func migration() throws {
    func open(_ names: [String]) throws -> [String] {
      let store = try TemporaryStore()
      do {
        let old = ModelContext(try store.container(Before.Town.self))
        for name in names { old.insert(Before.Town(name, .nan)) }
        try old.save()
      }
      let new = ModelContext(try store.container(After.Town.self))
      return try new.fetch(FetchDescriptor<After.Town>()).map(\.name)
    }
    // NaN is no duplicate.
    #expect(try open([Self.composed, "Bern"]).count == 2)
    #expect(throws: SwiftDataError.uniquenessViolation) { try open([Self.composed, Self.decomposed]) }
  }

  @Test("A batch update to equivalent texts is refused")
  func batch() throws {
    let container = try Self.container(.sqlite)
    let context = ModelContext(container)
    context.insert(UniqueText(Self.decomposed, 1))
    context.insert(UniqueText("Bern", 2))
    try context.save()
    let name = Self.composed
    #expect(throws: SwiftDataError.uniquenessViolation) {
      try context.update(model: UniqueText.self, where: #Predicate { $0.value == 2 }, set: .assign(\.name, name))
    }
    #expect(try ModelContext(container).fetch(FetchDescriptor<UniqueText>()).map(\.value) == [1, 2])
  }
}
