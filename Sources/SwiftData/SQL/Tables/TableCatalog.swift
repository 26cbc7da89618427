/// The tables of a container's models.
package struct TableCatalog: Sendable {
  private let byEntity: [ObjectIdentifier: EntityTable]
  private let byName: [String: EntityTable]
  /// The number of class hierarchies. `EntityTable.root` is an index into them.
  package let rootCount: Int
  private let deleteSteps = DeleteSteps()

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

  /// The effects of the deletion of an object of a class on related objects.
  /// - Complexity: O(1) after the first call for the class.
  func deleteSteps(of table: EntityTable) -> [DeleteStep] {
    deleteSteps.byEntity.withLock { known in
      if let steps = known[ObjectIdentifier(table.entity)] { return steps }
      let others = byEntity.values.filter { $0.store == table.store }.map(\.entity).sorted { $0.name < $1.name }
      let steps = DeleteStep.steps(of: table.entity, among: others)
      known[ObjectIdentifier(table.entity)] = steps
      return steps
    }
  }

  /// The steps of the classes that objects were deleted of. A container that opens does not resolve its relationships.
  private final class DeleteSteps: Sendable {
    let byEntity = Lock<[ObjectIdentifier: [DeleteStep]]>([:])
  }
}
