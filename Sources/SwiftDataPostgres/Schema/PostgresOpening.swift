import Foundation
import SwiftData

/// Creates or extends the tables for the models, in one transaction, one program at a time.
struct PostgresOpening {
  let connection: PostgresConnection
  let configuration: PostgresConfiguration
  let current: VersionLayout
  let plan: (any SchemaMigrationPlan.Type)?
  private var record: LayoutRecord { current.layout.record }
  private var search: [SearchColumns] { SearchColumns.all(of: current.layout) }
  let shards: any PartitionServers
  let log = MigrationLog()

  init(
    connection: PostgresConnection, configuration: PostgresConfiguration, current: VersionLayout,
    plan: (any SchemaMigrationPlan.Type)?
  ) {
    (self.connection, self.configuration, self.current, self.plan) = (connection, configuration, current, plan)
    shards = configuration.shards
  }

  /// The metadata of a store.
  struct Opened {
    let identifier: String
    let partitions: PartitionedTables
    /// The changes that opening made.
    var steps: [ModelContainer.MigrationSummary.Step] = []
    /// The ``StoreEpoch``.
    var epoch = ""
  }

  func open() throws -> Opened {
    var opened = try openTables()
    log.write()
    try ConcurrentIndices(
      connection: connection, configuration: configuration, layout: current.layout, partitions: opened.partitions
    ).make()
    let table = "'\(ServerNames.history)'::regclass::oid"
    opened.epoch = try connection.run("SELECT \(StoreEpoch.sql(table: table))").text(0, 0) ?? ""
    return opened
  }

  private func openTables() throws -> Opened {
    try checkServer()
    try ServerNames.validate(record)
    if let known = try known() { return known }
    try addEarlyColumns()
    return try connection.runAlone {
      // A second program waits here, and then finds everything created.
      try lockNamespace()
      // Even CREATE … IF NOT EXISTS waits for running saves and blocks later ones.
      if let known = try known() { return known }
      try connection.script("SET LOCAL lock_timeout = '\(OpeningAttempts.lockTimeout)'")
      try checkOwner()
      let stored = try isStore() ? storedRecord() : nil
      if let stored {
        if configuration.isRolling { try checkRolling(stored, isFormer: try isFormer()) }
        // A save locks the models' tables before the store's own ones. In the other order it and the opening would wait for each other.
        try lockTables(stored)
      }
      let namespace = try connection.run(
        "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1::text", [.text(configuration.namespace)])
      // The check comes first, because CREATE SCHEMA requires a permission even if the schema exists.
      if namespace.count == 0 { try connection.script("CREATE SCHEMA \(configuration.namespace.quotedIdentifier)") }
      try connection.script(OwnTables.creation)
      let identifier = try identifier()
      // The functions of a newer program also serve an older one.
      if try functionVersion() < ServerFunctions.version {
        try ServerFunctions.install(on: connection)
        try write("functions", "\(ServerFunctions.version)")
      }
      var partitions = try partitions(of: stored)
      if try isFormer() {
        for place in partitions.indices { partitions[place].names = partitions[place].partitions }
      }
      if partitions.contains(where: \.isSharded) { try reachShards() }
      try dropEarlyColumns(stored, PartitionedTables(partitions))
      let (new, steps) = try migrate(stored, identifier, PartitionedTables(partitions))
      try writeEarlyColumns([])
      try connection.settleConstraints()
      try connection.script(StoreEpoch.watching(new.names(with: partitions)))
      try write("partitions", String(decoding: JSONCoding.encode(partitions), as: UTF8.self))
      try write(Keys.layout, String(decoding: JSONCoding.encode(new), as: UTF8.self))
      try write(Keys.version, "\(try version.numbers)")
      try write(Keys.format, new.hasCodecs ? Keys.encrypted : Keys.present)
      try writeKeys(of: new, after: stored)
      if let stored, !stored.isCoded(like: new) { try connection.script(StoreEpoch.renewal) }
      // A program of the first format finds that it is too old.
      try write(Keys.formerLayout, String(decoding: JSONCoding.encode(LayoutRecord.empty), as: UTF8.self))
      try write(Keys.formerVersion, "\(Int32.max).0.0")
      try write("search", (try searchRecords()).union(search.flatMap(\.records)).sorted().joined(separator: "\n"))
      return Opened(identifier: identifier, partitions: PartitionedTables(partitions), steps: steps)
    }
  }

