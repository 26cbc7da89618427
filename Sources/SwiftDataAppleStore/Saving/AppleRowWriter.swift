import Foundation
import SwiftData

/// Executes a save in the tables of an Apple store, so that Apple's frameworks find what they would have written.
final class AppleRowWriter: RowWriter {
  let store: AppleStore
  let connection: FileConnection
  let files: ExternalFiles
  var file: AppleFile { store.file }
  var mapping: ViewMapping { store.mapping }
  /// The rows whose to-ones were written, by class.
  private var related: [String: Set<Int64>] = [:]
  /// The required to-ones that led to deleted rows.
  var required: [RequiredTarget] = []
  /// The cells of what a class leaves out, by class.
  var leftOutCells: [String: [(column: String, cell: SQLValue)]] = [:]
  /// The values of deleted rows that the history keeps.
  var tombstones: [Row: [SQLValue]] = [:]

  struct Row: Hashable {
    let entity: String
    let key: Int64
  }

  /// Objects whose required to-one led to deleted rows.
  struct RequiredTarget {
    let entity: String
    let relationship: String
    let table: String
    let column: String
    /// The deleted rows.
    let keys: [Int64]
    let holders: [Int64]
  }

  init(_ store: AppleStore, _ connection: FileConnection) {
    (self.store, self.connection) = (store, connection)
    files = ExternalFiles(AppleFile.externalFolder(of: store.file.url))
  }

  func rows(_ statement: SQLFragment) throws -> [[SQLValue]] { try connection.rows(statement) }

  func cells(of keys: [Int64], _ properties: [__Property], in table: EntityTable) throws -> [Int64: [SQLValue]] {
    let columns = properties.map { TableNames.column(for: $0).quotedIdentifier }.joined(separator: ", ")
    let among = store.dialect.isAmong("_pk", keys)
    var found = [Int64: [SQLValue]]()
    for row in try connection.rows("SELECT _pk, \(columns) FROM \(name: table.name) WHERE \(among)") {
      if case .integer(let key) = row[0] { found[key] = Array(row.dropFirst()) }
    }
    return found
  }

  /// Where the file keeps a class.
  func place(of table: EntityTable) throws -> (table: ViewMapping.Table, class: ViewMapping.Class, number: Int64) {
    guard let known = mapping.table(named: table.name),
      let member = known.classes.first(where: { $0.name == table.entity.name }),
      let number = file.numbers[member.entity]
    else {
      throw SwiftDataError(
        .unknownSchema, entity: table.entity.name,
        message: "the model inside the file lacks this class; `swiftdata models` prints the classes of the file")
    }
    return (known, member, number)
  }

  // MARK: - Keys

  func takeKeys(_ count: Int, for table: EntityTable) throws -> [Int64] {
    let known = try place(of: table)
    let first = try takeKeys(count, of: file.model.root(of: known.class.entity), table: known.table.appleTable)
    return (0..<Int64(count)).map { first + $0 }
  }

  /// The highest key ever given is kept with the root entity; keys are not given again.
  /// - Returns: the first of the keys.
  func takeKeys(_ count: Int, of entity: String, table: String) throws -> Int64 {
    let number = file.numbers[entity] ?? 0
    let rows = try connection.rows(
      "SELECT Z_MAX, (SELECT max(Z_PK) FROM main.\(name: table)) FROM main.Z_PRIMARYKEY WHERE Z_ENT = \(number)")
    func key(_ cell: SQLValue?) -> Int64 { if case .integer(let value)? = cell { value } else { 0 } }
    let last = max(key(rows.first?[0]), key(rows.first?[1]), 0)
    let (end, overflow) = last.addingReportingOverflow(Int64(count))
    guard !overflow else {
      throw SwiftDataError(
        .storeDamaged, entity: entity, message: "the file says that every key was given (Z_MAX is \(last))")
    }
    if rows.isEmpty {
      try connection.run(
        """
        INSERT INTO main.Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) \
        VALUES (\(number), \(bind: .text(entity)), 0, \(end))
        """)
    } else {
      try connection.run("UPDATE main.Z_PRIMARYKEY SET Z_MAX = \(end) WHERE Z_ENT = \(number)")
    }
    return last + 1
  }

  // MARK: - Inserts

  func insert(_ groups: [ObjectGroup], of save: RowSave) throws {
    for group in groups {
      let known = try place(of: group.table)
      if file.model.entity(named: known.class.entity)?.isAbstract == true {
        throw SwiftDataError(
          .modelValidationFailure, entity: group.table.entity.name,
          message: "the entity is abstract in the file; insert one of its subclasses")
      }
      for object in group.objects { try insert(object, group.table, known, save) }
    }
    guard !save.merged.isEmpty else { return }
    // Rows that were written before their target turned out to be another row point at that row now.
    for group in groups {
      for object in group.objects {
        let stale = save.mergedTargets(of: object, group.table)
        if !stale.isEmpty { try update(object, stale, group.table) }
      }
    }
  }

