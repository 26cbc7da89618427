import Foundation
import SwiftData
import Testing

@Suite("Generic code over models")
struct GenericFormsTests {
  private func container() throws -> FormsStore {
    let store = try FormsStore(Movie.self, Song.self)
    try store.save(Movie(id: "1", title: "Alien"), Movie(id: "2", title: "Brazil"), Song(title: "Alien"))
    return store
  }

  @Test("A predicate on a protocol's requirement finds the model's own property")
  func requirement() throws {
    let context = ModelContext(try container().container)
    #expect(try context.fetch(titleDescriptor(Movie.self, "Alien")).map(\.id) == ["1"])
    #expect(try context.fetchCount(titleDescriptor(Song.self, "Alien")) == 1)
    #expect(try context.fetchCount(titleDescriptor(Song.self, "Brazil")) == 0)
  }

  @Test("A predicate on the identifier, or on an id of the model's own, finds one object")
  func identifiers() throws {
    let context = ModelContext(try container().container)
    let movie = try #require(try context.fetch(idDescriptor(Movie.self, "2")).first)
    #expect(movie.title == "Brazil")
    #expect(try context.fetch(identityDescriptor(Movie.self, movie.persistentModelID)) == [movie])
  }

  @Test("A generic repository works for any model")
  func repository() throws {
    let context = ModelContext(try container().container)
    let repository = Repository<Song>(context: context)
    repository.add(Song(title: "New"))
    #expect(try Set(repository.all().map(\.title)) == ["Alien", "New"])
  }
}
