import Foundation

/// The SQLite file of a store: opening it, and what it says about its contents.
package enum StoreFile {
  /// The version of the file format. `EntityTable` defines the tables and columns.
  static let format = "4"
  /// The version of a file with encrypted columns. A program that does not support them must not change the file.
  static let encryptedFormat = "5"
  /// Older formats that opening converts: 2 and 3 have the tables of ``FormerLayout``, 1 has another history too.
  package static let convertible: Set = ["1", "2", "3"]
  package static let readable = convertible.union([format, encryptedFormat])

  /// The maximum cache of the writer in KiB, allocated as pages are read. SQLite's default of 2 MB holds no index of a
  /// hundred thousand rows, so insertions would read pages again. Readers keep the default, which fits into the
  /// processor's cache: a scan through 16 MB takes a fifth longer.
  private static let cacheSize = 16_000

  /// Opens a file that is a store, or makes a new one. The caller checks what the store holds, and then lets it change with
  /// ``StoreConnections/accept()``.
  /// - Parameter sharesMemory: whether a store in memory has reading connections too.
  /// - Throws: ``SwiftDataError/notADatabase`` for a file of another program, which stays as it is.
  package static func open(_ configuration: ModelConfiguration, sharesMemory: Bool = false) throws -> StoreConnections {
    var options = SQLiteOptions()
    options.lockTimeout = configuration.lockTimeout.asWait
    let isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
    options.isReadOnly = isReadOnly
    let look = FirstLook()
    func checkKind() throws {
      if let refusal = FileKind.of(configuration.url).refusal(of: configuration.url.path) { throw refusal }
      look.pass()
    }
    if configuration.isStoredInMemoryOnly {
      look.pass()
    } else if !FirstLook.isPossible(at: configuration.url) {
      try checkKind()
    }
    let keys = KeyRing(configuration)
    options.setUp = { database in
      try look.check(database.handle)
      try SwiftFunctions.register(on: database.handle)
      if let keys {
        try EncryptionFunctions.register(keys, on: database.handle)
        // Freed pages are overwritten. Values in plain text stay in memory while columns are converted.
        if !isReadOnly { try database.execute("PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY") }
      }
      if !database.isReadOnly { try database.execute("PRAGMA cache_size = -\(cacheSize)") }
    }
    do {
      do {
        return try connect(configuration, options, sharesMemory: sharesMemory)
      } catch is FirstLook.Unknown {
        try checkKind()
        return try connect(configuration, options, sharesMemory: sharesMemory)
      }
    } catch let error as SQLiteError {
      throw StoreErrors.error(error, configuration: configuration, layout: nil)
    } catch let error as POSIXError {
      let isFull = [.ENOSPC, .EDQUOT, .EFBIG].contains(error.code)
      throw SwiftDataError(
        isFull ? .storeFull : .io,
        message: "the folder of \"\(configuration.url.path)\" cannot be made" + (isFull ? ": the disk is full" : ""),
        underlying: error)
    }
  }

  private static func connect(
    _ configuration: ModelConfiguration, _ options: SQLiteOptions, sharesMemory: Bool
  ) throws -> StoreConnections {
    if configuration.isStoredInMemoryOnly {
      let timeout = configuration.connectionTimeout.asWait
      guard sharesMemory else { return try StoreConnections(inMemory: options, timeout: timeout) }
      // A database that several connections of this process see, under a unique name.
      return try StoreConnections(
        path: "file:/swiftdata-\(UUID().uuidString)?vfs=memdb", options: options, log: false, timeout: timeout)
    }
    let folder = configuration.url.deletingLastPathComponent()
    if !options.isReadOnly { try DurableFiles.createFolder(folder.path) }
    try LeftoverLog.setAside(configuration)
    if configuration.allowsSave { PrivateFile.make(configuration.url.path) }
    return try StoreConnections(
      path: configuration.url.path, options: options, durability: configuration.durability,
      lockTimeout: configuration.lockTimeout.asWait, timeout: configuration.connectionTimeout.asWait)
  }

  /// The number of the newest transaction, including deleted ones; 0 before the first.
  static func lastTransaction(_ database: SQLiteDatabase) throws -> Int64 {
    var last: Int64 = 0
    try database.step("SELECT \(HistoryTables.newest)") { last = $0.integer(0) }
    return last
  }

  /// The columns with text outside normal form C. The name of their table is part of the file format.
  static func nonNFCColumns(_ database: SQLiteDatabase) throws -> Set<String> {
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
  static func externalNames(_ connection: SQLiteConnection) throws -> Set<ExternalName> {
    var names = Set<ExternalName>()
    for table in try userTables(connection) {
      let columns = try connection.rows(
        SQLFragment("SELECT name FROM pragma_table_info(?) WHERE upper(type) IN ('', 'BLOB')", [.text(table)])
      ) { $0.text(0) ?? "" }
      for column in columns.map(\.quotedIdentifier) {
        let sql = "SELECT \(column) FROM \(table.quotedIdentifier) WHERE typeof(\(column)) = 'text'"
        names.formUnion(
          try connection.rows(SQLFragment(sql)) { $0.text(0) }.compactMap { $0.flatMap(ExternalName.init) })
      }
    }
    return names
  }
}
