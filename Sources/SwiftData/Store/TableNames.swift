import Foundation

/// The names of tables and columns: the names of classes and properties.
package enum TableNames {
  /// The table of an entity, which is the name of its root class.
  package static func table(for entity: __Entity) -> String { entity.root.name }

  /// The column of a property. Sibling subclasses share one table, so a subclass's column carries the class's name
  /// where its own would be ambiguous.
  package static func column(for property: __Property) -> String { property.name }
}
