import Foundation

/// The storage of an entity: its table, the columns that a fetch selects, and the SQL derived from them.
///
/// A class hierarchy shares the table of its root. A fetch of a class also selects the columns of its subclasses.
// @unchecked Sendable because it is immutable except for state under a mutex.
package final class EntityTable: @unchecked Sendable {
  package let entity: __Entity
  /// The name of the table.
  package let name: String
  /// The index of the root entity among the container's roots. Keys are unique within a root.
  package let root: Int
  /// The index of the entity's store among the container's stores.
  package let store: Int
  /// The class itself and its subclasses.
  package let family: [__Entity]
  /// Whether rows contain the name of their class.
  package let hasDiscriminator: Bool
  /// The columns that a fetch selects after the key (and the class name).
  package let columns: [String]
  /// For each class of the family, the positions of its properties' columns in the select list.
  package let positions: [String: [Int32]]
  /// The properties of the class with a column, in index order.
  package let stored: [__Property]
  /// The to-many properties of the class.
  package let toMany: [__Property]
  /// The properties that validation checks: required to-ones, and to-manys with bounds.
  package let validated: [__Property]
  /// The relationships whose inverse is a to-many with bounds.
  package let bounding: [(property: __Property, inverse: __Property)]
  /// The uniqueness constraints of the class and its superclasses.
  package let uniqueness: [UniqueConstraint]
  /// Whether a uniqueness constraint has text, also in JSON.
  let hasUniqueText: Bool
  /// The properties in uniqueness constraints.
  package let uniqueProperties: PropertySet
  /// The codecs of the columns of the class and its subclasses whose cells are not the values. Empty if the store has no key.
  package let codecs: [String: ColumnCodec]
  /// The part that encodes their cells. Nil if the store has no key.
  let coding: ColumnCoding?
  /// The R*Trees with every row of the class.
  let rtrees: [RTreeIndex]
  /// `SELECT` of all columns.
  private let selectAll: String
  /// The last update statement, because consecutive saves often write the same properties.
  private let lastUpdate = Lock<Update?>(nil)

  /// An update statement for some properties of a row.
  struct Update {
    let set: PropertySet
    /// Empty if none of the properties has a column.
    let sql: String
  }

  /// - Parameter hierarchy: all classes of the table.
  package init(entity: __Entity, hierarchy: [__Entity], root: Int, store: Int, coding: ColumnCoding? = nil) {
    let family = hierarchy.filter { $0.isKind(of: entity) }
    let hasDiscriminator = hierarchy.count > 1
    self.entity = entity
    let name = TableNames.table(for: entity)
    self.name = name
    self.root = root
    self.store = store
    self.family = family
    self.hasDiscriminator = hasDiscriminator
    var columns = [String]()
    var positions = [String: [Int32]]()
    let first: Int32 = hasDiscriminator ? 2 : 1
    for member in family {
      positions[member.name] = member.properties.map { property in
        guard property.isStored else { return -1 }
        let column = TableNames.column(for: property)
        let index = columns.firstIndex(of: column) ?? columns.count
        if index == columns.count { columns.append(column) }
        return Int32(index) + first
      }
    }
    self.columns = columns
    self.positions = positions
    self.stored = entity.properties.filter(\.isStored)
    self.toMany = entity.properties.filter(\.isToMany)
    let key = ["t0._pk"] + (hasDiscriminator ? ["t0._entity"] : [])
    var codecs = [String: ColumnCodec]()
    if let coding {
      for column in Self.secretColumns(family) { codecs[column] = ColumnCodec(coding, table: name, column: column) }
    }
    (self.codecs, self.coding) = (codecs, coding)
    self.selectAll = (key + columns.map { codecs.read($0, of: "t0.") }).joined(separator: ", ")
    self.uniqueness = Self.uniqueness(of: entity, in: hierarchy)
    self.hasUniqueText = uniqueness.contains(where: \.mayHaveOtherForms)
    self.uniqueProperties = PropertySet(uniqueness.flatMap(\.terms).map(\.property.index))
    self.rtrees = RTreeIndex.all(of: entity)
    self.validated = entity.properties.filter { property in
      property.isToOne ? !property.isOptional : Self.isBounded(property)
    }
    self.bounding = entity.properties.compactMap { property in
      // Most classes have no bounds, so that inverses need not be known here.
      guard let destination = property.destination?.__entity, destination.properties.contains(where: Self.isBounded),
        let inverse = RelationshipInfo.of(property, in: entity).inverse, Self.isBounded(inverse)
      else { return nil }
      return (property, inverse)
    }
  }

  private static func isBounded(_ property: __Property) -> Bool {
    guard property.isToMany, let relationship = property.relationship else { return false }
    return (relationship.minimumModelCount ?? 0) > 0 || (relationship.maximumModelCount ?? 0) > 0
  }

  private static func uniqueness(of entity: __Entity, in hierarchy: [__Entity]) -> [UniqueConstraint] {
    let unique = entity.properties.filter { $0.attribute?.isUnique == true || $0.relationship?.isUnique == true }
    return unique.map { property in
      let declaring = entity.lineage.first { $0.name == property.entityName } ?? entity
      return UniqueConstraint([IndexTerm(property)], of: declaring, in: hierarchy)
    }
      + entity.lineage.flatMap { level in
        level.uniqueTerms.map { UniqueConstraint($0, of: level, in: hierarchy) }
      }
  }

  /// The tables of all classes of a schema.
  /// - Parameter coding: the part that encodes the secret columns of the store at an index, or nil if it has no key.
  package static func tables(
    of schema: Schema, store: (__Entity) -> Int, coding: (Int) -> ColumnCoding? = { _ in nil }
  ) -> [EntityTable] {
    let entities = schema.runtimeEntities
    let hierarchies = OrderedDictionary(grouping: entities) { ObjectIdentifier($0.root) }
    let roots = Dictionary(uniqueKeysWithValues: hierarchies.enumerated().map { ($1.key, $0) })
    return entities.map { entity in
      let root = ObjectIdentifier(entity.root)
      let hierarchy = hierarchies[root]!
      let store = store(entity)
      return EntityTable(
        entity: entity, hierarchy: hierarchy, root: roots[root]!, store: store, coding: coding(store))
    }
  }

  /// `SELECT` and `FROM` of a fetch. `columns` nil selects all.
  package func select(only left: Set<String>? = nil) -> String {
    guard let left else { return selectAll }
    var names = ["t0._pk"] + (hasDiscriminator ? ["t0._entity"] : [])
    for column in columns {
      names.append(left.contains(column) ? codecs.read(column, of: "t0.") : "NULL")
    }
    return names.joined(separator: ", ")
  }

  /// `t0._entity IN (…)` if the table contains other classes too, else nil.
  package var discriminatorCondition: String? {
    guard hasDiscriminator, entity.superentity != nil else { return nil }
    return LayoutRecord.Index.condition(family.map(\.name), "t0.")
  }

  package var insertSQL: String {
    let names = ["_pk"] + (hasDiscriminator ? ["_entity"] : []) + stored.map { TableNames.column(for: $0) }
    let list = names.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = names.map { codecs.written("?", to: $0) }.joined(separator: ", ")
    return "INSERT INTO \(name.quotedIdentifier) (\(list)) VALUES (\(marks))"
  }

  func update(of set: PropertySet) -> Update {
    lastUpdate.withLock { last in
      if let last, last.set == set { return last }
      let properties = stored.filter { set.contains($0.index) }
      let update = Update(set: set, sql: properties.isEmpty ? "" : updateSQL(properties))
      last = update
      return update
    }
  }

  package func updateSQL(_ properties: [__Property]) -> String {
    let assignments = properties.enumerated().map { index, property in
      let name = TableNames.column(for: property)
      let column = name.quotedIdentifier
      guard let position = positionColumn(of: property)?.quotedIdentifier else {
        return column + " = " + codecs.written("?", to: name)
      }
      // A position in the former owner's array is invalid for the new owner.
      return "\(column) = ?, \(position) = CASE WHEN \(column) IS ?\(index + 1) THEN \(position) END"
    }
    return "UPDATE \(name.quotedIdentifier) SET \(assignments.joined(separator: ", ")) WHERE _pk = ?"
  }

  /// The column with the order of the to-many at the other side of a to-one.
  package func positionColumn(of property: __Property) -> String? {
    guard property.isToOne else { return nil }
    let info = RelationshipInfo.of(property, in: entity)
    guard let inverse = info.inverse, inverse.isToMany else { return nil }
    return TableNames.position(of: TableNames.column(for: property))
  }

  /// The plain indices: `#Index`, `@Attribute(.indexed)` and to-one relationships.
  package var indices: [[IndexTerm]] {
    let properties = entity.properties.filter { $0.isToOne || $0.attribute?.options.contains(.indexed) == true }
    // Predicates do not use a unique index that leaves out NaN.
    let numbers = uniqueness.map(\.terms).filter { $0.contains(where: \.mayBeNaN) }
    return properties.map { [IndexTerm($0)] } + inherited(\.binaryTerms) + numbers
  }

  /// The terms that the class and its superclasses declare.
  private func inherited(_ terms: (__Entity) -> [[IndexTerm]]) -> [[IndexTerm]] {
    entity.lineage.flatMap(terms)
  }
}
