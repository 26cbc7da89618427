import Foundation
import SwiftData
import Testing

/// A store whose snapshots are of a type of its own.
private enum OwnSnapshot {
  @Model final class Gadget {
    var name: String
    var weight: Double?
    var parts: [Part] = []
    init(_ name: String, weight: Double? = nil) {
      self.name = name
      self.weight = weight
    }
  }

  @Model final class Part {
    var number: Int
    @Relationship(inverse: \Gadget.parts) var gadget: Gadget?
    init(_ number: Int) { self.number = number }
  }

  /// Keeps what it encodes as text, apart from the models.
  struct Record: DataStoreSnapshot {
    typealias Key = DataStoreSnapshotCodingKey

    var persistentIdentifier: PersistentIdentifier
    var name: String?
    var weight: Double?
    var number: Int?
    var parts: [PersistentIdentifier] = []
    var gadget: PersistentIdentifier?

    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
      persistentIdentifier = backingData.persistentModelID!
      if let data = backingData as? any BackingData<Gadget> {
        name = data.getValue(forKey: \.name)
        weight = data.getValue(forKey: \.weight)
        parts = data.getValue(forKey: \.parts).map(\.persistentModelID)
      } else if let data = backingData as? any BackingData<Part> {
        number = data.getValue(forKey: \.number)
        gadget = data.getValue(forKey: \.gadget)?.persistentModelID
      }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      persistentIdentifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
      name = try container.decodeIfPresent(String.self, forKey: .modeledProperty("name"))
      weight = try container.decodeIfPresent(Double.self, forKey: .modeledProperty("weight"))
      number = try container.decodeIfPresent(Int.self, forKey: .modeledProperty("number"))
      parts = try container.decodeIfPresent([PersistentIdentifier].self, forKey: .modeledProperty("parts")) ?? []
      gadget = try container.decodeIfPresent(PersistentIdentifier.self, forKey: .modeledProperty("gadget"))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
      if persistentIdentifier.entityName == "Gadget" {
        try container.encode(name, forKey: .modeledProperty("name"))
        try container.encode(weight, forKey: .modeledProperty("weight"))
        try container.encode(parts, forKey: .modeledProperty("parts"))
      } else {
        try container.encode(number, forKey: .modeledProperty("number"))
        try container.encode(gadget, forKey: .modeledProperty("gadget"))
      }
    }

    func copy(
      persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Record {
      var copy = self
      copy.persistentIdentifier = persistentIdentifier
      copy.parts = parts.map { remappedIdentifiers?[$0] ?? $0 }
      copy.gadget = gadget.map { remappedIdentifiers?[$0] ?? $0 }
      return copy
    }
  }

  final class Store: DataStore {
    typealias Snapshot = Record
    let configuration: Configuration
    let identifier = "own"
    var schema: Schema { configuration.schema ?? Schema() }
    private var records: [PersistentIdentifier: Data] = [:]
    private var order: [PersistentIdentifier] = []

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
      self.configuration = configuration
    }

    func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Record> {
      if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
      if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
      let all = try order.compactMap { records[$0] }.map { try JSONDecoder().decode(Record.self, from: $0) }
      return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: all)
    }

    func save(_ request: DataStoreSaveChangesRequest<Record>) throws -> DataStoreSaveChangesResult<Record> {
      var permanent = [PersistentIdentifier: PersistentIdentifier]()
      for record in request.inserted {
        permanent[record.persistentIdentifier] = try .identifier(
          for: identifier, entityName: record.persistentIdentifier.entityName, primaryKey: order.count + permanent.count
        )
      }
      for record in request.inserted + request.updated {
        let identifier = permanent[record.persistentIdentifier] ?? record.persistentIdentifier
        if records[identifier] == nil { order.append(identifier) }
        records[identifier] = try JSONEncoder().encode(
          record.copy(persistentIdentifier: identifier, remappedIdentifiers: permanent))
      }
      for record in request.deleted { records[record.persistentIdentifier] = nil }
      return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
    }
  }

  struct Configuration: DataStoreConfiguration {
    typealias Store = OwnSnapshot.Store
    var name = "own"
    var schema: Schema?
  }
}

@Suite("Snapshots") struct OwnSnapshotTests {
  private typealias Gadget = OwnSnapshot.Gadget
  private typealias Part = OwnSnapshot.Part

  @Test("A store may have snapshots of a type of its own")
  func ownType() throws {
    let container = try ModelContainer(for: Schema([Gadget.self]), configurations: OwnSnapshot.Configuration())
    let context = ModelContext(container)
    let gadget = Gadget("g", weight: 1.5)
    gadget.parts = [Part(2), Part(1)]
    context.insert(gadget)
    try context.save()
    let reader = ModelContext(container)
    let found = try reader.fetch(FetchDescriptor<Gadget>(predicate: #Predicate { $0.weight == 1.5 }))[0]
    #expect(found.parts.map(\.number) == [2, 1])
    found.weight = nil
    reader.delete(found.parts[0])
    try reader.save()
    let again = try ModelContext(container).fetch(FetchDescriptor<Gadget>())[0]
    #expect(again.name == "g" && again.weight == nil)
    #expect(again.parts.map { $0.gadget === again } == [true])
    context.state.takeInSaves()
    #expect(gadget.weight == nil && gadget.parts.map(\.number) == [1])
  }

  @Test("A default snapshot encodes properties by name, remaps relationships, and fills what is missing")
  func defaultSnapshot() throws {
    let context = ModelContext(
      try ModelContainer(for: Gadget.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let gadget = Gadget("g")
    gadget.parts = [Part(7)]
    context.insert(gadget)
    try context.save()
    var related = [PersistentIdentifier: any BackingData]()
    let snapshot = DefaultSnapshot(from: gadget.persistentBackingData, relatedBackingDatas: &related)
    #expect(Set(related.keys) == [gadget.parts[0].persistentModelID])
    let store = try #require(gadget.persistentModelID.storeIdentifier)
    let other = try PersistentIdentifier.identifier(for: store, entityName: "Part", primaryKey: "x")
    let copy = snapshot.copy(
      persistentIdentifier: gadget.persistentModelID,
      remappedIdentifiers: [gadget.parts[0].persistentModelID: other])
    let json = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(copy)) as? [String: Any])
    #expect(json["name"] as? String == "g")
    #expect(json["weight"] == nil)
    #expect((json["parts"] as? [[String: Any]])?.first?["customKey"] as? String == "\"x\"")
  }

  @Test("A snapshot of a model that no container knows says so when it is decoded")
  func unknownModel() {
    let json = #"{"persistentIdentifier": {"entityName": "Nowhere", "storeIdentifier": "s", "key": 1}}"#
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DefaultSnapshot.self, from: Data(json.utf8))
    }
    #expect(error.map { "\($0)".contains("Nowhere") } == true)
  }

  @Test("Property keys are their names, also for a property that is called as the identifier is")
  func keys() {
    for key in [
      DataStoreSnapshotCodingKey.persistentIdentifier, .modeledProperty("persistentIdentifier"), .modeledProperty("a"),
    ] {
      #expect(DataStoreSnapshotCodingKey(stringValue: key.stringValue) == key)
    }
    #expect(DataStoreSnapshotCodingKey.modeledProperty("title").stringValue == "title")
  }
}
