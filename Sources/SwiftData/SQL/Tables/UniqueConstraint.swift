/// Values that no two objects of a class share.
package struct UniqueConstraint {
  package let terms: [IndexTerm]
  /// The classes for whose rows it holds, the one that declares it first. Nil if no other row of the table has such values:
  /// it holds for the whole hierarchy, or a property of the declaring class itself is among the terms.
  package let classes: [String]?

  /// - Parameters:
  ///   - entity: the class that declares the constraint.
  ///   - hierarchy: all classes of the table.
  init(_ terms: [IndexTerm], of entity: __Entity, in hierarchy: [__Entity]) {
    self.terms = terms
    let isOwn = entity.superentity == nil || terms.contains { $0.property.entityName == entity.name }
    classes =
      isOwn ? nil : [entity.name] + hierarchy.filter { $0 !== entity && $0.isKind(of: entity) }.map(\.name)
  }

  /// The condition for the classes of rows for which the constraint holds, or nil for all rows.
  /// - Parameter row: the alias with a dot, or nothing.
  package func classCondition(_ row: String = "") -> String? { classes.map { LayoutRecord.Index.condition($0, row) } }

  /// The condition for the rows for which the constraint holds, as SQLite's index has it, or nil for all rows. NaN equals
  /// nothing.
  var condition: String? {
    let numbers = terms.filter(\.mayBeNaN).map { LayoutRecord.Index.isNumber($0.sql) }
    let all = [classCondition()].compactMap(\.self) + numbers
    return all.isEmpty ? nil : all.joined(separator: " AND ")
  }

  /// Whether equal values can differ byte by byte.
  var mayHaveOtherForms: Bool { terms.contains(where: \.mayHaveOtherForms) }
}