  // MARK: - Migration

  /// Migrates the tables to the models, through the versions of the plan.
  /// - Returns: the resulting layout, and the changes.
  private func migrate(
    _ stored: LayoutRecord?, _ identifier: String, _ partitions: PartitionedTables
  ) throws -> (LayoutRecord, [ModelContainer.MigrationSummary.Step]) {
    let isNew = stored == nil
    var stored = stored ?? .empty
    var done = [ModelContainer.MigrationSummary.Step]()
    func note(_ plan: LayoutPlan, _ from: Schema.Version, _ to: Schema.Version, isCustom: Bool) {
      // The columns of removed properties stay.
      let changes = plan.changes.filter { $0.kind != .removed }
      guard !isNew, isCustom || !changes.isEmpty || from != to else { return }
      done.append(.init(fromVersion: from, toVersion: to, isCustom: isCustom, changes: changes))
    }
    let steps = try migration?.steps ?? []
    let opened = Opened(identifier: identifier, partitions: partitions)
    var isFormer = try isFormer()
    // The record of the first format has other names, so that it cannot be compared.
    if !isNew, !isFormer { try checkShape(stored) }
    // The stages read and write the rows as their versions have them.
    if let source = steps.first?.source, isFormer || !stored.isCoded(like: source.layout.record) {
      stored = try bring(stored, to: source, opened, isPlanned: false, isFormer: isFormer).record
      isFormer = false
    }
    for step in steps {
      for table in step.source.layout.tables + step.target.layout.tables { try table.validateCodecs() }
      if let willMigrate = step.willMigrate { try run(willMigrate, step.source, opened) }
      let new = try bring(
        stored, to: step.target, opened, isPlanned: true, isFormer: false, leaving: step.source.layout.record)
      stored = new.record
      note(
        new.plan, step.source.schema.version, step.target.schema.version,
        isCustom: step.willMigrate != nil || step.didMigrate != nil)
      if let didMigrate = step.didMigrate { try run(didMigrate, step.target, opened) }
    }
    let new = try bring(stored, to: current, opened, isPlanned: plan != nil, isFormer: isFormer)
    let version = try self.version
    note(new.plan, steps.isEmpty ? try storedVersion() ?? version : version, version, isCustom: false)
    return (new.record, done)
  }

  private func bring(
    _ stored: LayoutRecord, to version: VersionLayout, _ opened: Opened, isPlanned: Bool, isFormer: Bool,
    leaving: LayoutRecord? = nil
  ) throws -> (record: LayoutRecord, plan: LayoutPlan) {
    defer { try? connection.forgetStatements() }
    let (layout, partitions) = (version.layout, opened.partitions)
    var change = layoutChange(of: layout, partitions, isFormer: isFormer)
    change.early = try earlyColumns()
    change.leaving = leaving
    try connection.settleConstraints()
    let new = try change.bring(stored, isPlanned: isPlanned)
    // A later step may add a column of the same name.
    try writeEarlyColumns(
      change.early.filter { new.record.table(named: $0.table)?.column(named: $0.column) == nil })
    for columns in SearchColumns.all(of: layout) {
      try connection.settleConstraints()
      let partitioned = partitions[columns.table].flatMap { $0.isSharded ? $0 : nil }
      if let partitioned { try shards.run(columns.creation, for: partitioned) }
      try columns.make(on: connection, isSharded: partitioned != nil)
    }
    let values = ChangedValues(new.plan, layout)
    if !values.isEmpty {
      try connection.forgetStatements()
      try withStore(version, opened) { store in
        try store.withConnection(cancellable: false) { try values.check(on: $0) { store.selection(of: $0) } }
      }
    }
    return new
  }

  private func run(_ body: (ModelContext) throws -> Void, _ version: VersionLayout, _ opened: Opened) throws {
    try withStore(version, opened) { try ServerMigration.run(body, on: version, store: $0) }
  }

  /// Lends the store of one version within the transaction. Objects that the body keeps must not reach the connection afterwards.
  private func withStore(_ version: VersionLayout, _ opened: Opened, _ body: (PostgresStore) throws -> Void) throws {
    let store = PostgresStore(configuration, version, opened, within: connection)
    defer { store.connections.endTransaction() }
    try body(store)
  }

