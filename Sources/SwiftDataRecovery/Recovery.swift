import CSwiftDataSQLite
import Foundation
import SwiftData

/// A recovery: reads the damaged database and fills the new store.
struct Recovery {
  private let schema: Schema
  private let oldFiles: ExternalStorage
  private let configuration: ModelConfiguration
  private let newFiles: ExternalStorage
  private var database: DamagedDatabase
  private var report = ModelContainer.RecoveryReport()
  private var refused: [String: [String: [Int64]]] = [:]
  private var nonNFC: Set<String> = []
  /// The external files that the new store has.
  private var copiedFiles: Set<ExternalName> = []

  init(from damaged: URL, to new: URL, _ schema: Schema) throws {
    self.schema = schema
    oldFiles = ExternalStorage(ModelConfiguration(url: damaged))
    configuration = ModelConfiguration(schema: schema, url: new)
    newFiles = ExternalStorage(configuration)
    database = try DamagedDatabase(damaged.resolvingSymlinksInPath().path)
  }

  mutating func run() throws -> ModelContainer.RecoveryReport {
    let current = VersionLayout(schema)
    var known = readMetadata(current)
    let layout = known.layout.union(known.retained)
    let connections = try StoreFile.open(configuration)
    defer { try? connections.close() }
    try StoreErrors.translating(configuration, current.layout) {
      try connections.withWriter { database in
        // Targets of foreign keys may follow later, or be lost.
        try database.execute("PRAGMA foreign_keys = OFF")
        defer { try? database.execute("PRAGMA foreign_keys = ON") }
        try database.transaction {
          try Metadata.createTables(database)
          for statement in layout.creationStatements() { try database.execute(statement) }
          try fill(database, layout, current.layout)
          if isForgotten, known.encryption.isEmpty {
            known = known.with(try EncryptionRecord(foundIn: database, current.layout.tables))
          }
          try known.write(to: database)
        }
      }
    }
    guard report.entities.contains(where: { $0.recovered > 0 }) || !hasNothingOfAStore else {
      throw SwiftDataError(
        .notADatabase,
        message: "nothing in the file belongs to a SwiftData store; the file was not changed, and no store was"
          + " created")
    }
    if !known.encryption.isEmpty {
      report.notes.append("encrypted values were copied as they are; nothing was decrypted")
    } else if known.layout == current.layout.record {
      try removeUnreadable(current)
    }
    addNotes()
    return report
  }

  // MARK: - What the store says of itself

  private var hasNothingOfAStore = false
  private var isForgotten = false

  private mutating func readMetadata(_ current: VersionLayout) -> Metadata {
    var values = [String: String]()
    for record in database.records("_swiftdata").records {
      if case .text(let key)? = record.first, case .text(let value)? = record.last { values[key] = value }
    }
    func decode<V: Decodable>(_ key: String) -> V? {
      values[key].flatMap { try? JSONCoding.decode(V.self, from: Data($0.utf8)) }
    }
    let encryption = decode("encryption") ?? EncryptionRecord()
    if let identifier = values["identifier"], let schema = values["schema"],
      let format = values["format"], StoreFile.readable.contains(format),
      let version: Schema.Version = decode("version"), let layout: LayoutRecord = decode("layout"),
      let retained: LayoutRecord = decode("retained")
    {
      return Metadata(
        identifier: identifier, schema: schema, version: version, layout: layout, retained: retained,
        encryption: encryption, format: StoreFile.convertible.contains(format) ? format == "3" ? "3" : "2" : nil)
    }
    hasNothingOfAStore = values.isEmpty
    isForgotten = true
    report.notes.append(
      "the store's description is lost; the recovery used the models that the program names, of version"
        + " \(schema.version)")
    // The tables themselves tell the format.
    let former = FormerLayout.stored(current.layout)
    let isFormer = database.nameCount(of: former) > database.nameCount(of: current.layout.record)
    return Metadata(
      identifier: values["identifier"] ?? UUID().uuidString, schema: (try? Metadata.encode(schema)) ?? "",
      version: schema.version, layout: isFormer ? former : current.layout.record, encryption: encryption,
      format: isFormer ? encryption.isEmpty ? "2" : "3" : nil)
  }

  private mutating func addNotes() {
    if database.isHeaderDamaged { report.notes.append("the head of the file is damaged") }
    if !database.isSchemaWhole { report.notes.append("the list of the tables is damaged") }
    if database.hasUncommittedLog {
      report.notes.append("the log ends in an incomplete save, which was ignored, as SQLite does")
    }
  }

  // MARK: - Rows

