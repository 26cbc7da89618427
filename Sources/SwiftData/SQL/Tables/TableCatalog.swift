/// The tables of a container's models.
package struct TableCatalog: Sendable {
  private let byEntity: [ObjectIdentifier: EntityTable]
  private let byName: [String: EntityTable]
  /// The number of class hierarchies. `EntityTable.root` is an index into them.
  package let rootCount: Int

  init(_ tables: [EntityTable]) {
    byEntity = Dictionary(uniqueKeysWithValues: tables.map { (ObjectIdentifier($0.entity), $0) })
    byName = Dictionary(tables.map { ($0.entity.name, $0) }, uniquingKeysWith: { first, _ in first })
    rootCount = Set(tables.map(\.root)).count
  }

  /// The table of an entity.
  /// - Throws: ``SwiftDataError/unknownSchema`` if the container does not have the model.
  package func table(for entity: __Entity) throws -> EntityTable {
    guard let table = byEntity[ObjectIdentifier(entity)] else {
      throw SwiftDataError(
        .unknownSchema, entity: entity.name,
        message: "the model is not in the container's schema; name it in ModelContainer(for:)")
    }
    return table
  }

  package func table(named name: String) -> EntityTable? { byName[name] }

  var all: [EntityTable] { Array(byEntity.values) }
}
