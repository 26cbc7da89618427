import Foundation
import SwiftData

/// What is wrong with a file: breaches of what Apple's frameworks hold true in every store.
package struct StoreProblem: Sendable, Codable, Hashable, CustomStringConvertible {
  package enum Area: String, Sendable, Codable, CaseIterable {
    case file, keys, rows, references, inverses, lists, uniqueness, values, externalData, history
  }
  package let area: Area
  package let entity: String?
  package let property: String?
  package let text: String
  /// How many rows have it.
  package let count: Int

  package var description: String {
    let place = [entity, property].compactMap(\.self).joined(separator: ".")
    return (place.isEmpty ? "" : place + ": ") + text + (count > 1 ? " (\(count))" : "")
  }
}

extension AppleFile {
  /// Everything that is wrong with the file, as far as it can be seen without Apple's frameworks.
  /// - Parameter areas: what to look for. An import asks only for what it would lose.
  /// - Throws: `SwiftDataError` where the file cannot be read.
  /// - Complexity: reads every row, some more than once.
  package func problems(in areas: Set<StoreProblem.Area> = Set(StoreProblem.Area.allCases)) throws -> [StoreProblem] {
    try read { connection in
      var checker = StoreChecker(file: self, connection: connection, areas: areas)
      try checker.run()
      return checker.problems
    }
  }
}

struct StoreChecker {
  let file: AppleFile
  let connection: FileConnection
  let areas: Set<StoreProblem.Area>
  var problems: [StoreProblem] = []

  init(file: AppleFile, connection: FileConnection, areas: Set<StoreProblem.Area>) {
    (self.file, self.connection, self.areas) = (file, connection, areas)
  }

  mutating func run() throws {
    if areas.contains(.file) {
      for row in try connection.rows("PRAGMA main.quick_check(20)") where row[0] != .text("ok") {
        if case .text(let text) = row[0] { note(.file, nil, nil, text, 1) }
      }
      for text in file.columns.missing { note(.file, nil, nil, text, 1) }
    }
    if areas.contains(.keys) { try checkKeys() }
    for entity in file.model.entities where file.columns.hasTable(entity.name) {
      try checkRows(of: entity)
      if areas.contains(.values) { try checkValues(of: entity) }
      for relationship in entity.relationships { try check(relationship, of: entity) }
    }
    if areas.contains(.externalData) { try checkExternalFiles() }
    if areas.contains(.history) { try checkHistory() }
  }

  mutating func note(
    _ area: StoreProblem.Area, _ entity: String?, _ property: String?, _ text: String, _ count: Int
  ) {
    problems.append(StoreProblem(area: area, entity: entity, property: property, text: text, count: count))
  }

  /// Notes a problem if a statement counts rows. Does nothing for an area that was not asked for.
  mutating func count(
    _ area: StoreProblem.Area, _ entity: String?, _ property: String?, _ text: String, _ statement: SQLFragment
  ) throws {
    guard areas.contains(area) else { return }
    guard case .integer(let found)? = try connection.rows(statement).first?.first, found > 0 else { return }
    note(area, entity, property, text, Int(found))
  }

  // MARK: - Keys and rows

  private mutating func checkKeys() throws {
    let listed = try connection.rows("SELECT Z_ENT, Z_SUPER, Z_MAX FROM main.Z_PRIMARYKEY")
    for entity in file.model.entities where !file.model.isInferred {
      guard let number = file.numbers[entity.name] else { continue }
      guard let row = listed.first(where: { $0[0] == .integer(number) }) else {
        note(.keys, entity.name, nil, "Z_PRIMARYKEY has no row for the entity", 1)
        continue
      }
      let parent = entity.superName.flatMap { file.numbers[$0] } ?? 0
      if row[1] != .integer(parent) { note(.keys, entity.name, nil, "Z_SUPER is not \(parent)", 1) }
      guard file.columns.hasTable(entity.name), entity.superName == nil else { continue }
      let table = file.columns.table(of: entity.name)
      guard case .integer(let highest)? = try connection.rows("SELECT max(Z_PK) FROM main.\(name: table)").first?.first
      else { continue }
      if case .integer(let last) = row[2], last >= highest { continue }
      note(.keys, entity.name, nil, "Z_MAX is less than the highest Z_PK, \(highest)", 1)
    }
  }

