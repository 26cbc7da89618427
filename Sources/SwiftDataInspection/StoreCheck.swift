import Foundation
import SwiftData
import SwiftDataAppleStore

/// A fault of a store.
public struct StoreFault: Sendable, Codable, Equatable {
  /// The area of the fault: `file`, `tables`, `references`, `uniqueness`, `inverses`, `externalData` and so on.
  public var area: String
  /// A description with the class and the property.
  public var text: String
  /// The number of objects with the fault.
  public var count: Int
}

extension InspectedStore {
  /// The faults of the store: references, uniqueness, inverses, orphaned external files.
  /// - Throws: `SwiftDataError` if it cannot be read.
  /// - Complexity: reads every object.
  public func faults() throws -> [StoreFault] {
    switch kind {
    case .apple:
      return try apple!.file.problems().map {
        StoreFault(area: $0.area.rawValue, text: $0.description, count: $0.count)
      }
    case .sqlite:
      var result = [StoreFault]()
      for row in try rows("PRAGMA quick_check(20)") {
        if case .text(let text) = row[0], text != "ok" { result.append(StoreFault(area: "file", text: text, count: 1)) }
      }
      return result + (try rowFaults(LayoutRecord.Index.isNumber)) + (try orphans())
    case .postgres:
      let found = try server!.faults().map { StoreFault(area: $0.area, text: $0.text, count: 1) }
      // The rows of tables that are not as the store made them cannot be counted.
      return found.contains { $0.area == "tables" } ? found : found + (try rowFaults { "\($0) <> 'NaN'::float8" })
    }
  }

  /// - Parameter isNumber: the database's condition for a value not to be NaN.
  private func rowFaults(_ isNumber: (String) -> String) throws -> [StoreFault] {
    var result = [StoreFault]()
    func count(_ area: String, _ text: String, _ statement: SQLFragment) throws {
      guard case .integer(let count)? = try rows(statement).first?.first, count > 0 else { return }
      result.append(StoreFault(area: area, text: text, count: Int(count)))
    }
    for table in layout.tables {
      for column in table.columns {
        let cell = column.name.quotedIdentifier
        if let reference = column.reference {
          try count(
            "references", "\(place(column, table)): keys lead to no object",
            """
            SELECT count(*) FROM \(name: table.name) AS o WHERE o.\(cell) IS NOT NULL \
            AND NOT EXISTS (SELECT 1 FROM \(name: reference.table) AS t WHERE t._pk = o.\(cell))
            """)
        }
        if column.isRequired {
          try count(
            "values", "\(place(column, table)): rows lack a required value",
            "SELECT count(*) FROM \(name: table.name) WHERE \(cell) IS NULL")
        }
        if mayNameFiles(column) { try result += externalFaults(column, table) }
      }
      for index in table.indices where index.isUnique && index.expressions == nil {
        let list = index.columns.map(\.quotedIdentifier).joined(separator: ", ")
        let filled =
          (index.columns.map { "\($0.quotedIdentifier) IS NOT NULL" } + [index.condition(isNumber)].compactMap(\.self))
          .joined(separator: " AND ")
        try count(
          "uniqueness",
          "\(index.classes?[0] ?? table.classes[0]).\(index.names.joined(separator: ", ")): values that must be unique are not",
          "SELECT count(*) FROM (SELECT 1 FROM \(name: table.name) WHERE \(filled) GROUP BY \(list) HAVING count(*) > 1) AS q"
        )
      }
    }
    for pairs in layout.pairTables {
      try count(
        "references", "\(pairs.name): pairs lead to no object",
        """
        SELECT count(*) FROM \(name: pairs.name) AS p \
        WHERE NOT EXISTS (SELECT 1 FROM \(name: pairs.source) AS t WHERE t._pk = p.source) \
        OR NOT EXISTS (SELECT 1 FROM \(name: pairs.target) AS t WHERE t._pk = p.target)
        """)
    }
    return result
  }

  private func place(_ column: LayoutRecord.Column, _ table: LayoutRecord.Table) -> String {
    "\(column.entity ?? table.name).\(column.propertyName)"
  }

  var externalFolder: URL { NewStore.externalFolder(of: URL(fileURLWithPath: location)) }

  /// Whether a cell of a column may be the name of an external file. In our own files each text in a column for data is one, also of a
  /// property that is not external any more. A server has no such files.
  func mayNameFiles(_ column: LayoutRecord.Column) -> Bool {
    switch kind {
    case .apple: column.isExternal
    case .sqlite: column.isExternal || column.affinity == .blob && [.data, .transformed].contains(column.family)
    case .postgres: false
    }
  }

  private func externalNames(_ column: LayoutRecord.Column, _ table: LayoutRecord.Table) throws -> [String] {
    try rows("SELECT \(name: column.name) FROM \(name: table.name) WHERE typeof(\(name: column.name)) = 'text'")
      .compactMap { if case .text(let name) = $0[0] { name } else { nil } }
  }

  private func externalFaults(_ column: LayoutRecord.Column, _ table: LayoutRecord.Table) throws -> [StoreFault] {
    try externalNames(column, table).compactMap { text in
      guard ExternalName(text) != nil else {
        return StoreFault(
          area: "externalData", text: "\(place(column, table)): \(text.debugDescription) is not the name of a file",
          count: 1)
      }
      if FileManager.default.fileExists(atPath: externalFolder.appendingPathComponent(text).path) { return nil }
      return StoreFault(
        area: "externalData", text: "\(place(column, table)): the file \(text) is missing from \(externalFolder.path)",
        count: 1)
    }
  }

  /// The external files that no row names.
  private func orphans() throws -> [StoreFault] {
    var names = Set((try? FileManager.default.contentsOfDirectory(atPath: externalFolder.path)) ?? [])
    for table in layout.tables {
      for column in table.columns where mayNameFiles(column) { names.subtract(try externalNames(column, table)) }
    }
    return names.sorted().filter { ExternalName($0) != nil }.map {
      StoreFault(area: "externalData", text: "no row names the file \($0)", count: 1)
    }
  }
}
