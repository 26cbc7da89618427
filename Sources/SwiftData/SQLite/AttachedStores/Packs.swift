import Foundation

/// A read-only file that is read together with a store, with more objects of some of its classes.
///
/// A reading connection attaches the file, and a temporary view with the name of each table shows the rows of both. So every
/// statement that reads sees both without knowing it. The writing connection has no views: what it writes and what it looks
/// at is the store's own.
///
/// Keys in a file are unique there only. In the views, and so in the context, the keys of a pack begin at ``firstKey``.
struct Pack: Sendable {
  let store: SQLiteStore
  /// 1 for the first pack of a store.
  let number: Int64
  /// The names of the tables that it has.
  let tables: Set<String>

  /// How far apart the keys of two files are.
  static let distance: Int64 = 1 << 56

  /// The number that is added to the keys of the file.
  var offset: Int64 { number * Self.distance }

  /// The number of the pack that a key is of; 0 for the store itself.
  static func number(of key: Int64) -> Int64 { key / distance }

  /// The name of the file in statements.
  fileprivate var schema: String { "pack\(number)" }
}

extension [Pack] {
  /// The statements that attach the files.
  /// - Parameter inMemory: whether to a database in memory, which has its own way to files.
  func attachments(inMemory: Bool) -> [String] {
    map { pack in
      let path = pack.store.configuration.url.absoluteURL.path
      let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
      let file = inMemory ? "file:\(escaped)?mode=ro&vfs=unix" : path
      return "ATTACH DATABASE \(file.quotedLiteral) AS \(pack.schema)"
    }
  }

  /// The statements that make the views: one for each table, whether or not a pack has it.
  func views(of layout: StoreLayout) -> [String] {
    let tables = layout.record.tables.map { table in
      view(
        table.name, of: [table.name], keys: ["_pk"] + table.columns.filter { $0.reference != nil }.map(\.name),
        others: (table.hasDiscriminator ? ["_entity"] : [])
          + table.columns.filter { $0.reference == nil }.map(\.name))
    }
    let pairs = layout.record.pairTables.map { table in
      view(
        table.name, of: [table.source, table.target], keys: ["source", "target"],
        others: ["rowid", "source_position", "target_position"])
    }
    return tables + pairs
  }

  /// - Parameter owners: the tables of the classes; a pack that has them has this one too.
  private func view(_ name: String, of owners: [String], keys: [String], others: [String]) -> String {
    let arms =
      [Self.arm(of: name, keys, others, in: "main", 0, 0)]
      + filter { $0.tables.isSuperset(of: owners) }.map {
        Self.arm(of: name, keys, others, in: $0.schema, $0.number, $0.offset)
      }
    return "CREATE TEMP VIEW \(name.quotedIdentifier) AS \(arms.joined(separator: " UNION ALL "))"
  }

  /// The rows of one file. The casts give the columns of all arms one affinity; else SQLite would compute a view as a whole
  /// before it looks at a condition.
  private static func arm(
    of table: String, _ keys: [String], _ others: [String], in schema: String, _ number: Int64, _ offset: Int64
  ) -> String {
    let shifted = keys.map { key in
      let key = key.quotedIdentifier
      return offset == 0 ? key : "CAST(\(key) + \(offset) AS INTEGER) AS \(key)"
    }
    let own = keys.map { "\($0.quotedIdentifier) AS \(PackColumn.own($0).quotedIdentifier)" }
    let plain = others.map { "\($0.quotedIdentifier) AS \($0.quotedIdentifier)" }
    let columns = shifted + own + plain + ["\(number) AS \(PackColumn.number)"]
    return "SELECT \(columns.joined(separator: ", ")) FROM \(schema).\(table.quotedIdentifier)"
  }
}

/// The columns of the views in addition to the columns of their tables, so that a row is found by the index of its own file.
enum PackColumn {
  /// The number of the pack.
  static let number = "#pack".quotedIdentifier
  /// A key as the file has it.
  static func own(_ key: String) -> String { TableNames.part("own", of: key) }
}

// MARK: - Keys and identifiers

extension SQLiteStore {
  package func identifier(ofKey key: Int64, entity: String) -> PersistentIdentifier {
    guard key >= Pack.distance, let pack = pack(of: key) else {
      return PersistentIdentifier(entityName: entity, storeIdentifier: identifier, key: key)
    }
    return PersistentIdentifier(
      entityName: entity, storeIdentifier: pack.store.identifier, key: key - pack.offset)
  }