  /// The migration along the plan, or nil without one.
  var migration: ServerMigration? {
    get throws {
      guard let plan else { return nil }
      return try ServerMigration(
        plan, current: current, from: try storedVersion(), name: configuration.name)
    }
  }

  /// The version of the program's models.
  private var version: Schema.Version {
    get throws { try migration?.version ?? current.schema.version }
  }

  private func storedVersion() throws -> Schema.Version? {
    guard
      let numbers = try read(try isFormer() ? Keys.formerVersion : Keys.version)?.split(separator: ".").compactMap({
        Int($0)
      }), numbers.count == 3
    else {
      return nil
    }
    return Schema.Version(numbers[0], numbers[1], numbers[2])
  }

  /// Makes other openings wait until the end of the transaction.
  func lockNamespace() throws {
    _ = try connection.run(
      "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 7))", [.text("swiftdata \(configuration.namespace)")])
  }

  /// Whether the namespace has a store.
  func isStore() throws -> Bool {
    let found = try connection.run(
      "SELECT has_schema_privilege(n.oid, 'USAGE')::int::bigint, current_user::text FROM pg_catalog.pg_class AS c"
        + " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1::text"
        + " AND c.relname = $2::text AND c.relkind = 'r'",
      [.text(configuration.namespace), .text(ServerNames.metadata)])
    guard found.count == 1 else { return false }
    guard found.integer(0, 0) == 1 else {
      let (namespace, user) = (configuration.namespace.quotedIdentifier, (found.text(0, 1) ?? "").quotedIdentifier)
      throw SwiftDataError(
        .storeReadOnly,
        message: "the user of the store \"\(configuration.name)\" may not use its schema; GRANT USAGE ON SCHEMA"
          + " \(namespace) TO \(user); GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(namespace) TO"
          + " \(user); GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(namespace) TO \(user)")
    }
    return true
  }

  /// Refuses a namespace with the store of other models, before anything is written.
  func checkOwner() throws {
    guard try isStore(), let stored = try storedRecord(), !stored.tables.isEmpty else { return }
    let owner = StoreOwner(current.schema, plan)
    guard !owner.owns(stored.tables.flatMap(\.classes)) else { return }
    let classes = stored.tables.flatMap(\.classes).sorted()
    throw SwiftDataError(
      .loadIssueModelContainer,
      message: "the schema \(configuration.namespace) of the database has the store of other models"
        + " (\(classes.prefix(5).joined(separator: ", "))\(classes.count > 5 ? ", …" : "")), and none of them is in the"
        + " store \"\(configuration.name)\"; give the configuration another namespace. Nothing was changed")
  }

  /// A store that needs no change, or nil.
  private func known() throws -> Opened? {
    guard try isStore(), let identifier = try read("identifier"), let stored = try storedRecord() else { return nil }
    try checkVersion(stored)
    try checkKeys(of: stored)
    if try isFormer() || !isCodedAsNow(stored) { return nil }
    // A stage may have work to do even if the tables are right.
    if plan != nil, try storedVersion() != version { return nil }
    guard try functionVersion() >= ServerFunctions.version, stored.holds(record), stored.fits(record),
      stored.hasParts(of: record),
      !RollingUpgrade.requiresMore(record, than: stored),
      // The record has to say what became optional, or a later program that requires it would not be refused.
      !RollingUpgrade.requiresMore(stored, than: record),
      try searchRecords().isSuperset(of: search.flatMap(\.records)),
      try !search.contains(where: { try $0.isIncomplete(on: connection) })
    else { return nil }
    let partitions = try storedPartitions()
    guard try self.partitions(of: stored) == partitions else { return nil }
    try LayoutChange.checkClasses(of: stored, record, store: configuration.name, on: connection)
    return Opened(identifier: identifier, partitions: PartitionedTables(partitions))
  }

  // MARK: - Partitions

