import Foundation
import SwiftData
import Testing

@Suite("Model actors as real code declares them")
struct ActorFormsTests {
  @Test("A model actor works in a context of its own")
  func importing() async throws {
    let store = try FormsStore(Movie.self, Song.self)
    let importer = MovieImporter(modelContainer: store.container)
    #expect(try await importer.load(["a", "b"]) == 2)
    #expect(try await importer.load(["c"]) == 3)
    let (context, found) = try store.read(Movie.self)
    #expect(Set(found.map(\.title)) == ["a", "b", "c"])
    let identifier = try #require(found.first { $0.title == "b" }).persistentModelID
    #expect(await importer.title(of: identifier) == "b")
    #expect(try await PublicImporter(modelContainer: store.container).count() == 3)
    _ = context
  }

  @Test("An actor's own initialisers are left to it")
  func ownInitializer() async throws {
    let store = try FormsStore(Movie.self)
    #expect(OwnInitImporter(container: store.container, label: "l").label == "l")
    #expect(OwnInitImporter(modelContainer: store.container).label == "default")
    #expect(await Actors.Nested(modelContainer: store.container).container() === store.container)
  }
}
