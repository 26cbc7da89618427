import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

private enum Observed {
  @Model final class Team {
    var name: String
    var motto: String = ""
    @Relationship(inverse: \Player.team) var players: [Player] = []
    init(name: String) { self.name = name }
  }

  @Model final class Player {
    var name: String
    var team: Team?
    init(name: String) { self.name = name }
  }
}

@Suite struct ObservationTests {
  private let context: ModelContext

  init() throws { context = try memoryContext(Observed.Team.self) }

  /// Whether `action` changes something that `read` reads.
  private func fires(_ read: () -> Void, when action: () throws -> Void) rethrows -> Bool {
    let fired = Mutex(false)
    withObservationTracking(read) { fired.withLock { $0 = true } }
    try action()
    return fired.withLock { $0 }
  }

  private func saved() throws -> (Observed.Team, Observed.Player) {
    let (team, player) = (Observed.Team(name: "t"), Observed.Player(name: "p"))
    context.insert(team)
    context.insert(player)
    try context.save()
    return (team, player)
  }

  @Test("Setting a property tells who read it, and nobody who read another property or object")
  func properties() throws {
    let (team, _) = try saved()
    let other = Observed.Team(name: "o")
    #expect(fires({ _ = team.name }, when: { team.name = "x" }))
    #expect(!fires({ _ = team.motto }, when: { team.name = "y" }))
    #expect(!fires({ _ = other.name }, when: { team.name = "z" }))
    #expect(fires({ _ = other.name }, when: { other.name = "without a context" }))
  }

  @Test("Setting one side of a relationship tells who read the other")
  func relationships() throws {
    let (team, player) = try saved()
    #expect(fires({ _ = team.players }, when: { player.team = team }))
    #expect(fires({ _ = player.team }, when: { team.players = [] }))
    #expect(fires({ _ = player.team }, when: { team.players.append(player) }))
    #expect(!fires({ _ = player.name }, when: { team.players = [] }))
    #expect(!fires({ _ = team.name }, when: { team.players = [player] }))
    #expect(fires({ _ = team.players }, when: { context.delete(player) }))
  }

  @Test("A rollback tells who read what it gives back")
  func rollback() throws {
    let (team, player) = try saved()
    team.name = "x"
    player.team = team
    #expect(fires({ _ = team.name }, when: { context.rollback() }))
    team.name = "x"
    #expect(!fires({ _ = team.motto }, when: { context.rollback() }))
    player.team = team
    #expect(fires({ _ = team.players }, when: { context.rollback() }))
    player.team = team
    #expect(fires({ _ = player.team }, when: { context.rollback() }))
  }

  @Test("What another context saved tells who read it here, once this context takes it in")
  func otherContexts() throws {
    let (team, player) = try saved()
    let other = ModelContext(context.container)
    let same = try #require(other.model(for: team.persistentModelID) as? Observed.Team)
    func save(_ change: () throws -> Void) throws {
      try change()
      try other.save()
      context.state.takeInSaves()
    }
    #expect(try fires({ _ = team.name }, when: { try save { same.name = "x" } }))
    #expect(team.name == "x")
    #expect(try !fires({ _ = team.motto }, when: { try save { same.name = "y" } }))
    #expect(try !fires({ _ = player.name }, when: { try save { same.name = "z" } }))
    #expect(try fires({ _ = team.players }, when: { try save { same.players.append(Observed.Player(name: "n")) } }))
    #expect(team.players.map(\.name) == ["n"])
  }

  @Test("A save of its own tells nobody: no value changed")
  func ownSave() throws {
    let (team, _) = try saved()
    team.name = "x"
    #expect(try !fires({ _ = team.name }, when: { try context.save() }))
  }

  @Test("Undoing tells who read what it gives back")
  func undo() throws {
    let (team, _) = try saved()
    let undo = UndoManager()
    context.undoManager = undo
    team.name = "x"
    #expect(fires({ _ = team.name }, when: { undo.undo() }))
    #expect(team.name == "t")
  }

  @Test("An observer may read, fetch and save at once when it is told")
  func reentrancy() throws {
    let (team, _) = try saved()
    let container = context.container
    let other = ModelContext(container)
    let same = try #require(other.model(for: team.persistentModelID) as? Observed.Team)
    same.name = "x"
    same.players.append(Observed.Player(name: "n"))
    try other.save()
    // Safe: the observation calls back on this thread.
    nonisolated(unsafe) let (observedTeam, observedContext) = (team, context)
    let counts = Mutex([Int]())
    withObservationTracking {
      _ = team.name
    } onChange: {
      let players = (try? observedContext.fetch(FetchDescriptor<Observed.Player>())) ?? []
      counts.withLock { $0 += [players.count, observedTeam.players.count] }
    }
    _ = try context.fetch(FetchDescriptor<Observed.Team>())
    #expect(counts.withLock { $0 } == [2, 1])
    #expect(team.name == "x" && team.players.map(\.name) == ["n"])
  }

  @Test("An observer told by a fetch that notices another process may fetch, too")
  func reentrancyAfterForeignCommit() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Observed.Team.self))
    context.insert(Observed.Team(name: "t"))
    context.insert(Observed.Player(name: "p"))
    try context.save()
    let team = try #require(try context.fetch(FetchDescriptor<Observed.Team>()).first)
    _ = team.players
    #expect(try store.shell("UPDATE Team SET name = 'x'; UPDATE Player SET team = 1") == "")
    // Safe: the observation calls back on this thread.
    nonisolated(unsafe) let (observedTeam, observedContext) = (team, context)
    let count = Mutex(0)
    withObservationTracking {
      _ = (team.name, team.players)
    } onChange: {
      let players = (try? observedContext.fetch(FetchDescriptor<Observed.Player>())) ?? []
      count.withLock { $0 += players.count + observedTeam.players.count }
    }
    _ = try context.fetch(FetchDescriptor<Observed.Team>())
    #expect(count.withLock { $0 } == 2)
    #expect(team.name == "x")
  }
}
