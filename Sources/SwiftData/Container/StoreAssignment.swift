import Foundation

/// Which configuration keeps which entity.
struct StoreAssignment {
  private var stores: [ObjectIdentifier: Int] = [:]

  /// - Throws: ``SwiftDataError/duplicateConfiguration`` and what the `validate()` of schema and configurations finds.
  init(schema: Schema, configurations: [any DataStoreConfiguration]) throws {
    try schema.validate()
    var names = Set<String>()
    var files = Set<URL>()
    for configuration in configurations {
      try configuration.validate()
      guard names.insert(configuration.name).inserted else {
        throw SwiftDataError(
          .duplicateConfiguration,
          message: "two configurations are named \"\(configuration.name)\"; give each its own name")
      }
      guard let configuration = configuration as? ModelConfiguration else { continue }
      let file = configuration.url.standardizedFileURL
      guard configuration.isStoredInMemoryOnly || files.insert(file).inserted else {
        throw SwiftDataError(
          .duplicateConfiguration,
          message: "two configurations use the file \(file.path); give each its own")
      }
    }
    let entities = schema.runtimeEntities
    for (index, configuration) in configurations.enumerated() {
      guard let named = configuration.schema else { continue }
      for entity in named.runtimeEntities {
        guard entities.contains(where: { $0 === entity }) else {
          throw SwiftDataError(
            .configurationSchemaNotFoundInContainerSchema, entity: entity.name,
            message: "the configuration \"\(configuration.name)\" names it, the container's schema does not")
        }
        if let other = stores.updateValue(index, forKey: ObjectIdentifier(entity)) {
          throw SwiftDataError(
            .loadIssueModelContainer, entity: entity.name,
            message: "the configurations \"\(configurations[other].name)\" and \"\(configuration.name)\" both keep the"
              + " model, by name or through a relationship; let one of them keep it")
        }
      }
      if configuration.syncsWithCloudKit { try CloudKitRules.check(named) }
    }
    let fallback = configurations.firstIndex { $0.schema == nil }
    if let fallback, configurations[fallback].syncsWithCloudKit {
      try CloudKitRules.check(schema)
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

  /// A relationship cannot lead from one store to another.
  private func checkRelationships(_ entities: [__Entity]) throws {
    for entity in entities {
      for property in entity.properties {
        guard let destination = property.destination?.__entity else { continue }
        if stores[ObjectIdentifier(destination)] != stores[ObjectIdentifier(entity)] {
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
  fileprivate var syncsWithCloudKit: Bool { (self as? ModelConfiguration)?.cloudKitContainerIdentifier != nil }
}