  package func isPlain(key: Int64) -> Bool { key < Pack.distance || pack(of: key) == nil }

  package func key(of identifier: PersistentIdentifier) -> Int64? {
    if identifier.storeIdentifier == self.identifier, packs.isEmpty { return identifier.key }
    // An identifier may come from another program, and its key must not lead into another file.
    guard let key = identifier.key, (1..<Pack.distance).contains(key) else { return nil }
    if identifier.storeIdentifier == self.identifier { return key }
    return packs.first { $0.store.identifier == identifier.storeIdentifier }.map { key + $0.offset }
  }

  /// The pack that has the row with a key; nil if it is the store's own.
  private func pack(of key: Int64) -> Pack? {
    let number = Pack.number(of: key)
    return number == 0 ? nil : packs.first { $0.number == number }
  }

  package func isAmong(_ expression: String, _ keys: [Int64]) -> SQLFragment {
    let dialect = SQLiteDialect()
    guard !packs.isEmpty else { return dialect.isAmong(expression, keys) }
    let parts = expression.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return dialect.isAmong(expression, keys) }
    let (alias, column) = (parts[0], parts[1].hasPrefix("\"") ? String(parts[1].dropFirst().dropLast()) : parts[1])
    let own = "\(alias).\(PackColumn.own(column).quotedIdentifier)"
    let groups = Dictionary(grouping: keys, by: Pack.number(of:)).sorted { $0.key < $1.key }
    return groups.map { group -> SQLFragment in
      let among = dialect.isAmong(own, group.value.map { $0 - group.key * Pack.distance })
      return "\(alias).\(PackColumn.number) = \(group.key) AND \(among)"
    }.disjunction
  }
}

// MARK: - External data

extension SQLiteStore {
  /// Where the file with a name is, which is unique.
  func externalStorage(of name: ExternalName) -> ExternalStorage {
    let packs = packs
    if packs.isEmpty { return externalStorage }
    let all = [externalStorage] + packs.map(\.store.externalStorage)
    return all.first { FileManager.default.fileExists(atPath: $0.path(name)) } ?? externalStorage
  }
}

// MARK: - What is refused

extension SQLiteStore {
  package func makeSave(_ changes: UnsavedChanges) throws -> any StoreSave {
    if !packs.isEmpty { try check(changes) }
    return RowSave(self, changes)
  }

  /// A pack is only read, and no relationship leads from one file to another.
  private func check(_ changes: UnsavedChanges) throws {
    for object in changes.changed.map(\.object) + changes.deleted {
      if let pack = pack(of: object.__state.key) { throw readOnly(type(of: object).__entity, pack) }
    }
    for (table, keys) in changes.marked {
      if let pack = keys.lazy.compactMap({ self.pack(of: $0) }).first { throw readOnly(table.entity, pack) }
    }
    for object in changes.inserted { try checkTargets(of: object, nil) }
    for change in changes.changed { try checkTargets(of: change.object, change.properties) }
  }

  private func checkTargets(of object: any PersistentModel, _ changed: PropertySet?) throws {
    let entity = type(of: object).__entity
    for property in entity.properties where !property.isAttribute && changed?.contains(property.index) != false {
      guard let targets = object.relationship(property).targets,
        let pack = targets.lazy.compactMap({ self.pack(of: $0.__state.key) }).first
      else { continue }
      throw SwiftDataError(
        .relationshipAcrossContexts, entity: entity.name, property: property.name,
        message: "it refers to an object in the read-only store \"\(pack.store.name)\", and relationships stay within"
          + " one store; insert a copy of that object and relate to the copy")
    }
  }

  func readOnly(_ entity: __Entity, _ pack: Pack) -> SwiftDataError {
    SwiftDataError(
      .storeReadOnly, entity: entity.name,
      message:
        "an object of the configuration \"\(pack.store.name)\", which was made with allowsSave: false, was changed"
        + " or deleted; rollback() forgets that. Insert a copy of the object into this container to change it")
  }

  /// - Throws: ``SwiftDataError/storeReadOnly`` where a batch update would change rows of a pack.
  func checkPacks(_ update: BatchUpdate) throws {
    guard !packs.isEmpty else { return }
    var query = update.query
    query.restrictions.append(SQLFragment("t0._pk >= \(Pack.distance)"))
    let statement = query.statement("min(t0._pk)", ordered: false, joining: query.valueJoins)
    let found = try read { try $0.rows(statement) { $0.integer(0) } }.first ?? 0
    if let pack = pack(of: found) { throw readOnly(update.table.entity, pack) }
  }
}
