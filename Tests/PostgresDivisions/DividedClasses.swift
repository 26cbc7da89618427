package import SwiftData
package import SwiftDataPostgres

extension PostgresPartitions {
  /// A division of every class of a schema, by an attribute that its unique constraints have in common.
  package static func all(of schema: Schema, count: Int) -> [PostgresPartitions] {
    schema.runtimeEntities.filter { $0.superentity == nil }.compactMap { entity in
      let table = EntityTable.tables(of: schema) { _ in 0 }.first { $0.entity === entity }
      let property = entity.properties.first { property in
        property.isAttribute && property.isStored
          && table?.uniqueness.allSatisfy { $0.terms.contains { $0.property === property } } ?? false
      }
      return property.map { PostgresPartitions(model: entity.type, property: $0.keyPath, count: count) }
    }
  }
}
