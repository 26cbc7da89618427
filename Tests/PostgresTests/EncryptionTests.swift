#if Encryption || Sync
  import Foundation
  import SwiftData
  import SwiftDataInspection
  import Testing

  @testable import SwiftDataPostgres

  typealias Key = ModelConfiguration.EncryptionKey

  private enum Narrowed {
    @Model final class Person {
      @Attribute(.allowsCloudEncryption) var pin: UInt
      init(_ pin: UInt) { self.pin = pin }
    }
  }

  extension TestStore {
    func open(_ types: [any PersistentModel.Type], key: Key?, former: [Key] = []) throws -> ModelContainer {
      try open(types) {
        $0.encryptionKey = key
        $0.previousEncryptionKeys = former
      }
    }

    /// Whether a row of the namespace has a text: as text, or as the bytes of a cell.
    func holds(_ text: String) throws -> Bool {
      let tables = try sql(
        "SELECT tablename::text FROM pg_tables WHERE schemaname = $1::text", [.text(namespace)])
      return try (0..<tables.count).contains { row in
        let name = (tables.text(row, 0) ?? "").quotedIdentifier
        return try sql(
          "SELECT 1 FROM \(name) AS t WHERE strpos(t::text, $1::text) > 0"
            + " OR strpos(t::text, encode(convert_to($1::text, 'UTF8'), 'hex')) > 0"
            + " OR strpos(t::text, encode(convert_to($1::text, 'UTF8'), 'base64')) > 0 LIMIT 1", [.text(text)]
        ).count > 0
      }
    }

    /// Whether the files of a table and its index of large values have a text.
    func filesHold(_ text: String, table: String) throws -> Bool {
      try sql("CHECKPOINT")
      let found = try sql(
        "SELECT 1 FROM pg_class AS c CROSS JOIN LATERAL (VALUES (c.oid), (c.reltoastrelid)) AS f (file)"
          + " WHERE c.oid = \(table.quotedIdentifier.quotedLiteral)::regclass AND f.file <> 0"
          + " AND position(convert_to($1::text, 'UTF8') IN pg_read_binary_file(pg_relation_filepath(f.file))) > 0",
        [.text(text)])
      return found.count > 0
    }
  }

  @Suite(
    "Encrypted attributes in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
    .timeLimit(.minutes(20)))
  struct PostgresEncryptionTests {
    private static let types: [any PersistentModel.Type] = [Sealed.Person.self, Sealed.Pet.self]
    private static let secret = "a secret that only the program may read"
    private let store = TestStore()
    private let key = Key.random()

    private func open(_ key: Key?, former: [Key] = []) throws -> ModelContainer {
      try store.open(Self.types, key: key, former: former)
    }

    private func fill(_ container: ModelContainer, _ pins: Range<Int> = 0..<12) throws {
      let context = ModelContext(container)
      for pin in pins {
        let person = Sealed.Person("name \(pin)", diary: "\(Self.secret) \(pin)", pin: pin)
        context.insert(person)
        context.insert(Sealed.Pet(chip: "chip \(pin)", owner: person))
      }
      try context.save()
    }

    private func people(_ container: ModelContainer) throws -> [Sealed.Person] {
      try ModelContext(container).fetch(FetchDescriptor<Sealed.Person>(sortBy: [SortDescriptor(\.pin)]))
    }

    private func expectSealed() throws {
      for text in ["a secret that", "small photo", "chip 1", "calm", "city 1", "nick 1", "AAAAAAAAAAAA"] {
        #expect(try !store.holds(text), "\(text) is in a table")
      }
      #expect(try store.holds("name 3"))
    }

    @Test("are read as they were saved, and no table has them in plain")
    func roundTrip() throws {
      try fill(try open(key))
      let people = try people(try open(key))
      #expect(people.map(\.diary) == (0..<12).map { "\(Self.secret) \($0)" })
      for (pin, person) in people.enumerated() {
        #expect(person.nick == (pin % 2 == 0 ? nil : "nick \(pin)"))
        if pin == 5 {
          #expect(person.weight?.isNaN == true)
        } else {
          #expect(person.weight == (pin % 3 == 0 ? nil : Double(pin) / 7))
        }
        #expect(person.born == Date(timeIntervalSinceReferenceDate: Double(pin) * 1000))
        #expect(person.code.uuidString.hasSuffix("\(pin + 10)"))
        #expect(person.isShy == (pin % 2 == 0) && person.mood == (pin % 2 == 0 ? .calm : .wild))
        #expect(person.place == Sealed.Place(city: "city \(pin)", zip: pin))
        #expect(person.words == ["w\(pin)", person.diary] && person.bytes == Data(person.diary.utf8))
        #expect(person.pets.map(\.chip) == ["chip \(pin)"])
      }
      #expect(people[0].photo == Data(repeating: 0x41, count: 300_000))
      #expect(people[1].photo == Data("small photo 1".utf8))
      try expectSealed()
      let types = try store.sql(
        "SELECT DISTINCT pg_typeof(diary)::text, pg_typeof(pin)::text, pg_typeof(place)::text, pg_typeof(photo)::text"
          + " FROM \"Person\" WHERE _given IS NULL")
      #expect((0..<4).map { types.text(0, $0) } == Array(repeating: "bytea", count: 4))
      #expect(try store.sql("SELECT value FROM _swiftdata_metadata WHERE key = 'format'").text(0, 0) == "3")
    }

    @Test("have another cell for each value, also of a batch update and of a text that the server cannot hold")
    func cells() throws {
      let context = ModelContext(try open(key))
      let text = "same\0 e\u{301} \u{1}"
      let people = (0..<3).map { Sealed.Person("\($0)", diary: text, pin: $0) }
      context.insert(contentsOf: people)
      try context.save()
      #expect(try store.sql("SELECT DISTINCT diary FROM \"Person\"").count == 3)
      #expect(try store.sql("SELECT 1 FROM \"Person\" WHERE _given ? 'diary'").count == 0)
      try context.update(model: Sealed.Person.self, set: .assign(\.diary, "another text"))
      #expect(try store.sql("SELECT DISTINCT diary FROM \"Person\"").count == 3)
      #expect(try self.people(try open(key)).map(\.diary) == Array(repeating: "another text", count: 3))
      people[0].diary = text
      try context.save()
      let read = try #require(try self.people(try open(key)).first)
      #expect(read.diary.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test("are found, ordered, counted and changed as Swift does, and explain says where")
    func queries() throws {
      let container = try open(key)
      try fill(container)
      let all = try people(container)
      let context = ModelContext(container)
      let (high, city) = (5, "city 3")
      let predicates: [Predicate<Sealed.Person>] = [
        #Predicate { $0.pin > high }, #Predicate { $0.diary.contains("read 1") }, #Predicate { $0.nick == nil },
        #Predicate { $0.place.city == city }, #Predicate { $0.isShy && $0.words.contains("w4") },
        #Predicate { $0.name != "name 2" && $0.pin < high },
        #Predicate { person in person.pets.contains { $0.chip == "chip 7" } },
      ]
      for predicate in predicates {
        let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.pin)]))
        #expect(found.map(\.pin) == (try all.filter { try predicate.evaluate($0) }.map(\.pin)))
        #expect(!found.isEmpty)
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == found.count)
        #expect(
          try Set(context.fetchIdentifiers(FetchDescriptor(predicate: predicate)))
            == Set(found.map(\.persistentModelID)))
        let findings = try context.explain(FetchDescriptor(predicate: predicate)).findings
        #expect(findings.contains { $0.description.contains("cannot filter") })
      }
      let pets = try context.fetch(FetchDescriptor<Sealed.Pet>(predicate: #Predicate { $0.owner?.pin == 4 }))
      #expect(pets.map(\.chip) == ["chip 4"])
      let orders: [[SortDescriptor<Sealed.Person>]] = [
        [SortDescriptor(\.pin, order: .reverse)], [SortDescriptor(\.diary)],
        [SortDescriptor(\.nick), SortDescriptor(\.pin)],
        [SortDescriptor(\.born, order: .reverse)],
      ]
      for order in orders {
        var descriptor = FetchDescriptor<Sealed.Person>(sortBy: order)
        #expect(try context.explain(descriptor).findings.contains { $0.description.contains("cannot sort") })
        #expect(try context.fetch(descriptor).map(\.pin) == all.sorted(using: order).map(\.pin))
        descriptor.fetchLimit = 5
        let first = try context.fetch(descriptor)
        let next = try context.fetch(descriptor, after: first[4])
        #expect((first + next).map(\.pin) == all.sorted(using: order).prefix(10).map(\.pin))
      }
      try change(context)
    }

    private func change(_ context: ModelContext) throws {
      let wild = Sealed.Mood.wild
      let count = try context.update(
        model: Sealed.Person.self, where: #Predicate { $0.mood == wild }, set: .assign(\.diary, "updated secret"),
        .assign(\.pin, #Expression<Sealed.Person, Int> { $0.pin + 100 }))
      #expect(count == 6)
      let updated = try people(context.container).filter { $0.pin > 100 }.map(\.diary)
      #expect(updated == Array(repeating: "updated secret", count: 6))
      #expect(try !store.holds("updated secret"))
      try context.delete(model: Sealed.Person.self, where: #Predicate { $0.pin > 100 })
      try context.save()
      #expect(try people(context.container).count == 6)
    }

    @Test("of an object that a new one updates are replaced, and many rows are copied encrypted")
    func upsert() throws {
      try fill(try open(key), 0..<1_500)
      try expectSealed()
      let context = ModelContext(try open(key))
      let new = Sealed.Person("name 3", diary: "replaced", pin: 9_999)
      new.nick = "nick 3"
      context.insert(new)
      try context.save()
      let people = try people(try open(key))
      #expect(people.count == 1_500 && people.last?.diary == "replaced" && people.last?.name == "name 3")
      #expect(people.dropLast().allSatisfy { $0.diary == "\(Self.secret) \($0.pin)" })
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test("of a subclass are encrypted in the table of its root")
    func hierarchies() throws {
      let types: [any PersistentModel.Type] = [Sealed.Base.self, Sealed.Derived.self]
      let context = ModelContext(try store.open(types, key: key))
      for number in 0..<4 { context.insert(number % 2 == 0 ? Sealed.Base(number) : Sealed.Derived(derived: number)) }
      try context.save()
      #expect(try !store.holds("secret of") && !store.holds("more of"))
      let read = ModelContext(try store.open(types, key: key))
      let all = try read.fetch(FetchDescriptor<Sealed.Base>(sortBy: [SortDescriptor(\.number)]))
      #expect(all.map(\.secret) == (0..<4).map { "secret of a base \($0)" })
      #expect(all.compactMap { ($0 as? Sealed.Derived)?.more } == ["more of 1", "more of 3"])
    }

    @Test("need their key: without it, or with another, the store is not opened, names the key, and is as it was")
    func wrongKey() throws {
      try fill(try open(key))
      let other = Key.random()
      for wrong in [nil, other] {
        let error = #expect(throws: SwiftDataError.encryptionKey) { try open(wrong) }
        #expect(error.map { "\($0)".contains(key.identifier) } == true)
        #expect(error.map { "\($0)".contains(other.identifier) } == false)
      }
      #expect(throws: SwiftDataError.encryptionKey) { try store.open([Sealed.Unique.self], key: nil) }
      #expect(try people(try open(key)).count == 12)
    }

    @Test("in plain are refused by the server, and cannot be read without its check; the error names the attribute")
    func forgery() throws {
      try fill(try open(key), 0..<3)
      let forging = "UPDATE \"Person\" SET bytes = convert_to('forged', 'UTF8') WHERE name = 'name 1'"
      let refusal = #expect(throws: PostgresError.self) { try store.sql(forging) }
      #expect(refusal?.constraint == "Person_bytes_check")
      // A person who owns the table can remove the check.
      try store.sql("ALTER TABLE \"Person\" DROP CONSTRAINT \"Person_bytes_check\"")
      try store.sql(forging)
      let context = ModelContext(try open(key))
      let error = #expect(throws: SwiftDataError.unreadableValue) {
        try context.fetch(FetchDescriptor<Sealed.Person>())
      }
      #expect(error?.entity == "Person" && error?.property == "bytes")
    }

    @Test("that were changed or moved to another column cannot be read, and the error names the attribute")
    func tampering() throws {
      try fill(try open(key), 0..<3)
      try store.sql("UPDATE \"Person\" SET diary = nick WHERE name = 'name 1'")
      let context = ModelContext(try open(key))
      let error = #expect(throws: SwiftDataError.unreadableValue) {
        try context.fetch(FetchDescriptor<Sealed.Person>())
      }
      #expect(error?.entity == "Person" && error?.property == "diary")
      let others = #Predicate<Sealed.Person> { $0.name != "name 1" }
      #expect(try context.fetch(FetchDescriptor(predicate: others)).count == 2)
    }

    @Test("are read with both keys after a change of keys, and with the new one alone after reencrypt()")
    func rotation() throws {
      try fill(try open(key), 0..<3)
      let new = Key.random()
      do {
        let container = try open(new, former: [key])
        try fill(container, 50..<51)
        #expect(try people(container).map(\.pin) == [0, 1, 2, 50])
      }
      #expect(throws: SwiftDataError.encryptionKey) { try open(new) }
      #expect(throws: SwiftDataError.encryptionKey) { try open(key) }
      let running = try open(key, former: [new])
      try open(new, former: [key]).reencrypt()
      let people = try people(try open(new))
      #expect(people.map(\.pin) == [0, 1, 2, 50] && people[0].photo?.count == 300_000)
      #expect(people.map(\.diary) == [0, 1, 2, 50].map { "\(Self.secret) \($0)" })
      #expect(throws: SwiftDataError.encryptionKey) { try open(key) }
      #expect(try self.people(running).count == 4)
      try expectNoFormerKey()
    }

    private func expectNoFormerKey() throws {
      let cells = try store.sql(
        "SELECT 1 FROM \"Person\" WHERE position($1::bytea IN diary) > 0",
        [
          PostgresParameter(.blob(Data(key.identifier.utf8)))
        ])
      #expect(cells.count == 0)
    }

    @Test(
      "that would be readable all the same are refused, naming the attribute",
      arguments: [Sealed.Unique.self, Sealed.Indexed.self, Sealed.Searchable.self, Sealed.Remembered.self]
        as [any PersistentModel.Type])
    func refused(_ type: any PersistentModel.Type) throws {
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try store.open([type], key: key) }
      #expect(error?.property == "secret")
      var configuration = store.configuration
      (configuration.schema, configuration.encryptionKey) = (Schema([type]), key)
      #expect(throws: SwiftDataError.loadIssueModelContainer) { try PostgresStore(configuration) }
      #expect(throws: Never.self) { try store.open([type], key: nil) }
    }

    @Test("get another type in other models, and a forecast without the key leaves it to the opening whether they fit")
    func forecast() throws {
      do { try fill(try open(key), 0..<3) }
      let other = TestStore()
      do { _ = try other.open([Narrowed.Person.self], key: key) }
      let forecast = try InspectedStore(PostgresServer.url, namespace: store.namespace)
        .forecast(models: InspectedStore(PostgresServer.url, namespace: other.namespace))
      let change = try #require(forecast.changes.first { $0.entity == "Person" && $0.property == "pin" })
      #expect(change.outcome == .unclear && change.text.contains("the values are encrypted"), "\(change)")
    }

    @Test("stay in plain without a key, and no description shows a key")
    func plain() throws {
      try fill(try open(nil), 0..<4)
      #expect(try store.holds("a secret that"))
      #expect(try store.sql("SELECT value FROM _swiftdata_metadata WHERE key = 'format'").text(0, 0) == "2")
      var configuration = store.configuration
      configuration.encryptionKey = try Key(Data((0..<32).map { UInt8($0 + 65) }))
      var dumped = ""
      dump(configuration, to: &dumped)
      for text in ["\(configuration)", String(reflecting: configuration), dumped] {
        #expect(!text.contains("ABCDEFGH") && !text.contains("65, 66") && !text.contains("4142434445"))
      }
    }
  }
#endif
