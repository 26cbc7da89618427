import Foundation
import GRDB
import GRDBSQLite

/// Opens a SQLite file and migrates it to the schema, or throws with the reason.
enum StoreOpening {
  /// The version of the file format. `EntityTable` defines the tables and columns.
  static let format = "4"
  /// The version of a file with encrypted columns. A program that does not support them must not change the file.
  static let encryptedFormat = "5"
  /// Older formats that opening converts: 2 and 3 have the tables of ``FormerLayout``, 1 has another history too.
  static let convertible: Set = ["1", "2", "3"]
  static let readable = convertible.union([format, encryptedFormat])

  /// The maximum cache of the writer in KiB, allocated as pages are read. SQLite's default of 2 MB holds no index of a
  /// hundred thousand rows, so insertions would read pages again. Readers keep the default, which fits into the
  /// processor's cache: a scan through 16 MB takes a fifth longer.
  private static let cacheSize = 16_000

  /// - Parameter sharesMemory: whether a store in memory has reading connections too.
  static func open(_ configuration: ModelConfiguration, sharesMemory: Bool = false) throws -> StoreConnections {
    var options = Configuration()
    options.label = "SwiftData \(configuration.name)"
    options.busyMode = .timeout(configuration.lockTimeout.asWait)
    let isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
    options.readonly = isReadOnly
    let keys = KeyRing(configuration)
    options.prepareDatabase { database in
      try SwiftFunctions.register(on: database.sqliteConnection!)
      if let keys {
        try EncryptionFunctions.register(keys, on: database.sqliteConnection!)
        // Freed pages are overwritten. Values in plain text stay in memory while columns are converted.
        if !isReadOnly { try database.execute(sql: "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY") }
      }
      if database.configuration.readonly {
        // GRDB has SQLite report each column of each statement, for observers, which the engine does not use, and for its
        // cache of the schema, which a reader does not change. The reports were a seventh of opening a store.
        sqlite3_set_authorizer(database.sqliteConnection, nil, nil)
      } else {
        try database.step("PRAGMA cache_size = -\(cacheSize)") { _ in }
      }
    }
    do {
      if configuration.isStoredInMemoryOnly {
        guard sharesMemory else { return try StoreConnections(inMemory: options) }
        // A database that several connections of this process see, under a unique name.
        return try StoreConnections(
          path: "file:/swiftdata-\(UUID().uuidString)?vfs=memdb", options: options, log: false)
      }
      let folder = configuration.url.deletingLastPathComponent()
      if !isReadOnly { try DurableFiles.createFolder(folder.path) }
      try LeftoverLog.setAside(configuration)
      return try openFile(configuration, options)
    } catch let error as DatabaseError {
      throw StoreErrors.error(
        code: error.extendedResultCode.rawValue, message: error.message, sql: error.sql, configuration: configuration,
        layout: nil)
    } catch let error as POSIXError {
      let isFull = [.ENOSPC, .EDQUOT, .EFBIG].contains(error.code)
      throw SwiftDataError(
        isFull ? .storeFull : .io,
        message: "the folder of \"\(configuration.url.path)\" cannot be made" + (isFull ? ": the disk is full" : ""),
        underlying: error)
    }
  }

