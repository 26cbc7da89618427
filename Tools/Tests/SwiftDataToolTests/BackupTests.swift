import BlockingTests
import ChildProcesses
import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

// The models of StoreWriter.

private enum Written {
  @Model final class WrittenCounter {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  @Model final class WrittenNote {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  @Model final class WrittenPicture {
    var number: Int
    @Attribute(.externalStorage) var data: Data
    init(_ number: Int) { (self.number, data) = (number, Data()) }
  }
}

@Suite("swiftdata backup", .blocking) struct BackupTests {
  /// The lines that StoreWriter prints.
  private struct Saves {
    let handle: FileHandle

    /// Waits until the program has printed so many lines more.
    func await(_ count: Int) throws {
      var lines = 0
      while lines < count {
        let data = handle.availableData
        try #require(!data.isEmpty, "the writer ended")
        lines += data.count { $0 == UInt8(ascii: "\n") }
      }
    }
  }

  @Test("copies a store and its external data as they are at one moment, while another process saves")
  func whileAnotherProcessSaves() throws {
    let folder = try Music.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("app.store")
    let writer = try Command.start([store.path], program: "StoreWriter")
    defer {
      writer.send(SIGKILL)
      writer.wait()
    }
    let saves = Saves(handle: writer.output!)
    try saves.await(20)
    var last = 0
    for round in 0..<5 {
      let copy = folder.appendingPathComponent("copies/\(round).store")
      let result = try Command.run("backup", store.path, copy.path)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("8 external files"), "\(result.output)")
      #expect(try Command.run("check", copy.path).output == "nothing is wrong\n")
      let container = try ModelContainer(
        for: Written.WrittenCounter.self, Written.WrittenNote.self, Written.WrittenPicture.self,
        configurations: ModelConfiguration(url: copy))
      let context = ModelContext(container)
      let counter = try #require(try context.fetch(FetchDescriptor<Written.WrittenCounter>()).first)
      #expect(try context.fetchCount(FetchDescriptor<Written.WrittenNote>()) == counter.number)
      let pictures = try context.fetch(FetchDescriptor<Written.WrittenPicture>())
      #expect(pictures.count == 8)
      for picture in pictures {
        #expect(picture.data == Data(repeating: UInt8(picture.number % 251), count: 200_000))
      }
      #expect(pictures.map(\.number).max() == counter.number)
      #expect(counter.number >= last)
      last = counter.number
      try saves.await(1)
    }
    #expect(writer.isRunning)
    #expect(try Command.run("history", store.path, "--limit", "3").output.contains("WrittenNote  1 inserted"))
    #expect(
      try Command.run("query", store.path, "SELECT count(*) FROM WrittenCounter").output.hasSuffix("\n       1\n"))
    for _ in 0..<5 {
      let forecast = try Command.run("migrate", store.path, "--like", store.path, "--dry-run")
      #expect(forecast.status == 0, "\(forecast.errors)")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("copies").path)
    #expect(!left.contains { $0.contains("-backup-") }, "\(left)")
  }

  private func covers(_ folder: URL) throws -> (URL, Data) {
    let store = folder.appendingPathComponent("covers.store")
    let context = ModelContext(try ModelContainer(for: Cover.self, configurations: ModelConfiguration(url: store)))
    let picture = Data(repeating: 7, count: 200_000)
    for _ in 0..<2 { context.insert(Cover(picture)) }
    try context.save()
    return (store, picture)
  }

  @Test("copies external files, so that damage of the store's files does not reach the copy")
  func independent() throws {
    let folder = try Music.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (store, picture) = try covers(folder)
    let copy = folder.appendingPathComponent("copy.store")
    #expect(try Command.run("backup", store.path, copy.path).status == 0)
    let files = folder.appendingPathComponent(".covers.store_external")
    for name in try FileManager.default.contentsOfDirectory(atPath: files.path) {
      let file = try FileHandle(forWritingTo: files.appendingPathComponent(name))
      try file.write(contentsOf: Data(repeating: 9, count: 10))
      try file.close()
    }
    let context = ModelContext(try ModelContainer(for: Cover.self, configurations: ModelConfiguration(url: copy)))
    #expect(try context.fetch(FetchDescriptor<Cover>()).map(\.picture) == [picture, picture])
  }

