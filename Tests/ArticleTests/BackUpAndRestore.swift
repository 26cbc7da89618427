import Foundation
import SwiftData
import SwiftDataRecovery
import Testing

@Suite("Article: Back up and restore")
struct BackUpAndRestore {
  @Model
  final class Job {
    @Attribute(.unique) var name: String

    init(name: String) { self.name = name }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func fill(_ file: URL) throws {
    let context = ModelContext(try ModelContainer(for: Job.self, configurations: ModelConfiguration(url: file)))
    for number in 0..<100 { context.insert(Job(name: "job \(number)")) }
    try context.save()
  }

  @Test("A copy is opened for reading only")
  func copies() throws {
    let backup = folder.file("copy.store")
    try fill(backup)

    let copy = ModelConfiguration(url: backup, allowsSave: false)
    let container = try ModelContainer(for: Job.self, configurations: copy)
    print(try ModelContext(container).fetchCount(FetchDescriptor<Job>()))

    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Job>()) == 100)
  }

  @Test("Recovery copies what can be read into a new store")
  func recovery() throws {
    let damaged = folder.file("jobs.store")
    let rescued = folder.file("rescued.store")
    try fill(damaged)

    let report = try ModelContainer.recover(from: damaged, to: rescued, for: Schema([Job.self]))
    print(report)

    #expect(report.isComplete)
    let container = try ModelContainer(for: Job.self, configurations: ModelConfiguration(url: rescued))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Job>()) == 100)
  }
}