  private mutating func fill(_ target: SQLiteDatabase, _ layout: LayoutRecord, _ current: StoreLayout) throws {
    var creations = [String: String]()
    for table in layout.tables {
      creations[table.name] = table.creation { AddedColumn.value(of: $0, in: table.name, current)?.sqlLiteral }
    }
    for pairs in layout.pairTables { creations[pairs.name] = pairs.creation() }
    var statements = [String: SQLiteStatement]()
    let columns = try columns(of: creations.keys.sorted(), target)
    var source = database
    let found = try source.read(creations) { table, key, cells in
      try insert(cells, key, table, columns[table] ?? [], &statements, layout, target)
    }
    database = source
    // The rows that name the files are committed later.
    if !copiedFiles.isEmpty { try newFiles.syncNames() }
    try dropDangling(target, layout)
    try note(found, target, layout)
    try writeCounters(target, layout)
    for column in nonNFC.sorted() {
      try target.run(
        "INSERT OR IGNORE INTO _swiftdata_denormalized (column_name) VALUES (?)", [.text(column)])
    }
  }

  private struct Column {
    let name: String
    let isRequired: Bool
    let isText: Bool
    let mayBeFile: Bool
  }

  private func columns(of tables: [String], _ target: SQLiteDatabase) throws -> [String: [Column]] {
    var result = [String: [Column]]()
    for table in tables {
      result[table] = try target.rows(
        "SELECT name, type, \"notnull\" FROM pragma_table_info(?)", [.text(table)]
      ) { row in
        let type = row.string(1)
        return Column(
          name: row.string(0), isRequired: row.integer(2) != 0, isText: type == "TEXT",
          mayBeFile: type == "BLOB" || type.isEmpty)
      }
    }
    return result
  }

  private mutating func insert(
    _ cells: [String: SQLValue], _ key: Int64, _ table: String, _ columns: [Column],
    _ statements: inout [String: SQLiteStatement], _ layout: LayoutRecord, _ target: SQLiteDatabase
  ) throws {
    var arguments = [SQLValue]()
    for column in columns {
      var cell = cells[column.name] ?? .null
      if case .text(let text) = cell {
        if column.mayBeFile, let name = ExternalName(text), try !copyFile(name) {
          report.missingFiles += 1
          cell = column.isRequired ? .blob(Data()) : .null
        }
        if column.isText, !SwiftText.isNFC(text) { nonNFC.insert("\(table).\(column.name)") }
      }
      arguments.append(cell)
    }
    if statements[table] == nil {
      let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
      let marks = columns.map { _ in "?" }.joined(separator: ", ")
      statements[table] = try target.statement(
        "INSERT INTO \(table.quotedIdentifier) (\(names)) VALUES (\(marks))")
    }
    do {
      try statements[table]?.run(arguments)
    } catch let error as SQLiteError where error.primaryCode == SQLITE_CONSTRAINT {
      let reason =
        error.code == StoreErrors.notNullConstraint
        ? "a value that is required is damaged" : "another object has the same unique value"
      refused[table, default: [:]][reason, default: []].append(key)
    } catch let error as SQLiteError where error.primaryCode == SQLITE_MISMATCH {
      refused[table, default: [:]]["a value is not of the type of its property", default: []].append(key)
    }
  }

  /// - Returns: whether the damaged store has the file.
  /// - Throws: `SwiftDataError` if the copy cannot be written.
  private mutating func copyFile(_ name: ExternalName) throws -> Bool {
    if copiedFiles.contains(name) { return true }
    guard let data = try? oldFiles.read(name) else { return false }
    // A recovery that was interrupted may have left a part of the copy.
    unlink(newFiles.path(name))
    do {
      try newFiles.write(data, as: name)
    } catch let error as SwiftDataError {
      throw SwiftDataError(
        error.code,
        message: "the external data \(name.text) cannot be written to \(newFiles.directory.path)"
          + (error == .storeFull ? ", because the disk is full; free space and recover again" : ""),
        underlying: error)
    }
    copiedFiles.insert(name)
    return true
  }

  /// Clears relationships to lost objects, and removes objects whose required target is lost.
  private mutating func dropDangling(_ target: SQLiteDatabase, _ layout: LayoutRecord) throws {
    while true {
      try ForeignKeys.apply(layout, to: Set(layout.tables.map(\.name)), target)
      let violations = try target.rows("PRAGMA foreign_key_check") { ($0.string(0), $0.value(1), $0.string(2)) }
      guard !violations.isEmpty else { return }
      for (table, row, lost) in violations {
        guard case .integer(let key) = row else { continue }
        try target.run("DELETE FROM \(table.quotedIdentifier) WHERE rowid = ?", [row])
        refused[table, default: [:]]["they need a \(lost) that is lost", default: []].append(key)
      }
    }
  }

