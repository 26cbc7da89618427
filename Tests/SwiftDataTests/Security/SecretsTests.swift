#if Encryption || Sync
  import Foundation
  import Logging
  import SwiftData
  import Testing

  /// What a program with a log at its most talkative writes down.
  @Suite struct SecretsTests {
    private let store: TemporaryStore
    private let bytes = Data((0..<32).map { UInt8($0 + 65) })
    private let key: ModelConfiguration.EncryptionKey

    init() throws {
      store = try TemporaryStore()
      key = try ModelConfiguration.EncryptionKey(bytes)
    }

    private func container(_ key: ModelConfiguration.EncryptionKey?, former: [ModelConfiguration.EncryptionKey] = [])
      throws -> ModelContainer
    {
      try store.container(Secrets.Person.self) {
        $0.encryptionKey = key
        $0.previousEncryptionKeys = former
      }
    }

    private func use(_ container: ModelContainer) throws {
      let context = ModelContext(container)
      let people = (0..<3).map { Secrets.Person("name \($0)", diary: "topsecret \($0)", pin: 7654321 + $0) }
      context.insert(contentsOf: people)
      try context.save()
      people[0].diary = "topsecret changed"
      try context.save()
      let (text, pin) = ("topsecret 1", 7654321)
      _ = try context.fetch(FetchDescriptor<Secrets.Person>(predicate: #Predicate { $0.diary == text }))
      var sorted = FetchDescriptor<Secrets.Person>(
        predicate: #Predicate { $0.pin > pin }, sortBy: [SortDescriptor(\.diary)])
      sorted.fetchLimit = 1
      let first = try context.fetch(sorted)
      _ = try context.fetch(sorted, after: first[0])
      try context.update(
        model: Secrets.Person.self, where: #Predicate { $0.diary == text }, set: .assign(\.diary, "topsecret batch"))
      try context.delete(model: Secrets.Person.self, where: #Predicate { $0.diary == "topsecret 2" })
      try context.save()
    }

    /// Every error that a program with the wrong keys, or a changed file, meets.
    private func errors() throws -> [any Error] {
      let other = try ModelConfiguration.EncryptionKey(Data(bytes.reversed()))
      var errors = [any Error]()
      func expectError(_ body: () throws -> Void) {
        do {
          try body()
          Issue.record("nothing was refused")
        } catch { errors.append(error) }
      }
      expectError { _ = try container(nil) }
      expectError { _ = try container(other) }
      expectError { _ = try ModelConfiguration.EncryptionKey(bytes.prefix(31)) }
      _ = try store.shell("UPDATE Person SET diary = nick WHERE name = 'name 0'")
      let context = ModelContext(try container(key))
      expectError { _ = try context.fetch(FetchDescriptor<Secrets.Person>()) }
      return errors
    }

    @Test("Neither a log at level trace nor an error has a key or a value that is encrypted")
    func nothingTold() throws {
      var errors = [any Error]()
      let lines = try TaskLogHandler.logged(.trace) {
        do { try use(try container(key)) }
        let new = ModelConfiguration.EncryptionKey.random()
        do { try container(new, former: [key]).reencrypt() }
        do { try container(key, former: [new]).reencrypt() }
        let later = try store.container(LaterSecrets.Person.self) { $0.encryptionKey = key }
        #expect(try ModelContext(later).fetch(FetchDescriptor<LaterSecrets.Person>()).count == 2)
      }
      try FileManager.default.removeItem(at: store.url)
      let more = try TaskLogHandler.logged(.trace) {
        do { try use(try container(key)) }
        errors = try self.errors()
      }
      let told =
        (lines + more).map { "\($0.message) \($0.metadata)" }
        + errors.flatMap { ["\($0)", String(reflecting: $0), $0.localizedDescription] }
      // Else there would be nothing to look through.
      #expect(told.count { $0.contains("swift_encrypt(?") } >= 3 && told.contains { $0.contains("SELECT") })
      #expect(errors.count == 4)
      let hexadecimal = bytes.map { String($0, radix: 16) }.joined()
      for secret in [
        "topsecret", "7654321", "7654322", "ABCDEFGH", bytes.base64EncodedString(), hexadecimal,
        hexadecimal.uppercased(),
        "65, 66, 67",
      ] {
        #expect(told.first { $0.contains(secret) } == nil, "\(secret) is told")
      }
    }
  }
#endif
