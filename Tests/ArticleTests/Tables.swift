import Foundation
import GRDB
import SwiftData
import Testing

@Suite("Article: Tables and columns")
struct Tables {
  @Model
  final class Player {
    var name: String
    var score: Int

    init(name: String, score: Int) {
      self.name = name
      self.score = score
    }
  }

  @Test("GRDB reads the tables of a store")
  func tables() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("game.store")
    let context = ModelContext(
      try ModelContainer(for: Player.self, configurations: SwiftData.ModelConfiguration(url: file)))
    context.insert(Player(name: "Arthur", score: 100))
    try context.save()

    var readOnly = GRDB.Configuration()
    readOnly.readonly = true
    let database = try DatabaseQueue(path: file.path, configuration: readOnly)
    let scores = try database.read { db in
      try Int.fetchAll(db, sql: "SELECT score FROM Player ORDER BY name")
    }

    #expect(scores == [100])
  }
}
