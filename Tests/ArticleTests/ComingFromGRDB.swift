import Foundation
import SwiftData
import Testing

private enum Game {
  @Model
  final class Player {
    @Attribute(.unique) var name: String
    var score: Int
    @Attribute(.spotlight) var biography: String = ""
    var team: Team?

    init(name: String, score: Int) {
      self.name = name
      self.score = score
    }
  }

  @Model
  final class Team {
    var city: String
    @Relationship(inverse: \Player.team) var players: [Player] = []

    init(city: String) { self.city = city }
  }
}

@Suite("Article: Coming from GRDB")
struct ComingFromGRDB {
  private typealias Player = Game.Player
  private typealias Team = Game.Team

  @Test("A write is a save of a context")
  func writing() throws {
    let container = try memoryContainer(Game.Player.self)

    let context = ModelContext(container)
    let arthur = Player(name: "Arthur", score: 100)
    context.insert(arthur)
    try context.save()

    arthur.score += 50
    try context.save()

    context.insert(Player(name: "Arthur", score: 10))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Player>()).map(\.score) == [10], "an upsert")
  }

  @Test("A request is a descriptor, and an association needs no request")
  func reading() throws {
    let context = ModelContext(try memoryContainer(Game.Player.self))
    let team = Team(city: "Paris")
    team.players = [Player(name: "Arthur", score: 100), Player(name: "Barbara", score: 1_000)]
    context.insert(team)
    try context.save()

    var best = FetchDescriptor<Player>(
      predicate: #Predicate { $0.score >= 100 },
      sortBy: [SortDescriptor(\.score, order: .reverse)])
    best.fetchLimit = 10
    for player in try context.fetch(best) { print(player.name, player.team?.city ?? "no team") }
    let (count, total) = try context.fetch(FetchDescriptor<Player>(), computing: .count, .sum(\.score))

    #expect(try context.fetch(best).map(\.name) == ["Barbara", "Arthur"])
    #expect(count == 2 && total == 1_100)
  }

  @Test("An observation is a loop over values(for:)", .timeLimit(.minutes(20)))
  func observing() async throws {
    let container = try memoryContainer(Game.Player.self)
    let context = ModelContext(container)
    async let saved: Void = container.perform { other in
      other.insert(Game.Player(name: "Arthur", score: 1))
      try other.save()
    }

    let players = FetchDescriptor<Player>(sortBy: [SortDescriptor(\.name)])
    for try await update in context.values(for: players) {
      print(update.results.map(\.name))
      if !update.results.isEmpty { break }
    }

    try await saved
  }
}