  private func insert(
    _ object: any PersistentModel, _ table: EntityTable,
    _ known: (table: ViewMapping.Table, class: ViewMapping.Class, number: Int64), _ save: RowSave
  ) throws {
    var names = ["Z_PK", "Z_ENT", "Z_OPT"]
    var cells: [SQLValue] = [.integer(object.__state.key), .integer(known.number), .integer(1)]
    for (column, cell) in try self.cells(of: object, table.stored, known.class) {
      names.append(column)
      cells.append(cell)
    }
    for (column, cell) in try leftOut(of: known.class, written: names) {
      names.append(column)
      cells.append(cell)
    }
    let list = names.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let statement = SQLFragment(
      "INSERT INTO main.\(known.table.appleTable.quotedIdentifier) (\(list)) VALUES (\(marks))", cells)
    do {
      try connection.run(statement)
      related[known.class.name, default: []].insert(object.__state.key)
    } catch let error as SwiftDataError where error.code == .uniquenessViolation {
      try merge(object, table, known, error, save)
    }
  }

  /// The cells that an object writes to Apple's columns.
  private func cells(
    of object: any PersistentModel, _ properties: [__Property], _ member: ViewMapping.Class
  ) throws -> [(column: String, cell: SQLValue)] {
    var result = [(String, SQLValue)]()
    for property in properties {
      guard let known = member.property(TableNames.column(for: property)) else { continue }
      let writer = ValueWriter()
      writer.current = property
      try object.__encode(property.index, to: writer)
      guard let cell = writer.values.first else { continue }
      if cell == .text("nan"), ValueFamily(property) == .real || ValueFamily(property) == .date {
        throw SwiftDataError(
          .unwritableValue, entity: property.entityName, property: property.name,
          message: "its value is NaN, which Apple's store format cannot hold; use nil instead")
      }
      switch known.source {
      case .attribute(_, let columns, let conversion):
        var cell = cell
        if conversion.isExternal, case .blob(let data) = cell, data.count > ExternalFiles.threshold {
          cell = .text(try files.write(data))
        }
        let cells: [SQLValue]
        do {
          cells = try conversion.write(cell)
        } catch {
          throw SwiftDataError(
            .unwritableValue, entity: property.entityName, property: property.name,
            message: (error as? SwiftDataError)?.message ?? "its value cannot be written as the file keeps it",
            underlying: error)
        }
        result += zip(columns, cells)
      case .toOne(_, let column, _): result.append((column, cell))
      case .position: break
      }
    }
    return result
  }

  /// Writes a new object over the stored row that has its unique values.
  private func merge(
    _ object: any PersistentModel, _ table: EntityTable,
    _ known: (table: ViewMapping.Table, class: ViewMapping.Class, number: Int64), _ collision: SwiftDataError,
    _ save: RowSave
  ) throws {
    for constraint in table.uniqueness {
      let terms = try cells(of: object, constraint.terms.map(\.property), known.class)
      guard !terms.isEmpty, terms.allSatisfy({ $0.cell != .null }) else { continue }
      let numbers = constraint.classes.map { names in
        known.table.classes.filter { names.contains($0.name) }.flatMap(\.numbers).map(String.init)
      }
      let condition =
        (terms.map { "\($0.column.quotedIdentifier) = ?" }
        + [numbers.map { "Z_ENT IN (\($0.joined(separator: ", ")))" }].compactMap(\.self)).joined(separator: " AND ")
      let found = try connection.rows(
        SQLFragment(
          "SELECT Z_PK, Z_ENT FROM main.\(known.table.appleTable.quotedIdentifier) WHERE \(condition)",
          terms.map(\.cell)))
      guard case .integer(let key)? = found.first?[0] else { continue }
      if case .integer(let number)? = found.first?[1], number != known.number {
        let other = file.numbers.first { $0.value == number }?.key ?? "object of another class"
        throw RowSave.otherClass(other, table, constraint.terms.map(\.name), underlying: collision)
      }
      let written = try save.merge(object, table, into: key, by: self)
      if !written.isEmpty { try update(object, written, table) }
      return
    }
    throw collision
  }

  // MARK: - Updates

  func freeUniqueValues(_ updates: [ObjectGroup]) throws {
    for group in updates where group.table.uniqueProperties.intersects(group.properties) {
      let known = try place(of: group.table)
      let columns = group.table.stored.filter {
        group.table.uniqueProperties.contains($0.index) && group.properties.contains($0.index) && !$0.isExternal
      }.flatMap { known.class.property(TableNames.column(for: $0)).map(ViewMapping.columns) ?? [] }
      guard !columns.isEmpty else { continue }
      let list = columns.map { "\($0.quotedIdentifier) = randomblob(24)" }.joined(separator: ", ")
      for object in group.objects {
        try connection.run(
          "UPDATE main.\(name: known.table.appleTable) SET \(list) WHERE Z_PK = \(bind: .integer(object.__state.key))")
      }
    }
  }

  func update(_ group: ObjectGroup, _ properties: [__Property]) throws {
    for object in group.objects {
      if try update(object, properties, group.table) == 0 { throw RowSave.stale(group.table) }
    }
  }

