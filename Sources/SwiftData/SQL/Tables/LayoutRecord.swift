import Foundation

/// The tables and columns of a store's file, as the file itself records them.
///
/// It is compared with the layout of the program's models when a store is opened, and the difference is migrated.
/// Two records are equal where no row would have to be written differently.
package struct LayoutRecord: Codable, Equatable {
  package var tables: [Table]
  package var pairTables: [PairTable]
  package var relationships: [Relationship]

  /// The rows of one class hierarchy.
  package struct Table: Codable, Equatable {
    package var name: String
    /// The classes whose rows are here, the root first.
    package var classes: [String]
    /// The superclasses of the subclasses. Nil where an earlier format did not say.
    package var superclasses: [String: String]?
    /// Whether rows name their class.
    package var hasDiscriminator: Bool
    package var columns: [Column]
    package var indices: [Index]

    package init(
      name: String, classes: [String], superclasses: [String: String]?, hasDiscriminator: Bool, columns: [Column],
      indices: [Index]
    ) {
      (self.name, self.classes, self.superclasses) = (name, classes, superclasses)
      (self.hasDiscriminator, self.columns, self.indices) = (hasDiscriminator, columns, indices)
    }

    package func column(named name: String) -> Column? { columns.first { $0.name == name } }

    /// A class and its superclasses, from the class to the root.
    package func lineage(of name: String) -> [String] {
      // A hostile file may have circles.
      var result = [name]
      while let parent = superclasses?[result.last!], !result.contains(parent) { result.append(parent) }
      if let root = classes.first, !result.contains(root) { result.append(root) }
      return result
    }

    /// A class and its subclasses.
    package func family(of name: String) -> [String] { classes.filter { lineage(of: $0).contains(name) } }

    /// The column of a term of an index, which may be a member of a composite value.
    func property(of term: String) -> Column? { column(named: String(term.prefix { $0 != "@" })) }

    /// The classes whose rows have values in an index, or nil if the record of an earlier format does not say.
    func scope(of index: Index) -> Set<String>? {
      if let classes = index.classes { return Set(classes) }
      var result = Set(classes)
      for term in index.columns {
        guard let owner = property(of: term)?.entity else { return nil }
        result.formIntersection(family(of: owner))
      }
      return result
    }

    /// The columns of a class's properties, without positions.
    package func columns(of name: String) -> [Column] {
      let lineage = lineage(of: name)
      return columns.filter { column in
        column.family != .position && column.entity.map(lineage.contains) != false
      }
    }

    /// The column with the order of the to-many that a key keeps.
    package func position(of key: String) -> Column? {
      columns.first { $0.family == .position && $0.name == TableNames.position(of: key) }
        // As an earlier format named it.
        ?? columns.first { $0.family == .position && $0.name == "\(key)_position" }
    }
  }

  package struct Column: Codable, Equatable {
    package var name: String
    /// The class that declares the property. Nil where an earlier format did not say.
    package var entity: String?
    /// The property. Nil where an earlier format did not say.
    package var property: String?
    /// Nil in an earlier format, where classes that shared the column differed about it.
    package var affinity: ColumnType?
    package var isRequired = false
    /// Whether a subclass's property is optional. Its column is never required, because rows of other classes have no value. Nil
    /// for a property of the root class, and where an earlier version wrote the record. It says nothing about the cells, so
    /// that it does not count.
    package var isOptional: Bool?
    package var reference: Reference?
    package var family: ValueFamily
    /// The Swift type without its optional. It says nothing about the cells, so that it does not count.
    package var valueType = ""
    /// The parts of a struct and their types, ``CompositeMembers/parts(of:)``. Nil for other types, and where an earlier
    /// version wrote the record. It says nothing about the cells, so that it does not count.
    package var parts: [String: String]?
    /// Whether cells may name files of the external storage.
    package var isExternal = false
    /// The `originalName` of the property, or none. Nil where an earlier version wrote the record and did not say. It says
    /// nothing about the cells, so that it does not count.
    package var formerNames: [String]?
    /// Whether the program encodes the cells with a ``ColumnCodec``. Nil if it does not, and in a file, which has an
    /// ``EncryptionRecord``. The models may encrypt a column that is the same otherwise, so that it does not count.
    package var isEncrypted: Bool?
    /// Whether the column of an earlier format has values of several types. Nil in the present format.
    package var isMixed: Bool?

    package init(
      name: String, entity: String?, property: String?, affinity: ColumnType? = nil, isRequired: Bool = false,
      reference: Reference? = nil, family: ValueFamily, valueType: String = "", isExternal: Bool = false,
      formerNames: [String]? = nil
    ) {
      (self.name, self.entity, self.property) = (name, entity, property)
      (self.affinity, self.isRequired, self.reference) = (affinity, isRequired, reference)
      (self.family, self.valueType, self.isExternal, self.formerNames) = (family, valueType, isExternal, formerNames)
    }

    /// Whether each value of another column is known to be one of this column's type.
    package func hasType(of former: Column) -> Bool {
      guard valueType == former.valueType else { return false }
      guard let parts, let formers = former.parts else { return true }
      return parts.allSatisfy { name, type in
        guard let former = formers[name] else { return type.hasSuffix("?") }
        return type == former || type == former + "?"
      }
    }

    /// Whether the program encodes the cells.
    package var hasCodec: Bool { isEncrypted == true }

    /// The name of the property, as far as the record says it.
    package var propertyName: String { property ?? name }

    package static func == (left: Column, right: Column) -> Bool {
      left.name == right.name && left.affinity == right.affinity && left.isRequired == right.isRequired
        && left.reference == right.reference && left.family == right.family
    }
  }

  /// The target of a foreign key.
  package struct Reference: Codable, Equatable {
    package var table: String
    /// Whether the column becomes null when its target is deleted; otherwise that is refused.
    package var setsNull: Bool

    package init(table: String, setsNull: Bool) { (self.table, self.setsNull) = (table, setsNull) }
  }

  package struct Index: Codable, Hashable {
    /// Columns, and members of composite values (`address@city`).
    package var columns: [String]
    package var isUnique: Bool
    /// The SQL of each, where one is a member.
    package var expressions: [String]?
    /// The key paths of the columns.
    package var keyPaths: [String]?
    /// The classes whose rows have unique values, the one that declares it first. Nil if all rows of the table have.
    package var classes: [String]?
    /// The columns of a unique index that may have NaN, which equals nothing. Nil if there are none.
    package var numbers: [String]?
    /// The name that an earlier format gave the index.
    package var formerName: String?

    package init(
      columns: [String], isUnique: Bool, expressions: [String]? = nil, keyPaths: [String]? = nil,
      classes: [String]? = nil
    ) {
      (self.columns, self.isUnique, self.expressions) = (columns, isUnique, expressions)
      (self.keyPaths, self.classes) = (keyPaths, classes)
    }

    /// The columns or expressions that the index orders by.
    var terms: [String] { expressions ?? columns.map(\.quotedIdentifier) }

    /// The key paths, for messages.
    package var names: [String] { keyPaths ?? columns }

    /// The condition for the rows that the index contains, or nil for all rows.
    /// - Parameter isNumber: the condition for a value not to be NaN.
    package func condition(_ isNumber: (String) -> String = Self.isNumber) -> String? {
      let values = zip(columns, terms).filter { numbers?.contains($0.0) == true }.map { isNumber($0.1) }
      let all = (classes.map { [Self.condition($0)] } ?? []) + values
      return all.isEmpty ? nil : all.joined(separator: " AND ")
    }

    /// SQLite has NaN as text.
    package static func isNumber(_ value: String) -> String { "\(value) <> 'nan'" }

    /// SQLite uses an index with a condition for a query that has the same condition, word by word.
    package static func condition(_ classes: [String], _ row: String = "") -> String {
      "\(row)_entity IN (\(classes.sorted().map(\.quotedLiteral).joined(separator: ", ")))"
    }

    // The key paths follow from the columns, and two indices with different names have the same rows.
    package static func == (left: Index, right: Index) -> Bool {
      left.columns == right.columns && left.isUnique == right.isUnique && left.expressions == right.expressions
        && left.classes.map(Set.init) == right.classes.map(Set.init) && left.numbers == right.numbers
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(columns)
      hasher.combine(isUnique)
    }
  }

  /// The pairs of a many-to-many, or of a to-many without an inverse.
  package struct PairTable: Codable, Hashable {
    package var name: String
    /// The tables that `source` and `target` point at.
    package var source: String
    package var target: String

    package init(name: String, source: String, target: String) {
      (self.name, self.source, self.target) = (name, source, target)
    }
  }

  package struct Relationship: Codable, Hashable {
    /// The table of the class that declares it.
    package var table: String
    package var name: String
    /// The table of the targets.
    package var destination: String
    package var storage: Storage
    /// The class that declares it. Nil where an earlier format did not say.
    package var entity: String?
    /// The class of the targets. Nil where an earlier format did not say.
    package var target: String?
    /// The `originalName` of the property, or none. Nil where an earlier format did not say.
    package var formerNames: [String]?

    package init(
      table: String, name: String, destination: String, storage: Storage, entity: String?, target: String?,
      formerNames: [String]?
    ) {
      (self.table, self.name, self.destination, self.storage) = (table, name, destination, storage)
      (self.entity, self.target, self.formerNames) = (entity, target, formerNames)
    }

    // The rows are the same whatever the former names are.
    package static func == (left: Relationship, right: Relationship) -> Bool {
      left.table == right.table && left.name == right.name && left.destination == right.destination
        && left.storage == right.storage && left.entity == right.entity && left.target == right.target
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(table)
      hasher.combine(name)
      hasher.combine(storage)
    }
  }

  /// Where a relationship is kept.
  package enum Storage: Codable, Hashable {
    /// A to-one: a column of the table.
    case foreignKey(column: String)
    /// A to-many: the column of its inverse, a to-one, on the destination's table.
    case inverse(column: String)
    /// A table of pairs, whose `source` is the owner (or whose `target` is, where it is not forward).
    case pairs(table: String, isForward: Bool)
  }

  package func table(named name: String) -> Table? { tables.first { $0.name == name } }

  package static let empty = LayoutRecord(tables: [], pairTables: [], relationships: [])

  package init(tables: [Table], pairTables: [PairTable], relationships: [Relationship]) {
    (self.tables, self.pairTables, self.relationships) = (tables, pairTables, relationships)
  }

  /// What belongs to some tables: themselves, and pairs and relationships with one of them at an end.
  func part(_ isWanted: (Table) -> Bool) -> LayoutRecord {
    let part = tables.filter(isWanted)
    let names = Set(part.map(\.name))
    return LayoutRecord(
      tables: part, pairTables: pairTables.filter { names.contains($0.source) || names.contains($0.target) },
      relationships: relationships.filter { names.contains($0.table) || names.contains($0.destination) })
  }

  package func union(_ other: LayoutRecord) -> LayoutRecord {
    let names = Set(tables.map(\.name))
    let (pairs, ends) = (Set(pairTables), Set(relationships))
    return LayoutRecord(
      tables: tables + other.tables.filter { !names.contains($0.name) },
      pairTables: pairTables + other.pairTables.filter { !pairs.contains($0) },
      relationships: relationships + other.relationships.filter { !ends.contains($0) })
  }

  /// Checks that no two tables have one name.
  ///
  /// ``TableNames`` makes all names different, except where two classes differ by the case of later letters only.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer``.
  package func validateNames(ignoringCase: Bool) throws {
    var seen = [String: String]()
    func note(_ name: String, _ owner: String, _ what: String = "table") throws {
      let key = ignoringCase ? TableNames.folded(name) : name
      if let other = seen.updateValue(owner, forKey: key) {
        throw SwiftDataError(
          .loadIssueModelContainer, entity: owner,
          message:
            "the database cannot tell its \(what) from the \(what) of \(other), because the names differ by case only;"
            + " rename one of them")
      }
    }
    for table in tables {
      try note(table.name, table.classes[0])
      var columns = [String: String]()
      for column in table.columns {
        let (owner, key) = (column.entity ?? table.name, ignoringCase ? TableNames.folded(column.name) : column.name)
        guard let other = columns.updateValue(owner, forKey: key) else { continue }
        throw SwiftDataError(
          .loadIssueModelContainer, entity: owner, property: column.propertyName,
          message:
            "the database cannot tell its column from the column of \(other), because the names of the classes differ by"
            + " case only; rename one of them")
      }
    }
    for pairs in pairTables { try note(pairs.name, pairs.name) }
    for table in tables {
      for index in table.indices { try note(table.name(of: index), index.classes?.first ?? table.classes[0], "index") }
    }
  }

  func hasClass(_ name: String) -> Bool { tables.contains { $0.classes.contains(name) } }

  // Neither tables nor columns have an order that matters.
  package static func == (left: LayoutRecord, right: LayoutRecord) -> Bool {
    guard left.tables.count == right.tables.count, Set(left.pairTables) == Set(right.pairTables),
      Set(left.relationships) == Set(right.relationships)
    else { return false }
    let tables = Dictionary(right.tables.map { ($0.name, $0) }) { first, _ in first }
    return left.tables.allSatisfy { tables[$0.name]?.hasShape(of: $0) ?? false }
  }

  /// The record with the former names that an earlier one has for the same properties. An older version of the program declares none, and must
  /// not make the newer one follow its `originalName:` a second time.
  func keepingFormerNames(of earlier: LayoutRecord) -> LayoutRecord {
    var record = self
    for (index, table) in tables.enumerated() {
      record.tables[index].columns.keepFormerNames(of: earlier.table(named: table.name)?.columns ?? [], in: table)
      let places = relationships.indices.filter { relationships[$0].table == table.name }
      var own = places.map { relationships[$0] }
      own.keepFormerNames(of: earlier.relationships.filter { $0.table == table.name }, in: table)
      for (place, kept) in zip(places, own) { record.relationships[place] = kept }
    }
    return record
  }

  /// Whether both say the same to the letter, down to what says nothing about the cells. A store that is opened by the
  /// program that made it is recognised by that, without a plan of what would change.
  func isIdentical(to other: LayoutRecord) -> Bool {
    tables.count == other.tables.count && pairTables == other.pairTables && relationships == other.relationships
      && zip(relationships, other.relationships).allSatisfy { $0.formerNames == $1.formerNames }
      && zip(tables, other.tables).allSatisfy { $0.isIdentical(to: $1) }
  }

  /// Whether this record has the parts of the other's structs. Otherwise the opening has to write them, because rows
  /// that the program saves from now on have these parts and no others.
  package func hasParts(of other: LayoutRecord) -> Bool {
    other.tables.allSatisfy { table in
      let known = self.table(named: table.name)
      return table.columns.allSatisfy { $0.parts == nil || $0.parts == known?.column(named: $0.name)?.parts }
    }
  }
}