  @Test("ends with 1 and the name of an external file that the store lacks, and copies the rest")
  func missingFile() throws {
    let folder = try Music.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (store, _) = try covers(folder)
    let files = folder.appendingPathComponent(".covers.store_external")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: files.path).first)
    try FileManager.default.removeItem(at: files.appendingPathComponent(name))
    let copy = folder.appendingPathComponent("copy.store")
    let result = try Command.run("backup", store.path, copy.path)
    #expect(result.status == 1)
    #expect(result.output.contains("1 external file,"), "\(result.output)")
    #expect(result.output.contains("the store lacks the external file \(name)"))
    #expect(try Command.run("dump", copy.path).output.split(separator: "\n").count == 2)
  }

  @Test("refuses a destination that exists and a store of Apple's frameworks, and leaves nothing behind")
  func refused() throws {
    let folder = try Music.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (store, _) = try covers(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let twice = try Command.run("backup", store.path, store.path)
    #expect(twice.status == 2)
    #expect(twice.errors.contains("exists already"), "\(twice.errors)")
    // SQLite would play the journal of a former file back into the copy.
    let journal = folder.appendingPathComponent("former.store-journal")
    try Data("journal".utf8).write(to: journal)
    let former = try Command.run("backup", store.path, folder.appendingPathComponent("former.store").path)
    #expect(former.status == 2 && former.errors.contains("exists already"), "\(former.errors)")
    try FileManager.default.removeItem(at: journal)
    let apple = try Command.run("backup", try Music.store().path, folder.appendingPathComponent("a.store").path)
    #expect(apple.status == 2)
    #expect(apple.errors.contains("swiftdata import"), "\(apple.errors)")
    let nowhere = try Command.run("backup", store.path, "/dev/null/copy.store")
    #expect(nowhere.status == 2, "\(nowhere.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
  }

  @Test(
    "copies a PostgreSQL store to an archive, from which pg_restore makes the same store",
    .enabled(if: ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil, "needs POSTGRES_URL"))
  func postgres() throws {
    let url = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""
    let suffix = UUID().uuidString.prefix(8).lowercased()
    // A pattern of pg_dump would fold the case of the name and take the question mark for any character.
    let namespace = "Tool_\(suffix)?"
    let folder = try Music.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try ModelContainer(
      for: Schema([Album.self, Track.self]), configurations: [PostgresConfiguration(url: url, namespace: namespace)])
    defer { try? container.erase() }
    let context = ModelContext(container)
    context.insert(Album("Blue Train"))
    try context.save()
    let archive = folder.appendingPathComponent("app.dump")
    let result = try Command.run(
      "backup", archive.path, environment: ["SWIFTDATA_STORE": url, "SWIFTDATA_NAMESPACE": namespace])
    #expect(result.status == 0, "\(result.errors)")
    let mode = try FileManager.default.attributesOfItem(atPath: archive.path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    let database = "restored_\(suffix)"
    var other = try #require(URLComponents(string: url))
    other.path = "/\(database)"
    let restored = try #require(other.string)
    try run("psql", url, "-c", "CREATE DATABASE \(database) TEMPLATE template0 ENCODING 'UTF8'")
    defer { try? run("psql", url, "-c", "DROP DATABASE \(database)") }
    try run("pg_restore", "--exit-on-error", "--dbname=\(restored)", archive.path)
    #expect(try Command.run("check", restored, "--namespace", namespace).output == "nothing is wrong\n")
    let difference = try Command.run("diff", url, restored, "--namespace", namespace)
    #expect(difference.output == "the stores are equal\n", "\(difference.errors)")
    let twice = try Command.run("backup", url, archive.path, "--namespace", namespace)
    #expect(twice.status == 2 && twice.errors.contains("exists already"), "\(twice.errors)")
  }

  private func run(_ command: String, _ arguments: String...) throws {
    let process = try ChildProcess(command, arguments, errors: .output)
    let text = process.text()
    try #require(process.wait() == .exit(0), "\(command) \(arguments): \(text)")
  }
}
