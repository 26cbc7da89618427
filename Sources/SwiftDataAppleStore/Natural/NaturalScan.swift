import Foundation
import SwiftData

extension AppleFile {
  /// The classes that fit the file. A required attribute that is nil in some row becomes optional. The content of cells of
  /// bytes decides their types.
  package func naturalModel() throws -> NaturalModel {
    try read { connection in
      NaturalModel(self, unfilled: try unfilled(connection), samples: try samples(connection))
    }
  }

  /// The required columns that are empty, or point at no row, in some row.
  private func unfilled(_ connection: FileConnection) throws -> Set<String> {
    var result = Set<String>()
    for entity in model.entities where columns.hasTable(entity.name) {
      guard let number = numbers[entity.name] else { continue }
      let table = columns.table(of: entity.name)
      var terms = [(key: String, sql: String)]()
      for attribute in entity.attributes where !attribute.isOptional && !attribute.isTransient {
        let names = columns.storage(attribute.name, of: entity.name).columns
        // A composite is nil if all its columns are empty.
        let sql = names.map { "t.\($0.quotedIdentifier) IS NULL" }.joined(separator: " AND ")
        terms += names.map { ("\(table).\($0)", sql) }
      }
      for relationship in entity.relationships where !relationship.isToMany && !relationship.isOptional {
        guard case .toOne(let column, _) = columns.link(relationship.name, of: entity.name),
          columns.hasTable(relationship.destination)
        else { continue }
        let target = columns.table(of: relationship.destination).quotedIdentifier
        let key = "t.\(column.quotedIdentifier)"
        terms.append(
          (
            "\(table).\(column)",
            "\(key) IS NULL OR NOT EXISTS (SELECT 1 FROM main.\(target) AS d WHERE d.Z_PK = \(key))"
          ))
      }
      guard !terms.isEmpty else { continue }
      // A statement can have 2,000 terms.
      for start in stride(from: 0, to: terms.count, by: 500) {
        let part = terms[start..<min(terms.count, start + 500)]
        let list = part.map { "max(\($0.sql))" }.joined(separator: ", ")
        let row =
          try connection.rows(
            SQLFragment("SELECT \(list) FROM main.\(table.quotedIdentifier) AS t WHERE t.Z_ENT = \(number)")
          ).first ?? []
        for (term, cell) in zip(part, row) where cell == .integer(1) { result.insert(term.key) }
      }
    }
    return result
  }

  // MARK: - Cells of bytes

  private func samples(_ connection: FileConnection) throws -> Samples {
    var result = Samples()
    for entity in model.entities where columns.hasTable(entity.name) {
      let table = columns.table(of: entity.name)
      func look(_ attribute: AppleAttribute, _ storage: AppleColumns.Storage) throws {
        switch storage {
        case .elements(let members): for (element, storage) in members { try look(element, storage) }
        case .column(let column) where attribute.type == .binary || attribute.type == .transformable:
          let key = "\(table).\(column)"
          if result[key] == nil { result[key] = try sample(column, table, connection) }
        case .column, .none: break
        }
      }
      for attribute in entity.attributes where attribute.type == .composite || attribute.type == .transformable {
        try look(attribute, columns.storage(attribute.name, of: entity.name))
      }
    }
    return result
  }

  /// The content of the first cells of a column, or nil if the column is empty.
  private func sample(_ column: String, _ table: String, _ connection: FileConnection) throws -> SampleKind? {
    let rows = try connection.rows(
      """
      SELECT \(name: column) FROM main.\(name: table) WHERE typeof(\(name: column)) = 'blob' \
      AND length(\(name: column)) < 1000000 LIMIT 200
      """)
    var kinds = [SampleKind]()
    for row in rows {
      guard case .blob(let data) = row[0] else { continue }
      let kind = Self.kind(data)
      // An empty array fits arrays of every type.
      if let kind, !kinds.contains(kind) { kinds.append(kind) }
    }
    if kinds.isEmpty { return rows.isEmpty ? nil : .json }
    if kinds.count == 1 { return kinds[0] }
    return kinds.contains(.bytes) || kinds.contains(.data) ? .bytes : .json
  }

  private static func kind(_ data: Data) -> SampleKind? {
    guard let value = Archives.plainValue(data), !value.hasInstances else { return .bytes }
    guard case .array(let members) = value else {
      if case .data = value { return .bytes }
      return .json
    }
    if members.isEmpty { return nil }
    if members.allSatisfy({ $0.string != nil }) { return .strings }
    if members.allSatisfy({ $0.integer != nil }) { return .integers }
    return .json
  }
}
