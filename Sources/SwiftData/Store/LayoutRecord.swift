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
    /// Whether rows name their class.
    package var hasDiscriminator: Bool
    package var columns: [Column]
    package var indices: [Index]

    package init(name: String, classes: [String], hasDiscriminator: Bool, columns: [Column], indices: [Index]) {
      (self.name, self.classes, self.hasDiscriminator) = (name, classes, hasDiscriminator)
      (self.columns, self.indices) = (columns, indices)
    }

    package func column(named name: String) -> Column? { columns.first { $0.name == name } }
  }

  package struct Column: Codable, Equatable {
    package var name: String
    /// Nil where classes that share the column differ about it.
    package var affinity: ColumnType?
    package var isRequired = false
    package var reference: Reference?
    package var family: ValueFamily
    /// The Swift type without its optional. It says nothing about the cells, so that it does not count.
    package var valueType = ""
    /// Whether cells may name files of the external storage.
    package var isExternal = false
    /// The `originalName` of the property, or none. Nil where an earlier version wrote the record and did not say. It says
    /// nothing about the cells, so that it does not count.
    package var formerNames: [String]?

    package init(
      name: String, affinity: ColumnType? = nil, isRequired: Bool = false, reference: Reference? = nil,
      family: ValueFamily, valueType: String = "", isExternal: Bool = false, formerNames: [String]? = nil
    ) {
      (self.name, self.affinity, self.isRequired, self.reference) = (name, affinity, isRequired, reference)
      (self.family, self.valueType, self.isExternal, self.formerNames) = (family, valueType, isExternal, formerNames)
    }

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
    /// Columns, and members of composite values (`address.city`).
    package var columns: [String]
    package var isUnique: Bool
    /// The SQL of each, where one is a member.
    package var expressions: [String]?
    /// The columns of a unique index that may have NaN, which equals nothing. Nil if there are none.
    package var numbers: [String]?

    package init(columns: [String], isUnique: Bool, expressions: [String]? = nil, numbers: [String]? = nil) {
      (self.columns, self.isUnique, self.expressions, self.numbers) = (columns, isUnique, expressions, numbers)
    }

    /// The columns or expressions that the index orders by.
    package var terms: [String] {
      expressions
        ?? columns.map { column in
          let cell = column.quotedIdentifier
          return numbers?.contains(column) == true ? "nullif(\(cell), 'nan')" : cell
        }
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
    package var destination: String
    package var storage: Storage

    package init(table: String, name: String, destination: String, storage: Storage) {
      (self.table, self.name, self.destination, self.storage) = (table, name, destination, storage)
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

  /// The position column that goes with a foreign key.
  package static func position(of column: String) -> String { "\(column)_position" }

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

  func union(_ other: LayoutRecord) -> LayoutRecord {
    let names = Set(tables.map(\.name))
    let (pairs, ends) = (Set(pairTables), Set(relationships))
    return LayoutRecord(
      tables: tables + other.tables.filter { !names.contains($0.name) },
      pairTables: pairTables + other.pairTables.filter { !pairs.contains($0) },
      relationships: relationships + other.relationships.filter { !ends.contains($0) })
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

  /// Whether both say the same to the letter, down to what says nothing about the cells. A store that is opened by the
  /// program that made it is recognised by that, without a plan of what would change.
  func isIdentical(to other: LayoutRecord) -> Bool {
    tables.count == other.tables.count && pairTables == other.pairTables && relationships == other.relationships
      && zip(tables, other.tables).allSatisfy { $0.isIdentical(to: $1) }
  }
}

/// The meaning of the cells of a column. A column of one family cannot be read as another.
package enum ValueFamily: String, Codable, Sendable {
  case bool, integer, unsigned, real, date, text, decimal, url, uuid, data, json, transformed
  /// A key of another row.
  case key
  /// A place in an array.
  case position
  /// Whatever the classes that share the column write.
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
  /// Whether the rows of both look alike.
  func hasSameRows(as other: LayoutRecord.Table) -> Bool {
    name == other.name && hasDiscriminator == other.hasDiscriminator && Set(classes) == Set(other.classes)
      && columns.count == other.columns.count && columns.allSatisfy { other.column(named: $0.name) == $0 }
  }

  func isIdentical(to other: LayoutRecord.Table) -> Bool {
    name == other.name && classes == other.classes && hasDiscriminator == other.hasDiscriminator
      && indices == other.indices && columns.count == other.columns.count
      && zip(columns, other.columns).allSatisfy { left, right in
        left == right && left.valueType == right.valueType && left.isExternal == right.isExternal
          && left.formerNames == right.formerNames
      }
  }

  func hasShape(of other: LayoutRecord.Table) -> Bool {
    hasSameRows(as: other) && Set(indices) == Set(other.indices)
  }
}