  /// The stored divisions, and the configuration's for new tables. A program whose configuration does not have a
  /// stored one follows it.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if a table exists and is divided otherwise.
  func partitions(of stored: LayoutRecord?) throws -> [PartitionedTable] {
    var partitions = try storedPartitions()
    for wanted in try configuration.partitions.map({ try $0.table(in: current.layout, configuration.name) }) {
      let place = partitions.firstIndex { $0.table == wanted.table }
      if place == nil, stored?.table(named: wanted.table) == nil {
        partitions.append(wanted)
      } else if let place, partitions[place].isDivided(like: wanted, record) {
        let names = partitions[place].names
        partitions[place] = wanted
        partitions[place].names = names
      } else {
        throw SwiftDataError(
          .loadIssueModelContainer, entity: wanted.table, property: wanted.column,
          message: "its rows in the store \"\(configuration.name)\" are"
            + (place.map { " divided by \"\(partitions[$0].column)\" into \(partitions[$0].count)" } ?? " not divided")
            + ", which cannot be changed; copy the store into another namespace with the new division")
      }
    }
    return partitions
  }

  /// Lets the store's server reach the shards.
  private func reachShards() throws {
    do {
      for statement in shards.foreignServers { try connection.script(statement) }
    } catch var error as PostgresError {
      // The statement may contain a password.
      error.sql = nil
      throw error
    }
  }

  private func storedPartitions() throws -> [PartitionedTable] {
    try read("partitions").map { try JSONCoding.decode([PartitionedTable].self, from: Data($0.utf8)) } ?? []
  }

  /// Throws if the program's models are older and no plan leads back, because newer programs may read what it writes
  /// differently.
  private func checkVersion(_ layout: LayoutRecord?) throws {
    guard let stored = try storedVersion() else { return }
    let migration = try migration
    let own = migration?.version ?? current.schema.version
    guard own < stored, migration?.steps.isEmpty ?? true else { return }
    // A widget or a test often names only the models of a store that the app opens with a version.
    if plan == nil, !current.schema.hasVersion, layout?.holds(record) == true { return }
    throw SwiftDataError(
      .newerSchema,
      message: "the store \"\(configuration.name)\" has version \(stored) of the schema and the program \(own);"
        + " update the program")
  }

  // MARK: - Metadata

  private func identifier() throws -> String {
    if let known = try read("identifier") {
      try checkVersion(storedRecord())
      return known
    }
    let new = UUID().uuidString
    try write("identifier", new)
    return new
  }

  private func functionVersion() throws -> Int { try read("functions").flatMap { Int($0) } ?? 0 }

  /// The searchable columns.
  private func searchRecords() throws -> Set<String> {
    Set(try read("search")?.split(separator: "\n").map(String.init) ?? [])
  }

  func storedRecord() throws -> LayoutRecord? {
    let isFormer = try isFormer()
    guard let text = try read(isFormer ? Keys.formerLayout : Keys.layout) else { return nil }
    let record = try JSONCoding.decode(LayoutRecord.self, from: Data(text.utf8))
    return isFormer ? FormerLayout.record(record, as: [current.layout]).record : record
  }

  /// Whether the store has the first format. A new store has none yet.
  /// - Throws: `SwiftDataError.newerSchema` for a newer format.
  func isFormer() throws -> Bool {
    guard let format = try read(Keys.format) else { return try read(Keys.formerLayout) != nil }
    guard [Keys.present, Keys.encrypted].contains(format) else {
      throw SwiftDataError(
        .newerSchema,
        message: "the store \"\(configuration.name)\" has the format \(format) and this version of SwiftData reads the"
          + " format \(Keys.present); update the program")
    }
    return false
  }

  func read(_ key: String) throws -> String? {
    let result = try connection.run(
      "SELECT value FROM \(ServerNames.metadata) WHERE key = $1::text", [.text(key)])
    return result.count == 1 ? result.text(0, 0) : nil
  }

  func write(_ key: String, _ value: String) throws {
    _ = try connection.run(
      "INSERT INTO \(ServerNames.metadata) (key, value) VALUES ($1::text, $2::text)"
        + " ON CONFLICT (key) DO UPDATE SET value = excluded.value", [.text(key), .text(value)])
  }
}

extension PostgresOpening {
  /// The keys of the metadata.
  enum Keys {
    static let format = "format"
    /// The format that this program writes.
    static let present = "2"
    static let layout = "layout 2"
    static let version = "version 2"
    /// Where the first format has them.
    static let formerLayout = "layout"
    static let formerVersion = "version"
    /// The columns that an opening added before its transaction.
    static let early = "early columns"
  }
}

extension Schema.Version {
  /// The version in the metadata's form.
  fileprivate var numbers: String { "\(major).\(minor).\(patch)" }
}

extension PostgresConnection {
  /// Runs the deferred checks now.
  func settleConstraints() throws { try script("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED") }
}