  private mutating func checkRows(of entity: AppleEntity) throws {
    let table = file.columns.table(of: entity.name)
    if entity.superName == nil {
      let numbers = file.model.family(of: entity.name).filter { !$0.isAbstract }.compactMap { file.numbers[$0.name] }
      let list = numbers.map(String.init).joined(separator: ", ")
      try count(
        .rows, entity.name, nil, "rows have a Z_ENT that is not an entity of the table",
        "SELECT count(*) FROM main.\(name: table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(list))")
      try count(
        .rows, entity.name, nil, "rows have no Z_OPT",
        "SELECT count(*) FROM main.\(name: table) WHERE typeof(Z_OPT) <> 'integer' OR Z_OPT < 1")
    }
    for tuple in entity.uniqueness {
      let columns = tuple.flatMap { name -> [String] in
        if case .toOne(let column, _) = file.columns.link(name, of: entity.name) { return [column] }
        return file.columns.storage(name, of: entity.name).columns
      }.map(\.quotedIdentifier)
      guard !columns.isEmpty else { continue }
      let list = columns.joined(separator: ", ")
      let filled = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
      try count(
        .uniqueness, entity.name, tuple.joined(separator: ", "), "values that must be unique are not",
        """
        SELECT count(*) FROM (SELECT 1 FROM main.\(name: table) WHERE \(filled) AND Z_ENT IN (\(family(entity))) \
        GROUP BY \(list) HAVING count(*) > 1)
        """)
    }
  }

  func family(_ entity: AppleEntity) -> String {
    file.model.family(of: entity.name).compactMap { file.numbers[$0.name] }.map(String.init).joined(separator: ", ")
  }

  // MARK: - Values

  /// One statement checks all attributes, so that a large table is read once.
  private mutating func checkValues(of entity: AppleEntity) throws {
    guard let number = file.numbers[entity.name] else { return }
    var checks = [(attribute: String, text: String, condition: String)]()
    for attribute in entity.attributes where !attribute.isTransient {
      let columns = file.columns.storage(attribute.name, of: entity.name).columns.map { "t.\($0.quotedIdentifier)" }
      guard !columns.isEmpty else { continue }
      if !attribute.isOptional, attribute.type != .transformable, attribute.type != .composite || attribute.isEnum {
        let empty = columns.map { "\($0) IS NULL" }.joined(separator: " AND ")
        checks.append((attribute.name, "rows lack a required value", empty))
      }
      if attribute.hasCases,
        case .elements(let cases) = file.columns.storage(attribute.name, of: entity.name)
      {
        // A case with several associated values has several columns.
        let filled = cases.map(\.storage.columns).filter { !$0.isEmpty }.map { columns in
          "(" + columns.map { "t.\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " OR ")
            + ")"
        }.joined(separator: " + ")
        checks.append((attribute.name, "rows have more than one case of the enum", "\(filled) > 1"))
      }
      guard let types = Self.storage(of: attribute.rawValue?.type ?? attribute.type) else { continue }
      checks.append(
        (
          attribute.name, "cells are of another type than the attribute",
          "typeof(\(columns[0])) NOT IN ('null', \(types))"
        ))
    }
    let table = file.columns.table(of: entity.name)
    // SQLite limits the columns of a result to 2,000.
    for start in stride(from: 0, to: checks.count, by: 500) {
      let part = checks[start..<min(start + 500, checks.count)]
      let counts = part.map { "count(CASE WHEN \($0.condition) THEN 1 END)" }.joined(separator: ", ")
      let row =
        try connection.rows("SELECT \(counts) FROM main.\(name: table) AS t WHERE Z_ENT = \(number)").first ?? []
      for (check, cell) in zip(part, row) {
        guard case .integer(let found) = cell, found > 0 else { continue }
        note(.values, entity.name, check.attribute, check.text, Int(found))
      }
    }
  }

  /// The result of SQLite's `typeof` for the cells of a type.
  private static func storage(of type: AppleType) -> String? {
    switch type {
    case .int16, .int32, .int64, .bool: "'integer'"
    case .double, .float, .date, .decimal: "'integer', 'real'"
    case .string, .url: "'text'"
    case .uuid, .binary, .transformable: "'blob'"
    case .composite, .undefined, .objectID: nil
    }
  }

  // MARK: - Files and history

  private mutating func checkExternalFiles() throws {
    let folder = AppleFile.externalFolder(of: file.url)
    var left = Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    for entity in file.model.entities where file.columns.hasTable(entity.name) {
      guard let number = file.numbers[entity.name] else { continue }
      for attribute in entity.attributes where attribute.isExternal {
        guard case .column(let column) = file.columns.storage(attribute.name, of: entity.name) else { continue }
        let cells = try connection.rows(
          """
          SELECT \(name: column) FROM main.\(name: file.columns.table(of: entity.name)) \
          WHERE Z_ENT = \(number) AND substr(\(name: column), 1, 1) = x'02'
          """)
        for cell in cells {
          guard case .text(let name)? = Conversion.plain(attribute).read?(cell) else { continue }
          if !FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path) {
            note(.externalData, entity.name, attribute.name, "the file \(name) is missing from \(folder.path)", 1)
          }
          left.remove(name)
        }
      }
    }
    for name in left.sorted() where UUID(uuidString: name) != nil {
      note(.externalData, nil, nil, "no row names the file \(name)", 1)
    }
  }

