import Foundation

/// Opens a SQLite store and migrates it to the schema, or throws with the reason.
package enum StoreOpening {
  /// Opens the store file of a program without a migration plan.
  package static func open(_ configuration: ModelConfiguration, _ current: VersionLayout) throws -> SQLiteStore {
    try open(MigrationTarget(configuration: configuration, current: current, plan: nil, keeps: { _ in true })).store
  }

  /// Opens a store file, and migrates it if its layout differs.
  static func open(
    _ target: MigrationTarget
  ) throws -> (store: SQLiteStore, migration: ModelContainer.MigrationSummary) {
    let configuration = target.configuration
    let externalStorage = ExternalStorage(configuration)
    let connections = try StoreFile.open(configuration, sharesMemory: target.hasPacks)
    let opened = try prepare(connections, target: target, externalStorage: externalStorage)
    try StoreErrors.translating(configuration, target.current.layout) { try connections.accept() }
    let store = try SQLiteStore(
      connections, configuration: configuration, layout: target.current.layout, identifier: opened.identifier,
      externalStorage: externalStorage, description: StoreDescription(opened.texts))
    // The log may contain plain values, and the tables of searchable texts did until now. If another process still reads, its last
    // checkpoint removes them.
    if opened.isSealed, !configuration.isStoredInMemoryOnly { try? connections.compact() }
    return (store, ModelContainer.MigrationSummary(configuration: configuration.name, steps: opened.steps))
  }

  /// Creates a new store, or migrates an existing one to the target.
  /// - Returns: also the texts of the metadata, and whether other columns are encrypted than before.
  static func prepare(
    _ connections: StoreConnections, target: MigrationTarget, externalStorage: ExternalStorage
  ) throws -> (
    identifier: String, steps: [ModelContainer.MigrationSummary.Step], texts: [String: String], isSealed: Bool
  ) {
    let configuration = target.configuration
    do {
      let texts = try connections.look { try Metadata.texts($0, path: configuration.url.path) }
      // Decoding the texts, encoding the schema and comparing both takes longer than the rest of opening.
      if let texts, let identifier = texts["identifier"], target.hasFingerprint, Metadata.fit(target.current, texts) {
        return (identifier, [], texts, false)
      }
      let known = try texts.map { try Metadata($0, configuration) }
      let encoded = try Metadata.encode(target.current.schema)
      let wanted = try EncryptionRecord(target.current.layout, configuration, after: known?.encryption)
      if let known {
        let path = try MigrationPath(from: known, to: target)
        let isCurrent = path.steps.isEmpty && !StoreFile.convertible.contains(known.format)
        // A program without a version would otherwise write its own description, and one with a version write it back.
        let isDescribed =
          known.schema == encoded || target.plan == nil && target.current.schema.version < path.version
        if isCurrent, isDescribed, known.version == path.version, known.encryption.fits(wanted),
          known.layout.hasParts(of: target.current.layout.record)
        {
          return (known.identifier, [], texts ?? [:], false)
        }
        guard configuration.allowsSave else {
          // A read-only store can be read with another key.
          if isCurrent, known.encryption.columns == wanted.columns {
            return (known.identifier, [], texts ?? [:], false)
          }
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
      return (
        result.identifier, result.steps, result.texts, known?.encryption.columns != wanted.columns && !wanted.isEmpty
      )
    } catch let error as SQLiteError {
      throw StoreErrors.error(error, configuration: configuration, layout: target.current.layout)
    }
  }

  /// The steps that opening would take. Takes none of them.
  static func preview(_ target: MigrationTarget) throws -> [ModelContainer.MigrationSummary.Step] {
    let configuration = target.configuration
    guard !configuration.isStoredInMemoryOnly, FileManager.default.fileExists(atPath: configuration.url.path) else {
      return []
    }
    let connections = try StoreFile.open(configuration)
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

  // MARK: - Steps

  private static func readOnly(_ path: MigrationPath, _ configuration: ModelConfiguration) -> SwiftDataError {
    let state = path.steps.first.map { "version \($0.from) of the models" } ?? "an earlier format"
    return SwiftDataError(
      .storeReadOnly,
      message: "\"\(configuration.url.path)\" has \(state) and needs a migration, which"
        + " allowsSave: false does not let happen; open it once with allowsSave: true")
  }

  /// The result of an opening that wrote.
  private typealias Written = (
    identifier: String, steps: [ModelContainer.MigrationSummary.Step], texts: [String: String]
  )

  private static func write(
    _ database: SQLiteDatabase, target: MigrationTarget, schema: String, externalStorage: ExternalStorage
  ) throws -> Written {
    // Tables replace each other, which foreign keys must not react to. Inside a transaction the pragma has no effect.
    try database.execute("PRAGMA foreign_keys = OFF")
    defer { try? database.execute("PRAGMA foreign_keys = ON") }
    // A migration decrypts values. No page with plain values may reach the disk.
    try database.execute("PRAGMA cache_spill = OFF")
    defer { try? database.execute("PRAGMA cache_spill = ON") }
    var storage = externalStorage
    let files = PendingFiles(externalStorage)
    storage.pending = files
    var result: Written = ("", [], [:])
    var isCommitting = false
    let log = MigrationLog()
    do {
      try database.transaction {
        result = try lead(database, to: target, schema: schema, externalStorage: storage, log)
        try files.willCommit()
        isCommitting = true
      }
    } catch {
      files.rolledBack(isCertain: !isCommitting)
      throw error
    }
    files.committed()
    log.write()
    return result
  }

  private static func lead(
    _ database: SQLiteDatabase, to target: MigrationTarget, schema: String, externalStorage: ExternalStorage,
    _ log: MigrationLog
  ) throws -> Written {
    // A process that opened the store a moment earlier may have created or migrated it.
    let stored = try Metadata(database, target.configuration)
    var encryption = try EncryptionRecord(target.current.layout, target.configuration, after: stored?.encryption)
    guard let known = stored else {
      let identifier = UUID().uuidString
      try target.current.layout.record.validateNames(ignoringCase: true)
      try Metadata.createTables(database)
      for statement in target.current.layout.record.creationStatements() { try database.execute(statement) }
      try encryption.guardColumns(database)
      var metadata = Metadata(
        identifier: identifier, schema: schema, version: try target.newVersion, layout: target.current.layout.record,
        encryption: encryption)
      metadata.models = target.fingerprint
      return (identifier, [], try metadata.write(to: database))
    }
    if known.format == "1" { try HistoryTables.convert(database) }
    let path = try MigrationPath(from: known, to: target)
    try target.current.layout.record.validateNames(ignoringCase: true)
    let isReopened = !path.steps.isEmpty || path.format != nil || known.encryption.columns != encryption.columns
    if isReopened { try known.encryption.open(database) }
    let runner = MigrationRunner(
      transaction: OpenTransaction(database), configuration: target.configuration, identifier: known.identifier,
      externalStorage: externalStorage, log: log)
    var done = try runner.run(path)
    if path.steps.isEmpty, path.format == nil {
      done.retained =
        LayoutPlan(
          from: path.stored, retained: path.retained, to: target.current.layout, isPlanned: target.plan != nil
        ).retained
    }
    if isReopened {
      try encryption.seal(database, target.current.layout.record, after: known.encryption, externalStorage)
    } else {
      encryption = encryption.adding(keysOf: known.encryption)
    }
    var metadata = Metadata(
      identifier: known.identifier, schema: schema, version: path.version,
      layout: target.current.layout.record.keepingFormerNames(of: path.stored), retained: done.retained,
      encryption: encryption)
    metadata.isReplacement = true
    if encryption == EncryptionRecord() { metadata.models = target.fingerprint }
    return (known.identifier, done.steps, try metadata.write(to: database))
  }
}
