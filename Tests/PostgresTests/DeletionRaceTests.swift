import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Model private final class Folder {
  var name: String
  @Relationship(deleteRule: .deny, inverse: \Hold.folder) var holds: [Hold] = []
  init(_ name: String) { self.name = name }
}

@Model private final class Hold {
  var folder: Folder?
  init(_ folder: Folder?) { self.folder = folder }
}

@Suite(
  "Deletions from PostgreSQL at the same time as other saves",
  .enabled(if: PostgresServer.isThere, PostgresServer.reason), .timeLimit(.minutes(20)))
struct DeletionRaceTests {
  @Test("wait for a save that relates an object to the deleted one, and obey the rules for it", arguments: [0, 4])
  func waiting(partitions: Int) throws {
    let store = TestStore()
    var configuration = store.configuration
    if partitions > 0 { configuration.partitions = [.hashed(by: \Folder.name, count: partitions)] }
    let container = try ModelContainer(for: Schema([Folder.self]), configurations: configuration)
    let context = ModelContext(container)
    let folder = Folder("f")
    context.insert(folder)
    try context.save()
    // The other save has checked its references and is about to commit.
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("BEGIN; INSERT INTO \"Hold\" (_pk, folder) SELECT 1000000, _pk FROM \"Folder\"")
    try other.script("SET CONSTRAINTS ALL IMMEDIATE")
    let failures = Failures()
    let save = Worker {
      failures.collect {
        let deleting = ModelContext(container)
        try deleting.delete(model: Folder.self)
        try deleting.save()
      }
    }
    let blocked = "SELECT 1 FROM pg_stat_activity WHERE \(other.processIdentifier) = ANY(pg_blocking_pids(pid))"
    while try store.sql(blocked).count == 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    try other.script("COMMIT")
    save.join()
    #expect(failures.all.count == 1 && failures.all.first?.contains("Folder.holds") == true, "\(failures.all)")
    #expect(try store.sql("SELECT 1 FROM \"Hold\" WHERE folder IS NOT NULL").count == 1)
    #expect(try store.sql("SELECT 1 FROM \"Folder\"").count == 1)
  }
}
