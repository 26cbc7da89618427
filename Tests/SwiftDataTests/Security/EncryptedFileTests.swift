#if Encryption || Sync
  import Foundation
  import GRDB
  import SwiftData
  import SwiftDataRecovery
  import Testing

  /// What the disk has of encrypted attributes, at the moments at which it could have the most.
  @Suite struct EncryptedFileTests {
    enum First {
      @Model final class Diary {
        var name: String
        @Attribute(.allowsCloudEncryption) var text: String
        init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
      }
    }

    enum Second {
      @Model final class Diary {
        var name: String
        @Attribute(.allowsCloudEncryption) var text: String
        var rank: Int = 7
        init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
      }
    }

    enum Preserved {
      @Model final class Diary {
        @Attribute(.preserveValueOnDeletion) var title: String?
        @Attribute(.spotlight, .preserveValueOnDeletion) var text: String
        init(_ title: String, _ text: String) { (self.title, self.text) = (title, text) }
      }
    }

    enum Sealed {
      @Model final class Diary {
        @Attribute(.preserveValueOnDeletion) var title: String?
        @Attribute(.allowsCloudEncryption) var text: String
        init(_ title: String, _ text: String) { (self.title, self.text) = (title, text) }
      }
    }

    private let store: TemporaryStore
    private let key = ModelConfiguration.EncryptionKey.random()
    private static let count = 600
    /// Long enough that a row needs pages of its own, and all rows more than SQLite's cache.
    private static func text(_ number: Int) -> String { String(repeating: "plain\(number % 10) ", count: 900) }

    init() throws { store = try TemporaryStore() }

    private func first(_ key: ModelConfiguration.EncryptionKey?, at store: TemporaryStore? = nil) throws
      -> ModelContainer
    {
      try (store ?? self.store).container(First.Diary.self) { $0.encryptionKey = key }
    }

    private func fill(_ container: ModelContainer) throws {
      let context = ModelContext(container)
      for number in 0..<Self.count { context.insert(First.Diary("name \(number)", Self.text(number))) }
      try context.save()
    }

    /// The files of a folder that have readable text in them.
    private func readable(in store: TemporaryStore? = nil) throws -> [String] {
      try (store ?? self.store).contents().filter { $0.bytes.range(of: Data("plain".utf8)) != nil }.map(\.name)
    }

    @Test("A store in the open is encrypted whole: its log, what was deleted from it, and its free pages")
    func encryption() throws {
      let copy = try TemporaryStore()
      do {
        let container = try first(nil)
        try fill(container)
        // A program that does not wipe what it deletes.
        let other = try DatabaseQueue(path: store.url.path)
        try other.inDatabase {
          try $0.execute(
            sql: "PRAGMA secure_delete = OFF; DELETE FROM Diary WHERE _pk % 3 = 0; PRAGMA wal_checkpoint(TRUNCATE);"
              + " UPDATE Diary SET text = text || 'plain' WHERE _pk % 3 = 1")
        }
        // As if both had been killed: the newest of it is in the log alone.
        for suffix in ["", "-wal"] {
          try FileManager.default.copyItem(atPath: store.url.path + suffix, toPath: copy.url.path + suffix)
        }
        try other.close()
        withExtendedLifetime(container) {}
      }
      #expect(try Set(readable(in: copy)) == ["test.store", "test.store-wal"])
      let container = try first(key, at: copy)
      #expect(try readable(in: copy) == [])
      let diaries = try ModelContext(container).fetch(FetchDescriptor<First.Diary>())
      #expect(diaries.count == Self.count * 2 / 3)
      #expect(diaries.allSatisfy { $0.text.hasPrefix("plain") })
    }

    @Test("Values that a former version preserved in the history go when their attribute is encrypted, and others stay")
    func tombstones() throws {
      do {
        let context = ModelContext(try store.container(Preserved.Diary.self))
        let (first, second) = (Preserved.Diary("title 1", "plain 1"), Preserved.Diary("title 2", "plain 2"))
        for diary in [first, second, Preserved.Diary("title 3", "plain 3")] { context.insert(diary) }
        try context.save()
        context.delete(first)
        try context.save()
        // A tombstone without anything else.
        second.title = nil
        try context.save()
        context.delete(second)
        try context.save()
      }
      #expect(try readable() == ["test.store"])
      let container = try store.container(Sealed.Diary.self) { $0.encryptionKey = key }
      #expect(try readable() == [])
      let context = ModelContext(container)
      #expect(try context.fetch(FetchDescriptor<Sealed.Diary>()).map(\.text) == ["plain 3"])
      let deletions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
        .compactMap { change -> DefaultHistoryDelete<Sealed.Diary>? in
          if case .delete(let deletion) = change { deletion as? DefaultHistoryDelete<Sealed.Diary> } else { nil }
        }
      #expect(deletions.map { $0.tombstone[\.title] as? String } == ["title 1", nil])
      #expect(deletions.allSatisfy { $0.tombstone[\.text] == nil })
    }

    @Test("A program that opened the store before another one encrypted it cannot write a value in the open")
    func olderProgram() throws {
      let old = ModelContext(try first(nil))
      let diary = First.Diary("a", "plain 1")
      old.insert(diary)
      try old.save()
      let container = try first(key)
      func expectRefusal(_ body: () throws -> Void) {
        let error = #expect(throws: SwiftDataError.newerSchema) { try body() }
        #expect(error?.entity == "Diary" && error?.property == "text")
        #expect(error?.message?.contains("another program encrypts it") == true)
      }
      diary.text = "plain 2"
      expectRefusal { try old.save() }
      let late = ModelContext(old.container)
      late.insert(First.Diary("b", "plain 3"))
      expectRefusal { try late.save() }
      #expect(try readable() == [])
      let new = ModelContext(container)
      #expect(try new.fetch(FetchDescriptor<First.Diary>()).map(\.text) == ["plain 1"])
      // Later versions decrypt and encrypt in their transaction.
      let later = ModelContext(try store.container(Second.Diary.self) { $0.encryptionKey = key })
      try #require(try later.fetch(FetchDescriptor<Second.Diary>()).first).text = "plain 4"
      try later.save()
      #expect(try readable() == [])
      #expect(try store.shell("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'") == "2")
    }

    @Test("A migration of encrypted rows writes nothing readable to the disk, not even for a moment")
    func migration() throws {
      try fill(try first(key))
      // A reader holds the log open, so that all that the migration ever wrote is in it.
      let reader = try DatabaseQueue(path: store.url.path)
      try reader.inDatabase { database in
        try database.execute(sql: "BEGIN; SELECT count(*) FROM Diary")
        let later = try store.container(Second.Diary.self) { $0.encryptionKey = key }
        let log = try store.contents().first { $0.name == "test.store-wal" }
        #expect((log?.bytes.count ?? 0) > 3_000_000)
        #expect(try readable() == [])
        let diaries = try ModelContext(later).fetch(FetchDescriptor<Second.Diary>())
        #expect(diaries.count == Self.count)
        #expect(diaries.allSatisfy { $0.text.hasPrefix("plain") && $0.rank == 7 })
        try database.execute(sql: "COMMIT")
      }
    }

    // MARK: - Recovery

    private func recovered(_ change: (inout Data) -> Void) throws -> (
      report: ModelContainer.RecoveryReport, new: TemporaryStore
    ) {
      try fill(try first(key))
      var data = try Data(contentsOf: store.url)
      change(&data)
      try data.write(to: store.url)
      let new = try TemporaryStore()
      let report = try ModelContainer.recover(from: store.url, to: new.url, for: Schema([First.Diary.self]))
      return (report, new)
    }

    private func expectSealed(_ recovered: (report: ModelContainer.RecoveryReport, new: TemporaryStore)) throws {
      #expect(recovered.report.notes.contains { $0.hasPrefix("encrypted values were copied as they are") })
      #expect(try readable(in: recovered.new) == [])
      #expect(throws: SwiftDataError.encryptionKey) { try first(nil, at: recovered.new) }
      let context = ModelContext(try first(key, at: recovered.new))
      let diaries = try context.fetch(FetchDescriptor<First.Diary>())
      #expect(diaries.count == recovered.report.entities.first { $0.name == "Diary" }?.recovered)
      for diary in diaries {
        let number = try #require(Int(diary.name.dropFirst(5)))
        #expect(diary.text == Self.text(number))
      }
    }

    @Test("Recovery needs no key: what is sealed is copied as it is, and read with the key")
    func recovery() throws {
      let recovered = try recovered { _ in }
      #expect(recovered.report.isComplete, "\(recovered.report)")
      try expectSealed(recovered)
    }

    @Test("Of an encrypted store that is cut off the rest is recovered, and is read with the key")
    func cutOff() throws {
      let recovered = try recovered { $0 = $0.prefix($0.count / 8192 * 4096) }
      let found = recovered.report.entities.first { $0.name == "Diary" }?.recovered ?? 0
      #expect((50..<Self.count).contains(found), "\(recovered.report)")
      try expectSealed(recovered)
    }

    @Test("An encrypted store that does not say any more that it is one is recovered all the same")
    func unknownEncryption() throws {
      let recovered = try recovered { data in
        for page in 0..<data.count / 4096 {
          let range = page * 4096..<(page + 1) * 4096
          guard data.range(of: Data("\"columns\":[{".utf8), in: range) != nil else { continue }
          data.replaceSubrange(range.dropFirst(page == 0 ? 100 : 0), with: Data(count: page == 0 ? 3996 : 4096))
        }
      }
      #expect(recovered.report.notes.contains { $0.hasPrefix("the store's description is lost") })
      try expectSealed(recovered)
    }
  }
#endif
