import Foundation
import SwiftData
import SwiftDataAppleStore

/// The result of `swiftdata inspect`.
public struct Inspection: Sendable, Codable {
  /// An attribute.
  public struct Attribute: Sendable, Codable {
    /// Its name.
    public var name: String
    /// Its type in Swift.
    public var type: String
    /// Whether it may be nil.
    public var isOptional: Bool
    /// The columns that keep it.
    public var columns: [String]
  }

  /// A relationship.
  public struct Relationship: Sendable, Codable {
    /// Its name.
    public var name: String
    /// The class of its targets.
    public var destination: String
    /// Whether it is a to-many relationship.
    public var isToMany: Bool
    /// The inverse relationship.
    public var inverse: String?
    /// The delete rule.
    public var deleteRule: String?
  }

  /// A class.
  public struct Entity: Sendable, Codable {
    /// Its name.
    public var name: String
    /// Its superclass.
    public var superentity: String?
    /// The table of its rows.
    public var table: String
    /// The number of objects of exactly this class, without its subclasses.
    public var count: Int
    /// Its attributes, by name.
    public var attributes: [Attribute]
    /// Its relationships, by name.
    public var relationships: [Relationship]
    /// The sets of properties whose values are unique together.
    public var unique: [[String]]
    /// The sets of properties with an index.
    public var indices: [[String]]
    /// The bytes of its table with its indices. Nil if the database does not report them.
    public var bytes: Int64?
  }

  /// The history.
  public struct History: Sendable, Codable {
    /// The number of transactions.
    public var transactions: Int
    /// The time of the first transaction.
    public var first: Date?
    /// The time of the last transaction.
    public var last: Date?
  }

  /// The framework that made the store, and its database: `apple`, `sqlite` or `postgres`.
  public var kind: InspectedStore.Kind
  /// Its path or URL.
  public var location: String
  /// The identity of the store.
  public var identifier: String
  /// The version of its models.
  public var version: String
  /// The version of its format.
  public var format: String
  /// The bytes of its files. Nil for a server.
  public var bytes: Int64?
  /// Its classes, by name.
  public var entities: [Entity]
  /// Its history. Nil if it keeps none.
  public var history: History?
  /// The damage that SQLite finds in the file. Empty if the file is sound.
  public var damage: [String]
  /// Descriptions of the parts that could not be read.
  public var warnings: [String]
}

extension InspectedStore {
  /// Describes the store.
  /// - Throws: `SwiftDataError` if it cannot be read.
  public func inspection() throws -> Inspection {
    var result = Inspection(
      kind: kind, location: location, identifier: identifier, version: version, format: format, bytes: bytes,
      entities: [], history: try history(), damage: try damage(), warnings: apple?.model.notes ?? [])
    for name in entities { result.entities.append(try entity(name)) }
    if let file = apple?.file {
      result.warnings += Self.warnings(file)
      result.warnings += try file.problems(in: [.rows]).map(\.description)
    }
    return result
  }

  private static func warnings(_ file: AppleFile) -> [String] {
    var warnings = [file.missingLog].compactMap(\.self)
    if file.tables.keys.contains(where: { $0.hasPrefix("ANSCK") }) {
      warnings.append("the store syncs with CloudKit; the tables of the sync (ANSCK…) are not read")
    }
    if file.model.entities.contains(where: { $0.superName != nil && $0.className == nil }) {
      warnings.append("no store with classes that inherit in SwiftData was seen; they are read as Core Data keeps them")
    }
    return warnings
  }

  private var bytes: Int64? {
    guard kind != .postgres else { return nil }
    let sizes = ["", "-wal"].map { suffix -> Int64 in
      let attributes = try? FileManager.default.attributesOfItem(atPath: location + suffix)
      return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }
    return sizes.reduce(0, +)
  }

  private func damage() throws -> [String] {
    guard kind != .postgres else { return [] }
    return try rows("PRAGMA main.quick_check(20)").compactMap { row in
      if case .text(let text) = row[0], text != "ok" { text } else { nil }
    }
  }

