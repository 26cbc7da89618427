import Foundation
import SwiftData
import Testing

@Suite("Article: Coming from Fluent")
struct ComingFromFluent {
  @Model
  final class Galaxy {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Planet.galaxy) var planets: [Planet] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Planet {
    var name: String
    var mass: Double?
    var galaxy: Galaxy?
    var tags: [Tag] = []

    init(name: String, mass: Double? = nil) {
      self.name = name
      self.mass = mass
    }
  }

  @Model
  final class Tag {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Planet.tags) var planets: [Planet] = []

    init(name: String) { self.name = name }
  }

  struct PlanetResponse: Codable, Equatable {
    var name: String
    var galaxy: String?
  }

  struct Planets {
    let container: ModelContainer

    func list(in galaxy: String) async throws -> [PlanetResponse] {
      try await container.perform { context in
        let planets = FetchDescriptor<Planet>(
          predicate: #Predicate { $0.galaxy?.name == galaxy }, sortBy: [SortDescriptor(\.name)])
        return try context.fetch(planets).map { PlanetResponse(name: $0.name, galaxy: $0.galaxy?.name) }
      }
    }

    func create(_ name: String, in galaxy: String) async throws {
      try await container.perform { context in
        let planet = Planet(name: name)
        planet.galaxy = Galaxy(name: galaxy)
        context.insert(planet)
        try context.save()
      }
    }
  }

  @Test("A handler runs a block of perform and returns values")
  func handlers() async throws {
    let planets = Planets(container: try memoryContainer(Galaxy.self))
    try await planets.create("Mars", in: "Milky Way")
    try await planets.create("Earth", in: "Milky Way")
    let found = try await planets.list(in: "Milky Way")
    #expect(found.map(\.name) == ["Earth", "Mars"])
    let galaxies = try await planets.container.perform { try $0.fetchCount(FetchDescriptor<Galaxy>()) }
    #expect(galaxies == 1, "the unique name made the second insert an update")
  }

  @Test("Siblings are two arrays, and a pivot is never seen")
  func siblings() throws {
    let context = ModelContext(try memoryContainer(Galaxy.self))

    let earth = Planet(name: "Earth", mass: 5.97e24)
    earth.tags = [Tag(name: "small"), Tag(name: "inhabited")]
    context.insert(earth)
    try context.save()

    let inhabited = FetchDescriptor<Planet>(predicate: #Predicate { $0.tags.contains { $0.name == "inhabited" } })
    #expect(try context.fetch(inhabited).map(\.name) == ["Earth"])
  }

  @Test("A save is a transaction")
  func transaction() throws {
    let context = ModelContext(try memoryContainer(Galaxy.self))
    struct Refused: Error {}

    do {
      try context.transaction {
        context.insert(Planet(name: "Vulcan"))
        throw Refused()
      }
    } catch is Refused {
      context.rollback()
    }

    #expect(try context.fetchCount(FetchDescriptor<Planet>()) == 0)
  }

  @Test("Paginating goes by limit and offset, or by the last object")
  func pages() throws {
    let context = ModelContext(try memoryContainer(Galaxy.self))
    context.insert(contentsOf: (0..<50).map { Planet(name: String(format: "%02d", $0)) })
    try context.save()

    var page = FetchDescriptor<Planet>(sortBy: [SortDescriptor(\.name)])
    page.fetchLimit = 20
    page.fetchOffset = 20
    let second = try context.fetch(page)

    #expect(second.map(\.name) == (20..<40).map(String.init))
  }
}
