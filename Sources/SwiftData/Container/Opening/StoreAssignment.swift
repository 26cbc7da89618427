import Foundation

/// The assignment of entities to configurations.
struct StoreAssignment {
  /// The store that objects of the entity are inserted into.
  private var stores: [ObjectIdentifier: Int] = [:]
  /// The read-only stores that have more objects of it.
  private var packs: [ObjectIdentifier: [Int]] = [:]

  /// - Throws: ``SwiftDataError/duplicateConfiguration``, and errors of the `validate()` of schema and configurations.
  init(schema: Schema, configurations: [any DataStoreConfiguration]) throws {
    try schema.validate()
    var names = Set<String>()
    var files = Set<String>()
    for configuration in configurations {
      try configuration.validate()
      guard !configuration.needsNoName else { continue }
      guard names.insert(configuration.name).inserted else {
        throw SwiftDataError(
          .duplicateConfiguration,
          message: "two configurations are named \"\(configuration.name)\"; give each its own name")
      }
      guard let configuration = configuration as? ModelConfiguration else { continue }
      let file = configuration.url.standardizedFileURL.path
      guard configuration.isStoredInMemoryOnly || files.insert(file).inserted else {
        throw SwiftDataError(
          .duplicateConfiguration,
          message: "two configurations use the file \(file); give each its own")
      }
    }
    let entities = schema.runtimeEntities
    let known = Set(entities.map { ObjectIdentifier($0) })
    for (index, configuration) in configurations.enumerated() {
      guard let named = configuration.schema else { continue }
      for entity in named.runtimeEntities {
        guard known.contains(ObjectIdentifier(entity)) else {
          throw SwiftDataError(
            .configurationSchemaNotFoundInContainerSchema, entity: entity.name,
            message: "the configuration \"\(configuration.name)\" names it, the container's schema does not")
        }
        try assign(entity, to: index, configurations)
      }
      try configuration.checkSyncRules(named)
    }
    let fallback = configurations.firstIndex { $0.schema == nil }
    if let fallback { try configurations[fallback].checkSyncRules(schema) }
    // Packs that name no models have all that the first configuration of this kind keeps.
    let unnamed = configurations.indices.filter { configurations[$0].schema == nil }
    let writers = unnamed.filter { !configurations[$0].isPack }
    guard writers.count < 2 else {
      let names = writers.map { "\"\(configurations[$0].name)\"" }.joined(separator: " and ")
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the configurations \(names) name no models, so that each of them would keep all; name the models in"
          + " the schema of each, or make all but one a ModelConfiguration with allowsSave: false, from which the"
          + " container reads and never saves")
    }
    let written = writers.first
    let keepers = unnamed.filter { $0 == written || configurations[$0].isPack }
    if keepers.count > 1 {
      for entity in entities where stores[ObjectIdentifier(entity)] == nil {
        for index in keepers { try assign(entity, to: index, configurations) }
      }
    }
    for entity in entities where stores[ObjectIdentifier(entity)] == nil {
      guard let store = fallback ?? (configurations.count == 1 ? 0 : nil) else {
        throw SwiftDataError(
          .loadIssueModelContainer, entity: entity.name,
          message: "no configuration keeps the model; name it in the schema of one of them")
      }
      stores[ObjectIdentifier(entity)] = store
    }
    try checkRelationships(entities)
  }

  func store(of entity: __Entity) -> Int { stores[ObjectIdentifier(entity)]! }

  /// Whether some entity has read-only stores in addition to its own.
  var hasPacks: Bool { !packs.isEmpty }

  /// The read-only stores that also have objects of the entity.
  func packs(of entity: __Entity) -> [Int] { packs[ObjectIdentifier(entity)] ?? [] }

  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` where two configurations keep the entity and both are written to,
  ///   or where one of them is not a file of SQLite.
  private mutating func assign(
    _ entity: __Entity, to index: Int, _ configurations: [any DataStoreConfiguration]
  ) throws {
    let name = ObjectIdentifier(entity)
    guard let other = stores[name] else {
      stores[name] = index
      return
    }
    let (first, second) = (configurations[other], configurations[index])
    guard let known = first as? ModelConfiguration, let next = second as? ModelConfiguration,
      known.isPack || next.isPack
    else {
      throw SwiftDataError(
        .loadIssueModelContainer, entity: entity.name,
        message: "the configurations \"\(first.name)\" and \"\(second.name)\" both keep the model, by name or through a"
          + " relationship; let one of them keep it, or make one a ModelConfiguration with allowsSave: false, from which"
          + " the container reads and never saves")
    }
    for configuration in [known, next] where configuration.encryptionKey != nil {
      throw SwiftDataError(
        .loadIssueModelContainer, entity: entity.name,
        message: "the configurations \"\(known.name)\" and \"\(next.name)\" both keep the model, and"
          + " \"\(configuration.name)\" is encrypted; take the key away, or keep the model in one configuration")
    }
    // Objects are inserted where saving is allowed.
    let isKnownPack = known.isPack && !next.isPack
    stores[name] = isKnownPack ? index : other
    packs[name, default: []].append(isKnownPack ? other : index)
  }

  /// Checks that no relationship leads from one store to another.
  private func checkRelationships(_ entities: [__Entity]) throws {
    for entity in entities {
      for property in entity.properties {
        guard let destination = property.destination?.__entity else { continue }
        let (own, others) = (ObjectIdentifier(entity), ObjectIdentifier(destination))
        if stores[others] != stores[own] || Set(packs[others] ?? []) != Set(packs[own] ?? []) {
          throw SwiftDataError(
            .loadIssueModelContainer, entity: entity.name, property: property.name,
            message: "the relationship leads to \(destination.name), which another configuration keeps; keep both in"
              + " one store")
        }
      }
    }
  }
}

extension DataStoreConfiguration {
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` where the models cannot be synced as the configuration says.
  fileprivate func checkSyncRules(_ schema: Schema) throws {
    try (self as? ModelConfiguration)?.validate(models: schema)
  }

  /// Whether its models tell it apart from others: a store in memory without a name of its own, as
  /// `ModelConfiguration(for: Draft.self, isStoredInMemoryOnly: true)` makes it in addition to the default store.
  fileprivate var needsNoName: Bool {
    guard let configuration = self as? ModelConfiguration else { return false }
    return configuration.isStoredInMemoryOnly && configuration.name == ModelConfiguration.defaultName
      && configuration.schema != nil
  }

  /// Whether it is a file that is only read.
  fileprivate var isPack: Bool {
    (self as? ModelConfiguration)?.isFileOnlyRead ?? false
  }
}
