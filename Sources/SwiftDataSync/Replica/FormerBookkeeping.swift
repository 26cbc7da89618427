#if Sync
import Foundation
import SwiftData
import SyncProtocol

/// The bookkeeping of a program that kept it in a file of its own, with models. It is taken over once.
struct FormerBookkeeping {
  private let url: URL
  private let file: SQLiteDatabase
  private let user: UserStore
  private let tables: SyncTables

  /// Gives a file of a former program another name. ``takeOver(_:_:_:_:)`` finds it.
  /// - Throws: an error of the file system or of SQLite.
  static func setAside(_ url: URL) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    let file = try SQLiteDatabase(url.path)
    let isFormer = try file.integer("SELECT count(*) FROM sqlite_master WHERE name = 'LedgerReplica'") == 1
    // The log goes into the file.
    try file.close()
    if isFormer { try FileManager.default.moveItem(atPath: url.path, toPath: url.path + ".former") }
  }

  /// Takes over the file that ``setAside(_:)`` found, which is kept.
  /// - Parameters:
  ///   - url: what the file's name was.
  ///   - database: where the bookkeeping is from now on.
  /// - Throws: ``ReplicaError`` for the file of another version; an error of a store. Then the next start does it.
  static func takeOver(_ url: URL, _ user: UserStore, _ database: SyncDatabase, _ secrets: Secrets) throws {
    let path = url.path + ".former"
    guard FileManager.default.fileExists(atPath: path) else { return }
    let file = try SQLiteDatabase(path)
    try FormerBookkeeping(url: url, file: file, user: user, tables: SyncTables(database)).takeOver(secrets)
    try file.close()
    // If a crash comes before this, the next start finds the rows.
    try FileManager.default.moveItem(atPath: path, toPath: url.path + ".old")
    // The logs are folded again in the new tables.
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + ".refold" + suffix) }
  }

  /// What the former state has and today's does not.
  private struct State: Decodable {
    struct Save: Decodable {
      let number: Int64
      let date: Date
    }
    var format: Int?
    var seenSave: Save?
    var isRestamped: Bool?
    var isStoreRestored: Bool?
    var keys: [String: [Data]]?
    var zonesToForget: Set<String>?
    var zonesToShow: Set<String>?
  }

  private func takeOver(_ secrets: Secrets) throws {
    guard let row = try file.first("SELECT state, intent FROM LedgerReplica", [], { ($0.value(0), $0.value(1)) }),
      let data = row.0.syncData
    else { return }
    let former = try SyncWire.decode(State.self, from: data)
    guard former.format == 2 else { throw ReplicaError.otherFormat }
    for (zone, keys) in former.keys ?? [:] { try secrets.setKeys(keys, of: zone) }
    try tables.database.transaction {
      try tables.make()
      guard try tables.rows(.replica).isEmpty else { return }
      try copyRows()
      var state = try SyncWire.decode(ReplicaState.self, from: data)
      state.format = ReplicaState.format
      state.keyGenerations = former.keys?.mapValues(\.count)
      try tables.put(.replica, [[.integer(1), .blob(try SyncWire.encode(state))]])
      let ledger = try Ledger(tables, user.schema) { 0 }
      if let intent = row.1.syncData { try undo(intent, ledger) }
      if try isOther(than: former) { try followRestored(ledger) }
      for zone in (former.zonesToShow ?? []).union(former.zonesToForget ?? []) {
        for name in try ledger.recordNames(zone: zone) { ledger.replica.noteToShow(name) }
      }
      if former.isRestamped == true {
        for change in ledger.pending.flatMap(\.transaction.changes) {
          ledger.replica.noteToShow(change.record.subject ?? change.record)
        }
      }
      try ledger.save()
    }
  }

  // MARK: - Rows

  private func copyRows() throws {
    func text(_ cell: SQLValue) -> SQLValue { tables.database.cell(cell.syncText) }
    try copy("number, first, records FROM LedgerPage", .pages) { [$0[0], text($0[1]), $0[2]] }
    try copy("\"group\", names FROM LedgerObjects", .objects) { [text($0[0]), $0[1]] }
    try copy("name, target FROM LedgerAlias", .aliases) { $0.map(text) }
    try copy("owner, property, target FROM LedgerReference", .references) { $0.map(text) }
    try copy("text, record FROM LedgerUnique", .uniques) { Ledger.row($0[0].syncText, $0[1].syncText, tables.database) }
    try copy("number, zone, \"transaction\" FROM LedgerPending", .pending) { [$0[0], text($0[1]), $0[2]] }
    try copy("name, position, info, unfinishedSnapshot, comparedSnapshot FROM LedgerZone", .zones) {
      [text($0[0])] + $0.dropFirst()
    }
    try copy("sha256, isOutgoing, bytes FROM LedgerAsset", .assets) { [text($0[0]), $0[1], try bytes($0[2])] }
    try copy("date, record, entity, property, lost, kept FROM LedgerConflict", .conflicts) {
      [$0[0]] + $0[1...3].map(text) + $0[4...]
    }
  }

  /// - Parameter source: the columns and the table.
  private func copy(_ source: String, _ table: SyncTable, _ row: ([SQLValue]) throws -> [SQLValue]) throws {
    var rows: [[SQLValue]] = []
    try file.step("SELECT \(source)") { cells in
      rows.append(try row((0..<cells.count).map(cells.value)))
      if rows.count == 64 {
        try tables.put(table, rows)
        rows = []
      }
    }
    try tables.put(table, rows)
  }

  /// The bytes of a large value, which may be in a file of their own.
  private func bytes(_ cell: SQLValue) throws -> SQLValue {
    guard case .text(let name) = cell else { return cell }
    let folder = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent)_external")
    return .blob(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  // MARK: - What was interrupted

  /// Undoes the import that a crash interrupted after the save of the user's store: the objects that it inserted have no records. The
  /// import comes again.
  private func undo(_ intent: Data, _ ledger: Ledger) throws {
    var reader = BinaryReader(intent)
    _ = try reader.text()
    let expected = Int64(bitPattern: try reader.fixed())
    guard let save = try user.saves(after: expected, limit: 1)?.first, save.number == expected + 1, save.isSync else {
      return
    }
    for case let name? in try ledger.names(of: save.deleted.map(UserStore.text)) {
      try ledger.setObject(nil, of: name, "", zone: "")
    }
    try remove(save.inserted)
    for case let name? in try ledger.names(of: save.updated.map { UserStore.text($0.0) }) {
      ledger.replica.noteToShow(name)
    }
  }

  private func remove(_ identifiers: [PersistentIdentifier]) throws {
    let context = user.makeContext()
    for case let object? in try ModelCells.objects(at: identifiers, in: context) {
      ModelCells.delete(object, from: context)
    }
    if context.hasChanges { try context.save() }
  }

  // MARK: - A restored store

  /// Whether the store was restored from an older copy without the file.
  private func isOther(than former: State) throws -> Bool {
    if former.isStoreRestored == true { return true }
    guard let seen = former.seenSave, let newest = try user.newestTransaction() else { return false }
    guard newest >= seen.number else { return true }
    guard let save = try user.saves(after: seen.number - 1, limit: 1)?.first else { return false }
    return save.number == seen.number && save.date > seen.date
  }

  /// Keeps the records of the objects that the store has, and looks at all objects as before the first sync. What the store lacks is shown
  /// again.
  private func followRestored(_ ledger: Ledger) throws {
    let context = user.makeContext()
    var stored = Set<String>()
    for entity in user.entities.values {
      stored.formUnion(try ModelCells.identifiers(of: entity, in: context).map(UserStore.text))
    }
    var names: [(name: RecordName, object: String?)] = []
    try ledger.forEach { names.append(($0, $1.object)) }
    for (name, object) in names {
      if let object, !stored.contains(object) { try ledger.setObject(nil, of: name, "", zone: "") }
      ledger.replica.noteToShow(name)
    }
    ledger.replica.seenTransaction = try user.newestTransaction()
    ledger.replica.firstScan = FirstScan()
  }
}
#endif
