import Foundation
import GRDB
import GRDBSQLite

/// Opens an SQLite file and makes it fit the schema, or says why it does not.
enum StoreOpening {
  /// The version of the file format: tables and columns as `EntityTable` lays them out.
  static let format = "2"
  /// Earlier ones that opening brings up to date.
  static let convertible: Set = ["1"]

  /// How much of the file a connection keeps in memory, in KiB; only as much as was read is taken. SQLite's own 2 MB
  /// hold no index of a hundred thousand rows, and then every insertion reads pages again.
  private static let cacheSize = 16_000

  static func open(_ configuration: ModelConfiguration) throws -> StoreConnections {
    var options = Configuration()
    options.label = "SwiftData \(configuration.name)"
    options.busyMode = .timeout(configuration.lockTimeout)
    let isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
    options.readonly = isReadOnly
    options.prepareDatabase { database in
      try SwiftFunctions.register(on: database.sqliteConnection!)
      try database.execute(sql: "PRAGMA cache_size = -\(cacheSize)")
    }
    do {
      if configuration.isStoredInMemoryOnly { return try StoreConnections(inMemory: options) }
      let folder = configuration.url.deletingLastPathComponent()
      if !isReadOnly { try DurableFiles.createFolder(folder.path) }
      try checkLog(of: configuration)
      return try openFile(configuration, options)
    } catch let error as DatabaseError {
      throw StoreErrors.error(
        code: error.extendedResultCode.rawValue, message: error.message, sql: error.sql, configuration: configuration,
        layout: nil)
    } catch let error as POSIXError {
      throw SwiftDataError(
        .io, message: "the folder of \"\(configuration.url.path)\" cannot be made", underlying: error)
    }
  }

  /// SQLite takes the log of a database that is gone for one of no use, and removes it.
  private static func checkLog(of configuration: ModelConfiguration) throws {
    func size(_ path: String) -> Int {
      var information = stat()
      return stat(path, &information) == 0 ? Int(information.st_size) : 0
    }
    let path = configuration.url.resolvingSymlinksInPath().path
    guard size(path + "-wal") > 0, size(path) == 0 else { return }
    throw SwiftDataError(
      .storeDamaged,
      message: "\"\(path)-wal\" has saves that belong to \"\(path)\", which is missing or empty; put the database back"
        + " beside it, or salvage what the log has with ModelContainer.recover(from:to:for:). Nothing was touched")
  }

