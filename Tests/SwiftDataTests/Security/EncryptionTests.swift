#if Encryption || Sync
  import Foundation
  import SwiftData
  import Testing

  /// Attributes that are encrypted in the store's file.
  @Suite struct EncryptionTests {
    private let store: TemporaryStore
    private let key = ModelConfiguration.EncryptionKey.random()
    private static let secret = "a secret that nobody else may read"

    init() throws { store = try TemporaryStore() }

    private func container(_ key: ModelConfiguration.EncryptionKey?, former: [ModelConfiguration.EncryptionKey] = [])
      throws -> ModelContainer
    {
      try store.container(Secrets.Person.self) {
        $0.encryptionKey = key
        $0.previousEncryptionKeys = former
      }
    }

    private func fill(_ container: ModelContainer, _ count: Int = 12) throws {
      let context = ModelContext(container)
      for pin in 0..<count {
        let person = Secrets.Person("name \(pin)", diary: "\(Self.secret) \(pin)", pin: pin)
        person.photo = pin == 0 ? Data(repeating: 0x41, count: 300_000) : Data("small photo \(pin)".utf8)
        context.insert(person)
        context.insert(Secrets.Pet(chip: "chip \(pin)", owner: person))
      }
      try context.save()
    }

    private func people(_ container: ModelContainer) throws -> [Secrets.Person] {
      try ModelContext(container).fetch(FetchDescriptor<Secrets.Person>(sortBy: [SortDescriptor(\.pin)]))
    }

    private func files(contain text: String) throws -> Bool {
      try store.contents().contains { $0.bytes.range(of: Data(text.utf8)) != nil }
    }

    @Test("What was saved is read again, and no file of the store has it in the open")
    func roundTrip() throws {
      do {
        let container = try container(key)
        try fill(container)
        #expect(try !files(contain: "secret"))
      }
      let people = try people(try container(key))
      #expect(people.map(\.diary) == (0..<12).map { "\(Self.secret) \($0)" })
      for (pin, person) in people.enumerated() {
        #expect(person.nick == (pin % 2 == 0 ? nil : "nick \(pin)"))
        #expect(person.weight == (pin % 3 == 0 ? nil : Double(pin) / 7))
        #expect(person.born == Date(timeIntervalSinceReferenceDate: Double(pin) * 1000))
        #expect(person.isShy == (pin % 2 == 0) && person.mood == (pin % 2 == 0 ? .calm : .wild))
        #expect(person.place == Secrets.Place(city: "city \(pin)", zip: pin))
        #expect(person.words == ["w\(pin)", person.diary] && person.bytes == Data(person.diary.utf8))
        #expect(person.pets.map(\.chip) == ["chip \(pin)"])
      }
      #expect(people[0].photo == Data(repeating: 0x41, count: 300_000))
      for text in ["secret", "small photo", "chip 1", "calm", "city 1", "nick 1", "AAAAAAAAAAAA"] {
        #expect(try !files(contain: text), "\(text) is in a file")
      }
      #expect(try files(contain: "name 3"))
      #expect(
        try store.shell("SELECT typeof(diary), typeof(pin), typeof(photo) FROM Person LIMIT 1") == "blob|blob|blob")
    }

    @Test("Equal values have different cells, and a change writes another one")
    func nonces() throws {
      let container = try container(key)
      let context = ModelContext(container)
      let (one, two) = (Secrets.Person("1", diary: "same"), Secrets.Person("2", diary: "same"))
      context.insert(contentsOf: [one, two])
      try context.save()
      let before = try store.shell("SELECT hex(diary) FROM Person").components(separatedBy: "\n")
      #expect(Set(before).count == 2)
      one.diary = "other"
      try context.save()
      one.diary = "same"
      try context.save()
      #expect(Set(try store.shell("SELECT hex(diary) FROM Person").components(separatedBy: "\n") + before).count == 3)
    }

    @Test("Predicates, orders, sums, projections and batch updates see the values, as Swift does")
    func queries() throws {
      let container = try container(key)
      try fill(container)
      let all = try people(container)
      let context = ModelContext(container)
      let high = 5
      let city = "city 3"
      let predicates: [Predicate<Secrets.Person>] = [
        #Predicate { $0.pin > high }, #Predicate { $0.diary.contains("secret 1") }, #Predicate { $0.nick == nil },
        #Predicate { $0.place.city == city }, #Predicate { $0.isShy && $0.words.contains("w4") },
        #Predicate { person in person.pets.contains { $0.chip == "chip 7" } },
      ]
      for predicate in predicates {
        let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.pin)]))
        #expect(found.map(\.pin) == (try all.filter { try predicate.evaluate($0) }.map(\.pin)))
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == found.count)
      }
      let pets = try context.fetch(FetchDescriptor<Secrets.Pet>(predicate: #Predicate { $0.owner?.pin == 4 }))
      #expect(pets.map(\.chip) == ["chip 4"])
      let reversed = try context.fetch(
        FetchDescriptor<Secrets.Person>(sortBy: [SortDescriptor(\.pin, order: .reverse)]))
      #expect(reversed.map(\.pin) == (0..<12).reversed())
      let wild = Secrets.Mood.wild
      let count = try context.update(
        model: Secrets.Person.self, where: #Predicate { $0.mood == wild }, set: .assign(\.diary, "updated secret"),
        .assign(\.pin, #Expression<Secrets.Person, Int> { $0.pin + 100 }))
      #expect(count == 6)
      let updated = try people(container).filter { $0.pin > 100 }.map(\.diary)
      #expect(updated == Array(repeating: "updated secret", count: 6))
      #expect(try !files(contain: "updated secret"))
      try context.delete(model: Secrets.Person.self, where: #Predicate { $0.pin > 100 })
      try context.save()
      #expect(try people(container).count == 6)
    }

    @Test("A page behind a model works in the order of an encrypted attribute, and explain knows the statement")
    func pages() throws {
      let container = try container(key)
      try fill(container)
      let context = ModelContext(container)
      var descriptor = FetchDescriptor<Secrets.Person>(sortBy: [SortDescriptor(\.pin)])
      descriptor.fetchLimit = 5
      let first = try context.fetch(descriptor)
      let next = try context.fetch(descriptor, after: first[4])
      #expect(next.map(\.pin) == Array(5..<10))
      let pin = 4
      #expect(throws: Never.self) {
        _ = try context.explain(FetchDescriptor<Secrets.Person>(predicate: #Predicate { $0.pin > pin }))
      }
    }

    @Test("Without the key, or with another, the store is not opened, says which key it needs and is as it was")
    func wrongKey() throws {
      try fill(try container(key))
      let other = ModelConfiguration.EncryptionKey.random()
      for wrong in [nil, other] {
        let error = #expect(throws: SwiftDataError.encryptionKey) { try container(wrong) }
        #expect(error.map { "\($0)".contains(key.identifier) } == true)
        #expect(error.map { "\($0)".contains(other.identifier) } == false)
      }
      #expect(try people(try container(key)).count == 12)
    }

    @Test("A cell that was changed, or moved to another column, cannot be read; the others can")
    func tampering() throws {
      try fill(try container(key), 3)
      _ = try store.shell("UPDATE Person SET diary = nick WHERE name = 'name 1'")
      let container = try container(key)
      let context = ModelContext(container)
      #expect(throws: SwiftDataError.unreadableValue) { try context.fetch(FetchDescriptor<Secrets.Person>()) }
      let others = #Predicate<Secrets.Person> { $0.name != "name 1" }
      #expect(try context.fetch(FetchDescriptor(predicate: others)).count == 2)
    }

    @Test("After a change of keys both read, and reencrypt() makes the old one unnecessary")
    func rotation() throws {
      try fill(try container(key), 3)
      let new = ModelConfiguration.EncryptionKey.random()
      do {
        let container = try container(new, former: [key])
        let context = ModelContext(container)
        context.insert(Secrets.Person("new", diary: "with the new key", pin: 50))
        try context.save()
        #expect(try people(container).map(\.pin) == [0, 1, 2, 50])
      }
      #expect(throws: SwiftDataError.encryptionKey) { try container(new) }
      #expect(throws: SwiftDataError.encryptionKey) { try container(key) }
      try container(new, former: [key]).reencrypt()
      let people = try people(try container(new))
      #expect(people.map(\.pin) == [0, 1, 2, 50] && people[0].photo?.count == 300_000)
      #expect(throws: SwiftDataError.encryptionKey) { try container(key) }
    }

    @Test("A store that was in the open is encrypted when it is opened with a key, and nothing of it is left behind")
    func encryptExisting() throws {
      try fill(try container(nil))
      #expect(try files(contain: "secret") && files(contain: "AAAAAAAAAAAA"))
      do { #expect(try people(try container(key)).map(\.diary) == (0..<12).map { "\(Self.secret) \($0)" }) }
      for text in ["secret", "small photo", "chip 1", "calm", "city 1", "nick 1", "AAAAAAAAAAAA"] {
        #expect(try !files(contain: text), "\(text) is in a file")
      }
      #expect(try people(try container(key))[0].photo?.count == 300_000)
    }

    @Test("Attributes are renamed, made optional, encrypted and decrypted by a migration")
    func migration() throws {
      try fill(try container(key), 4)
      let later = try store.container(LaterSecrets.Person.self) { $0.encryptionKey = key }
      let people = try ModelContext(later).fetch(FetchDescriptor<LaterSecrets.Person>(sortBy: [SortDescriptor(\.name)]))
      #expect(people.map(\.journal) == (0..<4).map { "\(Self.secret) \($0)" })
      #expect(people.map(\.pin) == [0, 1, 2, 3])
      let weights: [Double?] = [nil, 1.0 / 7, 2.0 / 7, nil]
      #expect(people.map(\.weight) == weights)
      #expect(people.map(\.rank) == [7, 7, 7, 7])
      #expect(try !files(contain: "secret"))
      #expect(try store.shell("SELECT DISTINCT typeof(journal), typeof(pin) FROM Person") == "blob|blob")
      #expect(try store.shell("SELECT typeof(weight) FROM Person WHERE weight IS NOT NULL LIMIT 1") == "real")
    }

    @Test(
      "What would be readable all the same is refused, naming the attribute",
      arguments: [Secrets.Unique.self, Secrets.Indexed.self, Secrets.Searchable.self, Secrets.Remembered.self]
        as [any PersistentModel.Type])
    func refused(_ type: any PersistentModel.Type) throws {
      let schema = Schema([type])
      var configuration = ModelConfiguration(schema: schema, url: store.url)
      configuration.encryptionKey = key
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try ModelContainer(for: schema, configurations: configuration)
      }
      #expect(error?.property == "secret")
      configuration.encryptionKey = nil
      #expect(throws: Never.self) { try ModelContainer(for: schema, configurations: configuration) }
    }

    @Test("Neither errors nor descriptions show a key or a secret value")
    func nothingShown() throws {
      let bytes = Data((0..<32).map { UInt8($0 + 65) })
      let key = try ModelConfiguration.EncryptionKey(bytes)
      var configuration = ModelConfiguration(url: store.url)
      configuration.encryptionKey = key
      var dumped = ""
      dump(configuration, to: &dumped)
      for text in ["\(key)", String(reflecting: key), "\(configuration)", String(reflecting: configuration), dumped] {
        #expect(!text.contains("ABCDEFGH") && !text.contains("65, 66") && !text.contains("4142434445"))
      }
      #expect(key.withBytes { $0 } == bytes)
      #expect(throws: SwiftDataError.encryptionKey) { try ModelConfiguration.EncryptionKey(Data("short".utf8)) }
      // A value that does not fit its type, in the open.
      try fill(try container(nil), 1)
      _ = try store.shell("UPDATE Person SET mood = 'topsecretmood', place = '{\"topsecret\":1}', pin = 'topsecret'")
      let context = ModelContext(try container(nil))
      let error = #expect(throws: SwiftDataError.unreadableValue) {
        try context.fetch(FetchDescriptor<Secrets.Person>())
      }
      #expect(error.map { "\($0) \(String(reflecting: $0))".contains("topsecret") } == false)
    }
  }
#endif
