#if Encryption || Sync
  import Foundation
  import SwiftData
  import Testing

  @testable import SwiftDataPostgres

  @Suite(
    "A PostgreSQL store whose encryption changes", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
    .timeLimit(.minutes(20)))
  struct EncryptionChangeTests {
    private typealias Plain = Versions.Plain.Note
    private typealias Encrypted = Versions.Encrypted.Note
    private typealias Grown = Versions.Grown.Note

    private let store = TestStore()
    private let key = Key.random()
    /// The server holds the second one in another form.
    private static let texts = (0..<3_000).map { $0 == 1 ? "topsecret \0 e\u{301}" : "topsecret \($0)" }

    private func fill() throws {
      let context = ModelContext(try store.open(Plain.self))
      for (number, text) in Self.texts.enumerated() { context.insert(Plain("name \(number)", text)) }
      let gone = Plain("gone", "topsecret of the history")
      context.insert(gone)
      try context.save()
      context.delete(gone)
      try context.save()
      // So that the server has a sample of the values in its statistics. Without a table, ANALYZE would wait for the
      // locks of all tests, and two such waits take both threads that a test needs to give its lock back.
      try store.sql("ANALYZE \"Note\"")
    }

    private func texts<T: PersistentModel>(_ container: ModelContainer, _ text: KeyPath<T, String>) throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<T>(sortBy: [])).map { $0[keyPath: text] }
    }

    private func expectTexts(_ found: [String]) {
      #expect(found.count == Self.texts.count)
      #expect(zip(found, Self.texts).allSatisfy { $0.unicodeScalars.elementsEqual($1.unicodeScalars) })
    }

    private func statisticsHold(_ text: String) throws -> Bool {
      try store.sql(
        "SELECT 1 FROM pg_stats WHERE schemaname = $1::text AND (strpos(most_common_vals::text, $2::text) > 0"
          + " OR strpos(histogram_bounds::text, $2::text) > 0)", [.text(store.namespace), .text(text)]
      ).count > 0
    }

    @Test("encrypts the values that it has in plain, and leaves none in its tables, their files and statistics")
    func encryptsExisting() throws {
      try fill()
      #expect(try store.holds("topsecret 7") && store.filesHold("topsecret 7", table: "Note"))
      #expect(try store.holds("topsecret of the history") && statisticsHold("topsecret"))
      expectTexts(try texts(try store.open([Encrypted.self], key: key), \Encrypted.text))
      #expect(try !store.holds("topsecret") && !store.filesHold("topsecret", table: "Note"))
      #expect(try !store.filesHold("topsecret", table: "_swiftdata_changes") && !statisticsHold("topsecret"))
      #expect(try store.sql("SELECT 1 FROM \"Note\" WHERE _given IS NOT NULL").count == 0)
      #expect(throws: SwiftDataError.encryptionKey) { try store.open([Encrypted.self], key: nil) }
      expectTexts(try texts(try store.open([Encrypted.self], key: key), \Encrypted.text))
    }

    /// The error of a program that opened the store before another one changed its encryption.
    private func expectChange(_ text: String, _ body: () throws -> Void) {
      let error = #expect(throws: SwiftDataError.newerSchema) { try body() }
      #expect(error?.entity == "Note" && error?.property == "text" && error?.message?.contains(text) == true)
    }

    @Test("refuses the saves of a program that opened it before, says why, and changes nothing")
    func olderProgram() throws {
      try fill()
      let old = ModelContext(try store.open(Plain.self))
      let note = try #require(
        try old.fetch(FetchDescriptor<Plain>(predicate: #Predicate { $0.name == "name 5" })).first)
      let new = try store.open([Encrypted.self], key: key)
      note.text = "plain text"
      expectChange("another program changed the store") { try old.save() }
      // 2,000 rows travel in a COPY, which has no types.
      for count in [1, 2_000] {
        let late = ModelContext(old.container)
        for _ in 0..<count { late.insert(Plain("late", "plain text")) }
        expectChange("and encrypts it; end this program") { try late.save() }
      }
      #expect(throws: SwiftDataError.unreadableValue) {
        _ = try ModelContext(old.container).fetch(FetchDescriptor<Plain>()).map(\.text)
      }
      expectTexts(try texts(new, \Encrypted.text))
      #expect(try !store.holds("plain text"))
    }

    @Test("refuses the saves of a program that encrypts what another one decrypted meanwhile")
    func olderEncryption() throws {
      try fill()
      let old = ModelContext(try store.open([Encrypted.self], key: key))
      let note = try #require(
        try old.fetch(FetchDescriptor<Encrypted>(predicate: #Predicate { $0.name == "name 5" })).first)
      let new = try store.open([Plain.self], key: key)
      note.text = "another text"
      expectChange("does not encrypt it any more") { try old.save() }
      expectTexts(try texts(new, \Plain.text))
    }

    @Test("says that another program has other models by now if a save lacks a column")
    func otherModels() throws {
      let old = ModelContext(try store.open(Plain.self))
      old.insert(Plain("a", "b"))
      try old.save()
      _ = try store.open(Grown.self)
      old.insert(Plain("c", "d"))
      let error = #expect(throws: SwiftDataError.newerSchema) { try old.save() }
      #expect(error?.message?.contains("to other models") == true && error?.underlyingError is PostgresError)
    }

    @Test("decrypts the values of an attribute that is not encrypted any more")
    func decrypts() throws {
      try fill()
      do { _ = try store.open([Encrypted.self], key: key) }
      #expect(throws: SwiftDataError.encryptionKey) { try store.open([Plain.self], key: nil) }
      expectTexts(try texts(try store.open([Plain.self], key: key), \Plain.text))
      #expect(try store.holds("topsecret 7"))
      // Without encrypted values it needs no key any more.
      let context = ModelContext(try store.open([Plain.self], key: nil))
      #expect(try context.fetchCount(FetchDescriptor<Plain>(predicate: #Predicate { $0.text == "topsecret 9" })) == 1)
      #expect(try context.search(Plain.self, matching: "topsecret").count > 0)
    }

    @Test("keeps values through a renamed attribute, and gives new ones their defaults, encrypted")
    func migration() throws {
      try fill()
      do { _ = try store.open([Encrypted.self], key: key) }
      let container = try store.open([Grown.self], key: key)
      expectTexts(try texts(container, \Grown.body))
      let notes = try ModelContext(container).fetch(FetchDescriptor<Grown>())
      #expect(notes.allSatisfy { $0.added == "secret default" && $0.maybe == nil })
      #expect(Set(notes.map(\.key)).count == notes.count)
      #expect(try !store.holds("topsecret") && !store.holds("secret default"))
      #expect(try store.sql("SELECT DISTINCT added FROM \"Note\"").count == notes.count)
    }

    @Test("keeps the values of a removed attribute encrypted, also through a change of keys")
    func removed() throws {
      try fill()
      do { _ = try store.open([Encrypted.self], key: key) }
      let new = Key.random()
      #expect(throws: SwiftDataError.encryptionKey) { try store.open([Versions.Reduced.Note.self], key: nil) }
      try store.open([Versions.Reduced.Note.self], key: new, former: [key]).reencrypt()
      expectTexts(try texts(try store.open([Encrypted.self], key: new), \Encrypted.text))
    }

    private func plan(_ key: Key?, _ schema: any VersionedSchema.Type) throws -> ModelContainer {
      var configuration = store.configuration
      configuration.encryptionKey = key
      return try ModelContainer(
        for: Schema(versionedSchema: schema), migrationPlan: Versions.Plan.self, configurations: [configuration])
    }

    @Test("runs the stages of a plan over encrypted rows, and over plain ones", arguments: [true, false])
    func stages(isEncrypted: Bool) throws {
      do {
        let context = ModelContext(try plan(isEncrypted ? key : nil, Versions.V1.self))
        for number in 0..<5 { context.insert(Versions.V1.NoteV1("name \(number)", "topsecret \(number)")) }
        try context.save()
      }
      let context = ModelContext(try plan(key, Versions.V2.self))
      let notes = try context.fetch(FetchDescriptor<Versions.V2.NoteV2>(sortBy: [SortDescriptor(\.name)]))
      #expect(notes.map(\.body) == (0..<5).map { "topsecret \($0) (willMigrate)" })
      #expect(notes.allSatisfy { $0.length == $0.body.count })
      #expect(try !store.holds("topsecret") && !store.holds("willMigrate"))
    }

    @Test("is refused while older programs may run, and stays as it is")
    func rolling() throws {
      try fill()
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try store.open([Encrypted.self]) {
          $0.encryptionKey = key
          $0.isRolling = true
        }
      }
      #expect(error?.property == "text" && error?.message?.contains("it becomes encrypted") == true)
      expectTexts(try texts(try store.open(Plain.self), \Plain.text))
    }

    @Test("encrypts the rows of partitions, and divides none by an encrypted attribute")
    func partitions() throws {
      func open(_ key: Key?) throws -> ModelContainer {
        try store.open([Encrypted.self]) {
          $0.encryptionKey = key
          $0.partitions = [.hashed(by: \Encrypted.name, count: 3)]
        }
      }
      do {
        let context = ModelContext(try open(nil))
        for number in 0..<50 { context.insert(Encrypted("name \(number)", "topsecret \(number)")) }
        try context.save()
      }
      let context = ModelContext(try open(key))
      #expect(try !store.holds("topsecret"))
      context.insert(Encrypted("name 50", "topsecret 50"))
      try context.save()
      #expect(try Set(texts(try open(key), \Encrypted.text)) == Set((0...50).map { "topsecret \($0)" }))
      #expect(try !store.holds("topsecret"))
      let other = TestStore()
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try other.open([Encrypted.self]) {
          $0.encryptionKey = key
          $0.partitions = [.hashed(by: \Encrypted.text, count: 3)]
        }
      }
      #expect(error?.property == "text")
    }

    @Test("is refused for rows on shards and for the attribute that divides rows", arguments: [true, false])
    func shards(isSharded: Bool) throws {
      func layout(_ coding: ColumnCoding?) -> StoreLayout {
        VersionLayout(Schema([Encrypted.self]), coding: coding).layout
      }
      var configuration = store.configuration
      configuration.encryptionKey = key
      let new = layout(configuration.columnCoding)
      let plan = LayoutPlan(from: layout(nil).record, to: new, isPlanned: false)
      let divided = PartitionedTable(
        table: "Note", column: isSharded ? "name" : "text", count: 2, servers: isSharded ? ["a"] : [])
      let change = LayoutChange(
        connection: try PostgresConnection(url: store.url, namespace: store.namespace), layout: new, store: "test",
        namespace: store.namespace, partitions: PartitionedTables([divided]),
        shards: configuration.shards, isFormer: false, isRolling: false, log: MigrationLog())
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        for table in plan.tables { try TableChange(change, plan, table).checkShards() }
      }
      #expect(error?.property == "text" && error?.message?.contains("encrypted from now on") == true)
    }

    @Test("is refused by a program that does not know encrypted columns")
    func formerProgram() throws {
      do { _ = try store.open([Encrypted.self], key: key) }
      try store.sql("UPDATE _swiftdata_metadata SET value = '4' WHERE key = 'format'")
      #expect(throws: SwiftDataError.newerSchema) { try store.open([Encrypted.self], key: key) }
    }
  }
#endif