/// The meaning of the cells of a column. A column of one family cannot be read as another.
package enum ValueFamily: String, Codable, Sendable {
  case bool, integer, unsigned, real, date, text, decimal, url, uuid, data, json, transformed
  /// A key of another row.
  case key
  /// A place in an array.
  case position
  /// Whatever the classes wrote that shared a column in an earlier format.
  case mixed

  package init(_ property: __Property) {
    guard case .attribute(_, let encoding) = property.kind else {
      self = .key
      return
    }
    switch encoding {
    case .json: self = .json
    case .transformed: self = .transformed
    case .direct: self = Self.family(of: property.bareType)
    case .rawValue: self = property.rawType.map(Self.family) ?? .json
    }
  }

  private static func family(of type: any Any.Type) -> ValueFamily {
    switch ObjectIdentifier(type) {
    case ObjectIdentifier(UInt64.self), ObjectIdentifier(UInt.self): .unsigned
    case ObjectIdentifier(Bool.self): .bool
    case ObjectIdentifier(Double.self), ObjectIdentifier(Float.self): .real
    case ObjectIdentifier(Date.self): .date
    case ObjectIdentifier(String.self): .text
    case ObjectIdentifier(Decimal.self): .decimal
    case ObjectIdentifier(URL.self): .url
    case ObjectIdentifier(UUID.self): .uuid
    case ObjectIdentifier(Data.self): .data
    default: .integer
    }
  }
}

