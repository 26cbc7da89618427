import Foundation
import SwiftData
import Testing

@Suite("Relationships as real code declares them")
struct RelationshipFormsTests {
  private func store() throws -> FormsStore { try FormsStore(Library.self) }

  @Test("Naming one type brings the types that its relationships reach, through every spelling")
  func reachable() {
    let names = Set(Schema([Library.self]).entities.map(\.name))
    #expect(
      names.isSuperset(of: [
        "Library", "Book", "Shelf", "Poster", "Photo", "Chair", "Person", "PostalPlace", "Author", "Chapter",
      ])
    )
  }

  @Test("Implicitly unwrapped, optional and inferred to-many relationships are kept")
  func toManySpellings() throws {
    let store = try store()
    let library = Library(name: "City", address: PostalPlace(city: "Bonn"))
    #expect(library.shelves == nil)
    library.shelves = [Shelf(), Shelf()]
    library.posters = [Poster()]
    library.photos?.append(Photo())
    library.chairs.append(Chair())
    try store.save(library)
    let (context, found) = try store.read(Library.self)
    let copy = try #require(found.first)
    #expect(copy.shelves.count == 2)
    #expect(copy.posters?.count == 1)
    #expect(copy.photos?.count == 1)
    #expect(copy.chairs.first?.legs == 4)
    #expect(copy.shelves.first?.library === copy)
    _ = context
  }

  @Test("Two relationships onto one type stay apart")
  func twoOntoOne() throws {
    let store = try store()
    let library = Library(name: "City", address: PostalPlace(city: "Bonn"))
    let (worker, visitor) = (Person(name: "w"), Person(name: "v"))
    library.staff = [worker]
    library.visitors = [visitor, worker]
    #expect(worker.worksAt === library)
    #expect(visitor.worksAt == nil)
    try store.save(library)
    let (context, found) = try store.read(Library.self)
    let copy = try #require(found.first)
    #expect(copy.staff.map(\.name) == ["w"])
    #expect(copy.visitors.map(\.name) == ["v", "w"])
    #expect(copy.visitors.first?.visits.map(\.name) == ["City"])
    _ = context
  }

  @Test("A to-one that is not optional is there after a fetch, and its other side knows it")
  func requiredToOne() throws {
    let store = try store()
    try store.save(Library(name: "City", address: PostalPlace(city: "Bonn")))
    let (context, found) = try store.read(Library.self)
    #expect(found.first?.address.city == "Bonn")
    #expect(found.first?.address.library === found.first)
    _ = context
  }

  @Test("Followers and following are two sides of one relationship")
  func selfReferential() throws {
    let store = try store()
    let (a, b, c) = (Person(name: "a"), Person(name: "b"), Person(name: "c"))
    a.following = [b, c]
    b.spouse = c
    #expect(c.followers.map(\.name) == ["a"])
    try store.save(a)
    let (context, found) = try store.read(Person.self)
    let copies = Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
    #expect(copies["a"]?.following.map(\.name) == ["b", "c"])
    #expect(copies["b"]?.followers.map(\.name) == ["a"])
    #expect(copies["b"]?.spouse === copies["c"])
    _ = context
  }

  @Test("The labels of early articles mean the counts and the rule")
  func synonyms() throws {
    let entity = try #require(Schema([Library.self]).entitiesByName["Book"])
    let chapters = try #require(entity.relationshipsByName["chapters"])
    #expect((chapters.minimumModelCount, chapters.maximumModelCount) == (1, 3))
    #expect(chapters.deleteRule == .cascade)
    #expect(entity.relationshipsByName["authors"]?.deleteRule == .noAction)
  }
}
