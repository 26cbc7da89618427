import Foundation
import SwiftData
import Testing

protocol PrintedMatter {
  var title: String { get }
  var pages: Int { get }
}

@Model
class Printed: PrintedMatter {
  let isbn: UUID
  var title: String
  var pages: Int
  var shelf: Shelving?

  init(title: String, pages: Int) {
    self.isbn = UUID()
    self.title = title
    self.pages = pages
  }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@Model
final class Novel: Printed {
  var hero: String
  var sequel: Novel?

  init(title: String, pages: Int, hero: String) {
    self.hero = hero
    super.init(title: title, pages: pages)
  }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@Model
final class Atlas: Printed {
  var scale: Int

  init(title: String, pages: Int, scale: Int) {
    self.scale = scale
    super.init(title: title, pages: pages)
  }
}

@Model
final class Shelving {
  var name: String
  var best: Printed?
  @Relationship(inverse: \Printed.shelf) var prints: [Printed] = []

  init(name: String) { self.name = name }
}

/// Predicates over class hierarchies and generic code.
@Suite
struct InheritancePredicateTests {
  private let context: ModelContext

  init() throws {
    context = try memoryContext(Printed.self, Novel.self, Atlas.self, Shelving.self)
    let shelves = ["a", "b"].map(Shelving.init)
    for number in 0..<12 {
      let print: Printed =
        switch number % 3 {
        case 0: Novel(title: "n\(number)", pages: number, hero: number % 2 == 0 ? "Ada" : "Bob")
        case 1: Atlas(title: "a\(number)", pages: number, scale: number * 10)
        default: Printed(title: "p\(number)", pages: number)
        }
      context.insert(print)
      if number % 4 != 3 { print.shelf = shelves[number % 2] }
      if number < 2 { shelves[number].best = print }
    }
    try context.save()
  }

  private func check<M: PersistentModel & PrintedMatter>(
    _ predicate: Predicate<M>, expecting count: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = try context.fetch(FetchDescriptor<M>()).filter { (try? predicate.evaluate($0)) ?? false }
    let found = try context.fetch(FetchDescriptor<M>(predicate: predicate))
    #expect(found.map(\.title).sorted() == expected.map(\.title).sorted(), sourceLocation: sourceLocation)
    if let count { #expect(found.count == count, sourceLocation: sourceLocation) }
  }

  @Test("`is` and `as?` ask for the class")
  func classes() throws {
    try check(#Predicate<Printed> { $0 is Novel }, expecting: 4)
    try check(#Predicate<Printed> { !($0 is Novel) }, expecting: 8)
    try check(#Predicate<Printed> { ($0 as? Novel)?.hero == "Ada" }, expecting: 2)
    try check(#Predicate<Printed> { ($0 as? Novel)?.hero != "Ada" }, expecting: 10)
    try check(#Predicate<Printed> { ($0 as? Novel)?.pages ?? 100 > 5 }, expecting: 10)
    try check(#Predicate<Printed> { ($0 as! Atlas).scale > 30 }, expecting: 3)
    try check(#Predicate<Printed> { $0.shelf?.best is Novel }, expecting: 6)
    try check(#Predicate<Printed> { ($0.shelf?.best as? Novel)?.hero == "Ada" })
  }

  @Test("What an object of another class inherits is not read after `as!`")
  func forcedCasts() throws {
    try check(#Predicate<Printed> { ($0 as! Novel).pages > 5 }, expecting: 2)
    try check(#Predicate<Printed> { ($0 as? Novel)!.title != "" }, expecting: 4)
    try check(#Predicate<Printed> { ($0 as! Novel).shelf!.name == "a" })
    try check(#Predicate<Printed> { ($0 as! Novel).shelf == nil })
    try check(#Predicate<Printed> { !($0.shelf!.best! is Novel) })
    try check(#Predicate<Printed> { ($0.shelf!.best as? Novel) == nil })
  }

  @Test("A subclass's predicate may name what it inherits")
  func inherited() throws {
    try check(#Predicate<Novel> { $0.title == "n3" && $0.hero == "Bob" }, expecting: 1)
    try check(#Predicate<Novel> { $0.shelf?.name == "a" })
  }

  @Test("Generic code may name requirements of a protocol and members of a superclass")
  func generic() throws {
    func long<M: PersistentModel & PrintedMatter>(_: M.Type) -> Predicate<M> {
      #Predicate<M> { $0.pages > 3 && $0.title != "n6" }
    }
    try check(long(Printed.self), expecting: 7)
    try check(long(Novel.self), expecting: 1)
    func inherited<M: Printed>(_: M.Type, _ isbn: UUID) -> Predicate<M> {
      #Predicate<M> { $0.isbn == isbn && $0.title != "" }
    }
    let some = try context.fetch(FetchDescriptor<Novel>())[1]
    let found = try context.fetch(FetchDescriptor<Novel>(predicate: inherited(Novel.self, some.isbn)))
    #expect(found.first === some)
    #expect(found.count == 1)
    func identified<M: PersistentModel>(_: M.Type, _ id: PersistentIdentifier) -> Predicate<M> {
      #Predicate<M> { $0.persistentModelID == id }
    }
    #expect(
      try context.fetch(FetchDescriptor<Atlas>(predicate: identified(Atlas.self, some.persistentModelID))).isEmpty)
    #expect(
      try context.fetch(FetchDescriptor<Printed>(predicate: identified(Printed.self, some.persistentModelID))).first
        === some)
  }

  @Test("Identifiers are ordered by class and then by key, as in memory")
  func identifiers() throws {
    func order<M: PersistentModel & PrintedMatter>(_: M.Type, _ id: PersistentIdentifier) throws {
      try check(#Predicate<M> { $0.persistentModelID < id })
      try check(#Predicate<M> { $0.persistentModelID <= id })
      try check(#Predicate<M> { $0.persistentModelID > id })
      try check(#Predicate<M> { id <= $0.persistentModelID })
      try check(#Predicate<M> { !(id > $0.persistentModelID) })
      try check(#Predicate<M> { (id...id).contains($0.persistentModelID) })
    }
    let prints = try context.fetch(FetchDescriptor<Printed>())
    let shelf = try context.fetchIdentifiers(FetchDescriptor<Shelving>())[0]
    let unsaved = Novel(title: "", pages: 0, hero: "").persistentModelID
    let elsewhere = ["", "~"].map { PersistentIdentifier(entityName: "Novel", storeIdentifier: $0, key: 1) }
    for id in prints.map(\.persistentModelID) + elsewhere + [shelf, unsaved] {
      try order(Printed.self, id)
      try order(Novel.self, id)
      try check(#Predicate<Printed> { $0.shelf?.best.flatMap { $0.persistentModelID < id } ?? false })
      try check(#Predicate<Printed> { !($0.shelf!.best!.persistentModelID >= id) })
      try check(#Predicate<Printed> { $0.shelf!.persistentModelID > id })
    }
    try check(#Predicate<Printed> { $0.persistentModelID < $0.shelf!.best!.persistentModelID })
    try check(#Predicate<Printed> { $0.shelf!.best!.persistentModelID >= $0.persistentModelID })
    try check(#Predicate<Printed> { $0.persistentModelID < $0.shelf!.persistentModelID })
    try check(#Predicate<Novel> { $0.persistentModelID <= $0.persistentModelID }, expecting: 4)
    prints[4].pages += 1
    context.insert(Atlas(title: "new", pages: 1, scale: 1))
    try order(Printed.self, prints[4].persistentModelID)
  }
}