extension LayoutRecord.Index {
  /// The terms with text in normal form C. Equal texts are equal in it, which an index of their bytes does not see.
  func terms(inNormalFormOf table: LayoutRecord.Table) -> [String] {
    zip(columns, terms).map { column, term in
      table.column(named: column)?.affinity == .text ? "swift_nfc(\(term))" : term
    }
  }
}

extension LayoutRecord.Table {
  /// Whether rows can be of both classes.
  fileprivate func areRelated(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return true }
    return lineage(of: one).contains(other) || lineage(of: other).contains(one)
  }

  /// Whether the rows of both look alike.
  func hasSameRows(as other: LayoutRecord.Table) -> Bool {
    name == other.name && hasDiscriminator == other.hasDiscriminator && Set(classes) == Set(other.classes)
      && columns.count == other.columns.count && columns.allSatisfy { other.column(named: $0.name) == $0 }
  }

  func isIdentical(to other: LayoutRecord.Table) -> Bool {
    name == other.name && classes == other.classes && superclasses == other.superclasses
      && hasDiscriminator == other.hasDiscriminator && indices == other.indices && columns.count == other.columns.count
      && zip(columns, other.columns).allSatisfy { left, right in
        left == right && left.entity == right.entity && left.property == right.property
          && left.valueType == right.valueType && left.parts == right.parts && left.isExternal == right.isExternal
          && left.formerNames == right.formerNames
      }
  }

  func hasShape(of other: LayoutRecord.Table) -> Bool {
    hasSameRows(as: other) && Set(indices) == Set(other.indices)
  }
}

/// A property in a record.
private protocol RecordedProperty {
  var entity: String? { get }
  var propertyName: String { get }
  var formerNames: [String]? { get set }
}

extension LayoutRecord.Column: RecordedProperty {}

extension LayoutRecord.Relationship: RecordedProperty {
  fileprivate var propertyName: String { name }
}

extension Array where Element: RecordedProperty {
  /// Takes over the former names of the same properties of a table.
  fileprivate mutating func keepFormerNames(of earlier: [Element], in table: LayoutRecord.Table) {
    func formers(of property: Element) -> [String]? {
      earlier.first { $0.propertyName == property.propertyName && table.areRelated($0.entity, property.entity) }?
        .formerNames
    }
    for (index, property) in enumerated() where property.formerNames?.isEmpty == true {
      // Another property takes the values over, and this one is new.
      let isTaken = contains { other in
        other.formerNames?.contains(property.propertyName) == true && table.areRelated(other.entity, property.entity)
          && formers(of: other)?.contains(property.propertyName) != true
      }
      if !isTaken, let known = formers(of: property) { self[index].formerNames = known }
    }
  }
}
