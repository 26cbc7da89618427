import Foundation
import SwiftData
import Testing

@Suite("Article: Deploying")
struct Deploying {
  @Model
  final class Job {
    @Attribute(.unique) var name: String

    init(name: String) { self.name = name }
  }

  private let folder: TemporaryFolder
  private var file: URL { folder.file("jobs.store") }

  init() throws { folder = try TemporaryFolder() }

  @Test("A configuration says where the file is, what a save survives, and how long to wait for another process")
  func configuration() throws {
    var configuration = ModelConfiguration(url: file)
    configuration.durability = .full
    configuration.lockTimeout = .seconds(10)
    configuration.historyRetention = .seconds(30 * 86_400)
    let container = try ModelContainer(for: Job.self, configurations: configuration)

    let context = ModelContext(container)
    context.insert(Job(name: "a"))
    try context.save()
    #expect(FileManager.default.fileExists(atPath: file.path))
  }

  @Test("A read-only configuration refuses to save")
  func readOnly() throws {
    _ = try ModelContainer(for: Job.self, configurations: ModelConfiguration(url: file))

    let reader = try ModelContainer(for: Job.self, configurations: ModelConfiguration(url: file, allowsSave: false))

    let context = ModelContext(reader)
    context.insert(Job(name: "a"))
    #expect(throws: SwiftDataError.self) { try context.save() }
  }

  @Test("A file that is not a store is an error of its own")
  func errors() throws {
    try Data("this is no database, but a text that is long enough".utf8).write(to: file)
    var container: ModelContainer?

    do {
      container = try ModelContainer(for: Job.self, configurations: ModelConfiguration(url: file))
    } catch SwiftDataError.storeLocked {
      print("another process holds the store")
    } catch SwiftDataError.newerSchema {
      print("a newer version of this program wrote the store")
    } catch SwiftDataError.storeDamaged, SwiftDataError.notADatabase {
      print("restore a backup, or recover what can be read")
    }

    #expect(container == nil)
  }
}