  /// SQLite does not wait by itself for another process that makes the same new file a write-ahead one.
  private static func openFile(
    _ configuration: ModelConfiguration, _ options: Configuration
  ) throws -> StoreConnections {
    let deadline = Date(timeIntervalSinceNow: configuration.lockTimeout)
    while true {
      do {
        return try StoreConnections(
          path: configuration.url.path, options: options, durability: configuration.durability)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && Date() < deadline {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  /// Creates what a new store needs, or leads an existing one to the target.
  static func prepare(
    _ connections: StoreConnections, target: MigrationTarget, externalStorage: ExternalStorage
  ) throws -> (identifier: String, steps: [MigrationSummary.Step]) {
    let configuration = target.configuration
    do {
      let encoded = try Metadata.encode(target.current.schema)
      let known = try connections.read { try Metadata($0, configuration) }
      if let known {
        let path = try MigrationPath(from: known, to: target)
        let isCurrent = path.steps.isEmpty && known.format == format
        if isCurrent, known.schema == encoded, known.version == path.version { return (known.identifier, []) }
        guard configuration.allowsSave else {
          if isCurrent { return (known.identifier, []) }
          throw readOnly(path, configuration)
        }
      } else if !configuration.allowsSave, !configuration.isStoredInMemoryOnly {
        throw SwiftDataError(
          .storeReadOnly,
          message: "\"\(configuration.url.path)\" holds no store yet, and allowsSave: false does not let one be made")
      }
      return try connections.writer.writeWithoutTransaction { database in
        try write(database, target: target, schema: encoded, externalStorage: externalStorage)
      }
    } catch let error as DatabaseError {
      throw StoreErrors.error(
        code: error.extendedResultCode.rawValue, message: error.message, sql: error.sql, configuration: configuration,
        layout: target.current.layout)
    }
  }

  /// The number of the newest transaction that ever was; 0 before the first.
  static func lastTransaction(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT \(HistoryTables.newest)") ?? 0
  }

  /// The steps that opening would take, without taking them.
  static func preview(_ target: MigrationTarget) throws -> [MigrationSummary.Step] {
    let configuration = target.configuration
    guard !configuration.isStoredInMemoryOnly, FileManager.default.fileExists(atPath: configuration.url.path) else {
      return []
    }
    let connections = try open(configuration)
    defer { try? connections.close() }
    guard let known = try connections.read({ try Metadata($0, configuration) }) else { return [] }
    let path = try MigrationPath(from: known, to: target)
    var (record, retained) = (known.layout, known.retained)
    return path.steps.map { step in
      let plan = LayoutPlan(
        from: record, retained: retained, to: step.target.layout, isPlanned: step.isPlanned)
      (record, retained) = (step.target.layout.record, plan.retained)
      return MigrationSummary.Step(
        fromVersion: step.from, toVersion: step.target.schema.version, isCustom: step.isCustom, changes: plan.changes)
    }
  }

  /// The columns whose text is not in normal form C.
  static func denormalizedColumns(_ database: Database) throws -> Set<String> {
    guard try database.tableExists("_swiftdata_denormalized") else { return [] }
    return try String.fetchSet(database, sql: "SELECT column_name FROM _swiftdata_denormalized")
  }

  /// The tables that hold models and pairs of models.
  static func userTables(_ connection: SQLiteConnection) throws -> [String] {
    try connection.rows(
      SQLFragment(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_swiftdata%' ESCAPE '\\'"
          + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    ) { $0.text(0) ?? "" }
  }

  /// The names of external files that rows have: texts in columns for data, whatever models they are of.
  static func externalNames(_ connection: SQLiteConnection) throws -> Set<String> {
    var names = Set<String>()
    for table in try userTables(connection) {
      let columns = try connection.rows(
        SQLFragment("SELECT name FROM pragma_table_info(?) WHERE upper(type) IN ('', 'BLOB')", [.text(table)])
      ) { $0.text(0) ?? "" }
      for column in columns.map(\.quotedIdentifier) {
        let sql = "SELECT \(column) FROM \(table.quotedIdentifier) WHERE typeof(\(column)) = 'text'"
        names.formUnion(try connection.rows(SQLFragment(sql)) { $0.text(0) ?? "" })
      }
    }
    return names
  }

  // MARK: - Steps

  private static func readOnly(_ path: MigrationPath, _ configuration: ModelConfiguration) -> SwiftDataError {
    let state = path.steps.first.map { "version \($0.from) of the models" } ?? "an earlier format of the history"
    return SwiftDataError(
      .storeReadOnly,
      message: "\"\(configuration.url.path)\" has \(state) and needs a migration, which"
        + " allowsSave: false does not let happen; open it once with allowsSave: true")
  }

  private static func write(
    _ database: Database, target: MigrationTarget, schema: String, externalStorage: ExternalStorage
  ) throws -> (identifier: String, steps: [MigrationSummary.Step]) {
    // Tables take the places of others, which no foreign key may notice. Inside a transaction the pragma does nothing.
    try database.execute(sql: "PRAGMA foreign_keys = OFF")
    defer { try? database.execute(sql: "PRAGMA foreign_keys = ON") }
    var storage = externalStorage
    let files = PendingFiles(externalStorage)
    storage.pending = files
    var result = (identifier: "", steps: [MigrationSummary.Step]())
    var isCommitting = false
    do {
      try database.inTransaction(.immediate) {
        result = try lead(database, to: target, schema: schema, externalStorage: storage)
        try files.willCommit()
        isCommitting = true
        return .commit
      }
    } catch {
      files.rolledBack(isCertain: !isCommitting)
      throw error
    }
    files.committed()
    return result
  }

  private static func lead(
    _ database: Database, to target: MigrationTarget, schema: String, externalStorage: ExternalStorage
  ) throws -> (identifier: String, steps: [MigrationSummary.Step]) {
    // A process that opened the store a moment earlier may have set it up, or migrated it.
    guard let known = try Metadata(database, target.configuration) else {
      let identifier = UUID().uuidString
      try Metadata.createTables(database)
      for statement in target.current.layout.record.creationStatements() { try database.execute(sql: statement) }
      try Metadata(
        identifier: identifier, schema: schema, version: try target.newVersion, layout: target.current.layout.record
      ).write(to: database)
      return (identifier, [])
    }
    if known.format != format { try HistoryTables.convert(database) }
    let path = try MigrationPath(from: known, to: target)
    let runner = MigrationRunner(
      transaction: OpenTransaction(database), configuration: target.configuration, identifier: known.identifier,
      externalStorage: externalStorage)
    var done = try runner.run(path, from: known)
    if path.steps.isEmpty {
      done.retained =
        LayoutPlan(
          from: known.layout, retained: known.retained, to: target.current.layout, isPlanned: target.plan != nil
        ).retained
    }
    try Metadata(
      identifier: known.identifier, schema: schema, version: path.version, layout: target.current.layout.record,
      retained: done.retained
    ).write(to: database)
    return (known.identifier, done.steps)
  }
}