  @discardableResult
  private func update(_ object: any PersistentModel, _ properties: [__Property], _ table: EntityTable) throws -> Int {
    let known = try place(of: table)
    let key = object.__state.key
    try noteOldFiles(of: [key], properties, known)
    var assignments = [String]()
    var arguments = [SQLValue]()
    for (column, cell) in try cells(of: object, properties, known.class) {
      assignments.append("\(column.quotedIdentifier) = ?")
      arguments.append(cell)
      // A place in the list of the former owner means nothing to the next one.
      let position = "Z_FOK_" + column.dropFirst()
      guard file.tables[known.table.appleTable]?[position] != nil else { continue }
      assignments.append(
        "\(position.quotedIdentifier) = CASE WHEN \(column.quotedIdentifier) IS ? THEN \(position.quotedIdentifier) END"
      )
      arguments.append(cell)
    }
    related[known.class.name, default: []].insert(key)
    guard !assignments.isEmpty else { return 1 }
    return try connection.run(
      SQLFragment(
        "UPDATE main.\(known.table.appleTable.quotedIdentifier) SET \(assignments.joined(separator: ", "))"
          + " WHERE Z_PK = ?", arguments + [.integer(key)]))
  }

  func clear(_ property: __Property, of keys: [Int64], in table: EntityTable) throws {
    let known = try place(of: table)
    guard case .toOne(_, let column, _)? = known.class.property(TableNames.column(for: property))?.source else {
      return
    }
    related[known.class.name, default: []].formUnion(keys)
    try connection.run(
      """
      UPDATE main.\(name: known.table.appleTable) SET \(name: column) = NULL \
      WHERE \(store.dialect.isAmong("Z_PK", keys))
      """)
  }

  func noteOldFiles(
    of keys: [Int64], _ properties: [__Property],
    _ known: (table: ViewMapping.Table, class: ViewMapping.Class, number: Int64)
  ) throws {
    for property in properties {
      let name = TableNames.column(for: property)
      guard case .attribute(_, let columns, let conversion)? = known.class.property(name)?.source,
        conversion.isExternal, let column = columns.first
      else { continue }
      let rows = try connection.rows(
        """
        SELECT \(name: column) FROM main.\(name: known.table.appleTable) \
        WHERE substr(\(name: column), 1, 1) = x'02' AND \(store.dialect.isAmong("Z_PK", keys))
        """)
      for row in rows { if case .text(let name)? = conversion.read?(row) { files.remove(name) } }
    }
  }

  // MARK: - The end

  /// Fills the columns that follow from others: the entity of a to-one's target, and the place in an ordered list.
  func finish() throws {
    try checkRequired()
    for table in mapping.tables {
      var placed = Set<String>()
      let all = table.classes.reduce(into: Set<Int64>()) { $0.formUnion(related[$1.name] ?? []) }
      guard !all.isEmpty else { continue }
      for member in table.classes {
        for property in member.properties {
          guard case .toOne(let relationship, let column, let entityColumn) = property.source else { continue }
          if let entityColumn, let keys = related[member.name], !keys.isEmpty {
            try noteEntity(of: relationship, column, entityColumn, in: table.appleTable, keys)
          }
          if placed.insert(column).inserted { try place(all, column, in: table.appleTable) }
        }
      }
    }
  }

  private func noteEntity(
    of relationship: AppleRelationship, _ column: String, _ entityColumn: String, in table: String, _ keys: Set<Int64>
  ) throws {
    let target = file.columns.table(of: relationship.destination)
    try connection.run(
      """
      UPDATE main.\(name: table) SET \(name: entityColumn) = \
      (SELECT d.Z_ENT FROM main.\(name: target) AS d WHERE d.Z_PK = main.\(name: table).\(name: column)) \
      WHERE \(store.dialect.isAmong("Z_PK", keys.sorted()))
      """)
  }

  /// Gives rows that came to an ordered list without a place one at its end.
  private func place(_ keys: Set<Int64>, _ column: String, in table: String) throws {
    let position = "Z_FOK_" + column.dropFirst()
    guard file.tables[table]?[position] != nil else { return }
    let rows = try connection.rows(
      """
      SELECT Z_PK, \(name: column), \
      (SELECT max(s.\(name: position)) FROM main.\(name: table) AS s WHERE s.\(name: column) = t.\(name: column)) \
      FROM main.\(name: table) AS t WHERE \(name: column) IS NOT NULL AND \(name: position) IS NULL \
      AND \(store.dialect.isAmong("Z_PK", keys.sorted())) ORDER BY Z_PK
      """)
    var last = [SQLValue: Int64]()
    for row in rows {
      var greatest = last[row[1]] ?? 1024
      if last[row[1]] == nil, case .integer(let value) = row[2] { greatest = value }
      let (place, overflow) = greatest.addingReportingOverflow(1024)
      guard !overflow else {
        throw SwiftDataError(
          .storeDamaged, message: "the file's ordered list in \(table).\(column) has no place after \(greatest)")
      }
      last[row[1]] = place
      try connection.run(
        "UPDATE main.\(name: table) SET \(name: position) = \(place) WHERE Z_PK = \(bind: row[0])")
    }
  }
}