  private mutating func checkHistory() throws {
    guard file.tables["ATRANSACTION"] != nil, file.tables["ACHANGE"] != nil else { return }
    try count(
      .history, nil, nil, "changes belong to no transaction",
      "SELECT count(*) FROM main.ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM main.ATRANSACTION)")
    try count(
      .history, nil, nil, "changes are of no known kind",
      "SELECT count(*) FROM main.ACHANGE WHERE ZCHANGETYPE NOT IN (0, 1, 2)")
    try count(
      .history, nil, nil, "changes that are not updates name columns",
      "SELECT count(*) FROM main.ACHANGE WHERE ZCHANGETYPE <> 1 AND ZCOLUMNS IS NOT NULL")
    for entity in file.model.entities {
      guard let number = file.numbers[entity.name] else { continue }
      let width = (ChangeBits(entity, file.model).properties.count + 7) / 8
      try count(
        .history, entity.name, nil, "updates name columns in more than \(width) bytes",
        "SELECT count(*) FROM main.ACHANGE WHERE ZENTITY = \(number) AND ZCHANGETYPE = 1 AND length(ZCOLUMNS) > \(width)"
      )
    }
    for (name, table) in [
      ("CHANGE", "ACHANGE"), ("TRANSACTION", "ATRANSACTION"), ("TRANSACTIONSTRING", "ATRANSACTIONSTRING"),
    ]
    where file.tables[table] != nil {
      try count(
        .history, nil, nil, "Z_MAX of \(name) is less than the highest key",
        """
        SELECT count(*) FROM main.\(name: table) WHERE Z_PK > \
        coalesce((SELECT Z_MAX FROM main.Z_PRIMARYKEY WHERE Z_NAME = \(bind: .text(name))), -1)
        """)
    }
    guard file.tables["ATRANSACTIONSTRING"] != nil else { return }
    for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZPROCESSIDTS", "ZCONTEXTNAMETS"]
    where file.tables["ATRANSACTION"]?[column] != nil {
      try count(
        .history, nil, nil, "\(column) names no string",
        """
        SELECT count(*) FROM main.ATRANSACTION WHERE \(name: column) IS NOT NULL \
        AND \(name: column) NOT IN (SELECT Z_PK FROM main.ATRANSACTIONSTRING)
        """)
    }
  }
}