  private mutating func note(
    _ found: [String: DamagedDatabase.Found], _ target: SQLiteDatabase, _ layout: LayoutRecord
  ) throws {
    for (name, table) in found.sorted(by: { $0.key < $1.key }) {
      var entity = ModelContainer.RecoveryReport.Entity(name: name, isRelationship: layout.table(named: name) == nil)
      entity.recovered = Int(try target.integer("SELECT count(*) FROM \(name.quotedIdentifier)") ?? 0)
      if !table.missing.isEmpty {
        entity.lost.append(.init("their pages are damaged", count: table.missing.count, keys: table.missing))
      }
      if table.damaged > 0 { entity.lost.append(.init("their rows are damaged", count: table.damaged)) }
      for range in table.lost {
        let (low, high) = (range.lowerBound, range.upperBound)
        let place = low == .min && high == .max ? "of the table" : "of the keys \(max(low, 1)) to \(high)"
        entity.lost.append(.init("pages \(place) are damaged", count: nil))
      }
      for (reason, keys) in (refused[name] ?? [:]).sorted(by: { $0.key < $1.key }) {
        entity.lost.append(.init(reason, count: keys.count, keys: keys))
      }
      report.entities.append(entity)
    }
  }

  /// Continues the counter of keys, and expires tokens of the old history.
  private mutating func writeCounters(_ target: SQLiteDatabase, _ layout: LayoutRecord) throws {
    var counters = [String: Int64]()
    for record in database.records("_swiftdata_keys").records {
      if case .text(let name)? = record.first, case .integer(let last)? = record.last, last > 0, last < 1 << 62 {
        counters[name] = last
      }
    }
    for table in layout.tables {
      let last = try target.integer("SELECT max(_pk) FROM \(table.name.quotedIdentifier)") ?? 0
      counters[table.name] = max(counters[table.name] ?? 0, last)
    }
    let history = try source(lastOf: "_swiftdata_history") + 1
    counters[HistoryTables.deleted] = max(counters[HistoryTables.deleted] ?? 0, history)
    for (name, last) in counters.sorted(by: { $0.key < $1.key }) {
      try target.run(StoreCounters.raising(), [.text(name), .integer(last)])
    }
  }

  private mutating func source(lastOf table: String) throws -> Int64 {
    let creation = HistoryTables.creationStatements.first { $0.contains(table) } ?? ""
    var last: Int64 = 0
    _ = try database.read([table: creation]) { _, key, _ in last = max(last, key) }
    // A damaged key may be any number, and later keys need room.
    return min(last, 1 << 30)
  }

  // MARK: - Values

  /// Opens the new store, and removes rows that cannot be decoded.
  private mutating func removeUnreadable(_ current: VersionLayout) throws {
    let store = try StoreOpening.open(configuration, current)
    let readable = SearchUnreadable(store: store, layout: current.layout)
    try store.write { connection in
      for (table, failures) in try readable.find(connection) {
        for (reason, keys) in failures {
          for key in keys {
            try connection.execute(
              SQLFragment("DELETE FROM \(table.quotedIdentifier) WHERE _pk = ?", [.integer(key)]))
          }
          guard let index = report.entities.firstIndex(where: { $0.name == table }) else { continue }
          report.entities[index].recovered -= keys.count
          report.entities[index].lost.append(.init(reason, count: keys.count, keys: keys))
        }
      }
    }
  }
}

/// Finds rows with values that do not fit their properties.
private struct SearchUnreadable {
  let store: SQLiteStore
  let layout: StoreLayout

  /// - Returns: for each table, the keys of such rows by reason.
  func find(_ connection: SQLiteConnection) throws -> [String: [String: [Int64]]] {
    var result = [String: [String: [Int64]]]()
    for table in layout.tables {
      let condition = table.hasDiscriminator ? " WHERE t0._entity = \(table.entity.name.quotedLiteral)" : ""
      let query = SQLFragment("SELECT \(table.select()) FROM \(table.name.quotedIdentifier) AS t0\(condition)")
      try connection.run(query, of: table, entity: table.entity) { reader in
        reader.columns = table.positions[table.entity.name]!
        while try reader.next() {
          reader.deferred = PropertySet()
          do {
            _ = try table.entity.type.init(__row: reader)
          } catch let error as SwiftDataError {
            let reason = "the value of \(error.property ?? "a property") is damaged"
            result[table.name, default: [:]][reason, default: []].append(reader.int64(0))
          }
        }
      }
    }
    for table in layout.record.tables where table.hasDiscriminator {
      let classes = table.classes.map { SQLValue.text($0) }
      let marks = classes.map { _ in "?" }.joined(separator: ", ")
      let query = SQLFragment(
        "SELECT _pk FROM \(table.name.quotedIdentifier) WHERE _entity NOT IN (\(marks))", classes)
      let keys = try connection.rows(query) { $0.integer(0) }
      if !keys.isEmpty { result[table.name, default: [:]]["the name of their class is damaged"] = keys }
    }
    return result
  }
}
