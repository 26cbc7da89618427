import Foundation
import SwiftData

// The columns that the program encrypts, and the keys in use.
extension PostgresOpening.Keys {
  /// The format of a store with encrypted columns. A program that does not know them must not change the store.
  static let encrypted = "3"
  /// The identifiers of the keys that encrypted values of the store.
  static let encryptionKeys = "encryption keys"
}

extension PostgresOpening {
  private var keys: KeyRing? { KeyRing(configuration) }

  /// The keys of a store with these tables.
  private func storedKeys(of stored: LayoutRecord?) throws -> [String] {
    guard stored?.hasCodecs == true else { return [] }
    return try read(Keys.encryptionKeys).map { try JSONCoding.decode([String].self, from: Data($0.utf8)) } ?? []
  }

  /// - Throws: `SwiftDataError.encryptionKey` if the configuration lacks a key that the store may need.
  func checkKeys(of stored: LayoutRecord) throws {
    try KeyRing.check(
      try storedKeys(of: stored), keys, store: "the store \"\(configuration.name)\"",
      outcome: "nothing was changed")
  }

  /// Whether the store encrypts the columns of the models as the configuration says, and records the present key.
  func isCodedAsNow(_ stored: LayoutRecord) throws -> Bool {
    let own = current.layout.record
    guard stored.isCoded(like: own) else { return false }
    guard own.hasCodecs, let keys else { return true }
    return try storedKeys(of: stored).contains(keys.identifier)
  }

  /// Records the keys of a store, before a value is encrypted with the present one.
  func writeKeys(of new: LayoutRecord, after stored: LayoutRecord?) throws {
    let known = try storedKeys(of: stored)
    var identifiers = Set<String>()
    if new.hasCodecs { identifiers.formUnion(known) }
    if current.layout.record.hasCodecs, let keys { identifiers.insert(keys.identifier) }
    if identifiers != Set(known) { try writeKeys(identifiers.sorted()) }
  }

  private func writeKeys(_ identifiers: [String]) throws {
    try write(Keys.encryptionKeys, String(decoding: JSONCoding.encode(identifiers), as: UTF8.self))
  }

  /// Encrypts all values again with the present key, in one transaction. Saves wait for its end.
  func reencrypt() throws {
    guard let keys else { return }
    try connection.runAlone {
      try lockNamespace()
      try connection.script("SET LOCAL lock_timeout = '\(OpeningAttempts.lockTimeout)'")
      if let stored = try storedRecord(), stored.hasCodecs {
        try checkKeys(of: stored)
        // Columns of other programs, and of removed properties, have values of the former keys too.
        let tables = stored.tables.filter { $0.columns.contains(where: \.hasCodec) }
        try lockTables(LayoutRecord(tables: tables, pairTables: [], relationships: []))
        for table in tables { try reencrypt(table) }
        try writeKeys([keys.identifier])
      }
    }
  }

  private func reencrypt(_ table: LayoutRecord.Table) throws {
    for column in table.columns {
      guard let codec = current.layout.codec(of: column, in: table.name) else { continue }
      let table = table.name.quotedIdentifier
      let writing = ColumnWriting(connection: connection, table: table, column: column, codec: codec)
      try writing.writeAgain(from: codec)
    }
  }
}

extension PostgresStore {
  package func reencrypt() throws {
    guard layout.coding != nil else { return }
    try Self.report(configuration.name) {
      try OpeningAttempts(
        connections: connections, configuration: configuration, current: VersionLayout(schema: schema, layout: layout),
        plan: nil
      ).run { try $0.reencrypt() }
    }
  }
}

extension LayoutRecord {
  /// Whether the program encodes a column.
  var hasCodecs: Bool { tables.contains { $0.columns.contains(where: \.hasCodec) } }

  /// Whether the program encodes the columns that both have in both, or in none.
  func isCoded(like other: LayoutRecord) -> Bool {
    other.tables.allSatisfy { wanted in
      wanted.columns.allSatisfy { column in
        table(named: wanted.name)?.column(named: column.name)?.isCoded(like: column) ?? true
      }
    }
  }
}