  /// SQLite does not wait for another process that switches the same new file to WAL mode.
  private static func openFile(
    _ configuration: ModelConfiguration, _ options: Configuration
  ) throws -> StoreConnections {
    if configuration.allowsSave { PrivateFile.make(configuration.url.path) }
    let deadline = Date(timeIntervalSinceNow: configuration.lockTimeout.asWait)
    while true {
      do {
        return try StoreConnections(
          path: configuration.url.path, options: options, durability: configuration.durability)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && Date() < deadline {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  /// Creates a new store, or migrates an existing one to the target.
  static func prepare(
    _ connections: StoreConnections, target: MigrationTarget, externalStorage: ExternalStorage
  ) throws -> (identifier: String, steps: [ModelContainer.MigrationSummary.Step]) {
    let configuration = target.configuration
    do {
      let texts = try connections.look { try Metadata.texts($0, place: "\"\(configuration.url.path)\"") }
      // Decoding the texts, encoding the schema and comparing both takes longer than the rest of opening.
      if let texts, let identifier = texts["identifier"], target.hasFingerprint, Metadata.fit(target.current, texts) {
        return (identifier, [])
      }
      let known = try texts.map { try Metadata($0, configuration) }
      let encoded = try Metadata.encode(target.current.schema)
      var wanted = EncryptionRecord(target.current.layout.tables, KeyRing(configuration))
      if let known {
        wanted = wanted.keeping(known.encryption, beside: target.current.layout)
        try known.encryption.check(KeyRing(configuration), configuration)
        let path = try MigrationPath(from: known, to: target)
        let isCurrent = path.steps.isEmpty && !convertible.contains(known.format)
        let isEncrypted = known.encryption.fits(wanted)
        // A program without a version would otherwise write its own description, and one with a version write it back.
        let isDescribed =
          known.schema == encoded || target.plan == nil && target.current.schema.version < path.version
        if isCurrent, isDescribed, known.version == path.version, isEncrypted {
          return (known.identifier, [])
        }
        guard configuration.allowsSave else {
          // A read-only store can be read with another key.
          if isCurrent, known.encryption.columns == wanted.columns { return (known.identifier, []) }
          throw readOnly(path, configuration)
        }
      } else if !configuration.allowsSave, !configuration.isStoredInMemoryOnly {
        throw SwiftDataError(
          .storeReadOnly,
          message: "\"\(configuration.url.path)\" contains no store, and allowsSave: false does not allow creating one")
      }
      let result = try connections.withWriter { database in
        try write(database, target: target, schema: encoded, externalStorage: externalStorage)
      }
      // The log may contain plain values. If another process still reads, its last checkpoint removes them.
      if known?.encryption.columns != wanted.columns, !wanted.isEmpty, !configuration.isStoredInMemoryOnly {
        try? connections.withWriter {
          try $0.execute(sql: "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
        }
      }
      return result
    } catch let error as DatabaseError {
      throw StoreErrors.error(
        code: error.extendedResultCode.rawValue, message: error.message, sql: error.sql, configuration: configuration,
        layout: target.current.layout)
    }
  }

  /// The number of the newest transaction, including deleted ones; 0 before the first.
  static func lastTransaction(_ database: Database) throws -> Int64 {
    var last: Int64 = 0
    try database.step("SELECT \(HistoryTables.newest)") { last = $0.integer(0) }
    return last
  }

  /// The steps that opening would take. Takes none of them.
  static func preview(_ target: MigrationTarget) throws -> [ModelContainer.MigrationSummary.Step] {
    let configuration = target.configuration
    guard !configuration.isStoredInMemoryOnly, FileManager.default.fileExists(atPath: configuration.url.path) else {
      return []
    }
    let connections = try open(configuration)
    defer { try? connections.close() }
    guard let known = try connections.look({ try Metadata($0, configuration) }) else { return [] }
    let path = try MigrationPath(from: known, to: target)
    var (record, retained) = (path.format?.layout.record ?? path.stored, path.retained)
    return path.steps.map { step in
      let plan = LayoutPlan(
        from: record, retained: retained, to: step.target.layout, isPlanned: step.isPlanned)
      (record, retained) = (step.target.layout.record, plan.retained)
      return ModelContainer.MigrationSummary.Step(
        fromVersion: step.from, toVersion: step.target.schema.version, isCustom: step.isCustom, changes: plan.changes)
    }
  }

  /// The columns with text outside normal form C. The name of their table is part of the file format.
  static func nonNFCColumns(_ database: Database) throws -> Set<String> {
    var isThere = false
    try database.step("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_swiftdata_denormalized'") { _ in
      isThere = true
    }
    var columns = Set<String>()
    guard isThere else { return columns }
    try database.step("SELECT column_name FROM _swiftdata_denormalized") { row in
      if let name = row.text(0) { columns.insert(name) }
    }
    return columns
  }

  /// The tables of models and of many-to-many pairs.
  static func userTables(_ connection: SQLiteConnection) throws -> [String] {
    try connection.rows(
      SQLFragment(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_swiftdata%' ESCAPE '\\'"
          + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    ) { $0.text(0) ?? "" }
  }

  /// The names of external files in rows: texts in columns for data, of any model.
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
    let state = path.steps.first.map { "version \($0.from) of the models" } ?? "an earlier format"
    return SwiftDataError(
      .storeReadOnly,
      message: "\"\(configuration.url.path)\" has \(state) and needs a migration, which"
        + " allowsSave: false does not let happen; open it once with allowsSave: true")
  }

  private static func write(
    _ database: Database, target: MigrationTarget, schema: String, externalStorage: ExternalStorage
  ) throws -> (identifier: String, steps: [ModelContainer.MigrationSummary.Step]) {
    // Tables replace each other, which foreign keys must not react to. Inside a transaction the pragma has no effect.
    try database.execute(sql: "PRAGMA foreign_keys = OFF")
    defer { try? database.execute(sql: "PRAGMA foreign_keys = ON") }
    // A migration decrypts values. No page with plain values may reach the disk.
    try database.execute(sql: "PRAGMA cache_spill = OFF")
    defer { try? database.execute(sql: "PRAGMA cache_spill = ON") }
    var storage = externalStorage
    let files = PendingFiles(externalStorage)
    storage.pending = files
    var result = (identifier: "", steps: [ModelContainer.MigrationSummary.Step]())
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
  ) throws -> (identifier: String, steps: [ModelContainer.MigrationSummary.Step]) {
    let keys = KeyRing(target.configuration)
    var encryption = EncryptionRecord(target.current.layout.tables, keys)
    // A process that opened the store a moment earlier may have created or migrated it.
    guard let known = try Metadata(database, target.configuration) else {
      let identifier = UUID().uuidString
      try target.current.layout.record.validateNames(ignoringCase: true)
      try Metadata.createTables(database)
      for statement in target.current.layout.record.creationStatements() { try database.execute(sql: statement) }
      var metadata = Metadata(
        identifier: identifier, schema: schema, version: try target.newVersion, layout: target.current.layout.record,
        encryption: encryption)
      metadata.models = target.fingerprint
      try metadata.write(to: database)
      return (identifier, [])
    }
    if known.format == "1" { try HistoryTables.convert(database) }
    encryption = encryption.keeping(known.encryption, beside: target.current.layout)
    let path = try MigrationPath(from: known, to: target)
    try target.current.layout.record.validateNames(ignoringCase: true)
    try known.encryption.check(keys, target.configuration)
    let isReopened = !path.steps.isEmpty || path.format != nil || known.encryption.columns != encryption.columns
    if isReopened { try known.encryption.openAll(database) }
    let runner = MigrationRunner(
      transaction: OpenTransaction(database), configuration: target.configuration, identifier: known.identifier,
      externalStorage: externalStorage)
    var done = try runner.run(path, from: known)
    if path.steps.isEmpty, path.format == nil {
      done.retained =
        LayoutPlan(
          from: path.stored, retained: path.retained, to: target.current.layout, isPlanned: target.plan != nil
        ).retained
    }
    if isReopened {
      try encryption.sealAll(database, externalStorage)
    } else {
      encryption.keys = Set(encryption.keys + known.encryption.keys).sorted()
    }
    var metadata = Metadata(
      identifier: known.identifier, schema: schema, version: path.version, layout: target.current.layout.record,
      retained: done.retained, encryption: encryption)
    if encryption == EncryptionRecord() { metadata.models = target.fingerprint }
    try metadata.write(to: database)
    return (known.identifier, done.steps)
  }
}