  private func history() throws -> Inspection.History? {
    let (table, time): (String, String)
    switch kind {
    case .apple:
      guard apple?.file.tables["ATRANSACTION"] != nil else { return nil }
      (table, time) = ("main.ATRANSACTION", "ZTIMESTAMP")
    case .sqlite: (table, time) = ("_swiftdata_history", "timestamp")
    case .postgres: (table, time) = ("_swiftdata_history", "")
    }
    guard !time.isEmpty else {
      guard case .integer(let count)? = try rows("SELECT count(*) FROM \(table)").first?.first else { return nil }
      return Inspection.History(transactions: Int(count))
    }
    let row = try rows("SELECT count(*), min(\(time)), max(\(time)) FROM \(table)").first ?? []
    guard row.count == 3, case .integer(let count) = row[0] else { return nil }
    func date(_ cell: SQLValue) -> Date? {
      switch cell {
      case .real(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
      case .integer(let seconds): Date(timeIntervalSinceReferenceDate: Double(seconds))
      default: nil
      }
    }
    return Inspection.History(transactions: Int(count), first: date(row[1]), last: date(row[2]))
  }

  private func entity(_ name: String) throws -> Inspection.Entity {
    let table = table(of: name)!
    let member = apple?.model.class(named: name)
    let attributes = columns(of: name).filter { $0.family != .key }.map { column in
      let property = member.flatMap { known in apple!.model.all(of: known).first { $0.name == column.propertyName } }
      let names = property.map { apple!.file.columns.storage($0.originalName, of: name).columns } ?? [column.name]
      return Inspection.Attribute(
        name: column.propertyName,
        type: property?.baseText ?? (column.valueType.isEmpty ? column.family.rawValue : column.valueType),
        isOptional: !column.isRequired, columns: names)
    }
    let relationships = self.relationships(of: name).map(describe(name))
    return Inspection.Entity(
      name: name, superentity: table.superclasses?[name] ?? (name == table.classes[0] ? nil : table.classes[0]),
      table: apple?.file.columns.table(of: name) ?? table.name, count: try count(of: name),
      attributes: attributes.sorted { $0.name < $1.name }, relationships: relationships.sorted { $0.name < $1.name },
      unique: table.indices.filter(\.isUnique).map(\.names),
      indices: table.indices.filter { !$0.isUnique }.map(\.names),
      bytes: try size(of: table))
  }

  func describe(_ entity: String) -> (LayoutRecord.Relationship) -> Inspection.Relationship {
    let known = apple.flatMap { apple in apple.model.class(named: entity).map { apple.model.all(of: $0) } } ?? []
    return { relationship in
      let property = known.first { $0.name == relationship.name }
      let isToOne = if case .foreignKey = relationship.storage { true } else { false }
      return Inspection.Relationship(
        name: relationship.name,
        destination: property?.relationship?.destination ?? relationship.target ?? relationship.destination,
        isToMany: !isToOne, inverse: property?.relationship?.inverse ?? self.inverse(of: relationship),
        deleteRule: property?.relationship.map { "\($0.deleteRule)" })
    }
  }

  private func size(of table: LayoutRecord.Table) throws -> Int64? {
    try server?.size(of: table.name)
  }

  /// The inverse relationship, if the layout records it.
  private func inverse(of relationship: LayoutRecord.Relationship) -> String? {
    let others = layout.relationships.filter {
      $0.table == relationship.destination && $0.destination == relationship.table
    }
    switch relationship.storage {
    case .inverse(let column): return others.first { $0.storage == .foreignKey(column: column) }?.name ?? column
    case .foreignKey(let column): return others.first { $0.storage == .inverse(column: column) }?.name
    case .pairs(let table, let isForward):
      return others.first { $0.storage == .pairs(table: table, isForward: !isForward) }?.name
    }
  }
}

extension Inspection {
  /// The description as text.
  public var text: String {
    var lines = [
      "\(kind == .apple ? "Apple store" : kind == .sqlite ? "OpenSwiftData store" : "OpenSwiftData store on PostgreSQL")  \(location)"
    ]
    lines.append("identifier  \(identifier)")
    if !version.isEmpty { lines.append("models      version \(version)\(format.isEmpty ? "" : ", \(format)")") }
    if let bytes { lines.append("size        \(ByteText.text(bytes))") }
    if let history {
      let span = [history.first, history.last].compactMap { $0?.formatted(.iso8601) }.joined(separator: " to ")
      lines.append("history     \(history.transactions) transactions\(span.isEmpty ? "" : ", " + span)")
    }
    lines.append("integrity   \(damage.isEmpty ? "ok" : damage.joined(separator: "; "))")
    for entity in entities {
      lines.append("")
      let parent = entity.superentity.map { ": \($0)" } ?? ""
      let size = entity.bytes.map { ", \(ByteText.text($0))" } ?? ""
      lines.append("\(entity.name)\(parent)  \(entity.count) objects in \(entity.table)\(size)")
      for attribute in entity.attributes {
        lines.append(
          "  \(attribute.name): \(attribute.type)\(attribute.isOptional ? "?" : "")"
            + (attribute.columns == [attribute.name] ? "" : "  \(attribute.columns.joined(separator: ", "))"))
      }
      for relationship in entity.relationships {
        let target = relationship.isToMany ? "[\(relationship.destination)]" : relationship.destination
        let inverse = relationship.inverse.map { ", inverse \($0)" } ?? ""
        lines.append(
          "  \(relationship.name) -> \(target)\(inverse)\(relationship.deleteRule.map { ", delete rule \($0)" } ?? "")")
      }
      for unique in entity.unique { lines.append("  unique (\(unique.joined(separator: ", ")))") }
      for index in entity.indices { lines.append("  index (\(index.joined(separator: ", ")))") }
    }
    for warning in warnings { lines.append("warning: \(warning)") }
    return lines.joined(separator: "\n")
  }
}
