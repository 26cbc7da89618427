import Foundation
import OrderedCollections
import Synchronization

/// Writes what a transaction of the store does to its history, inside that transaction.
///
/// A row for the transaction, and a row for each run of changes of one kind to consecutive keys of one class: an import
/// of 100,000 objects adds a handful of rows. The number of a change is that of its transaction in the upper half and
/// its place there in the lower half; a run has the number of its first change.
package struct HistoryRecorder {
  package enum Kind: Int64, Sendable { case insert = 0, update = 1, delete = 2 }

  /// A run of changes.
  package struct Run {
    package let kind: Kind
    package let entity: String
    package let first: Int64
    package fileprivate(set) var count: Int64 = 1
    /// The names of the properties that changed.
    let properties: [String]?
    /// What is kept of the object, as JSON: cells by property.
    package let tombstone: String?
    /// The names of the properties as JSON.
    package var propertiesJSON: String? { properties.flatMap(HistoryRecorder.names) }

    /// Whether a run that follows is part of this one.
    func takesIn(_ next: Run) -> Bool {
      first + count == next.first && kind == next.kind && tombstone == nil && next.tombstone == nil
        && entity == next.entity && properties == next.properties
    }
  }

  private struct Group: Hashable {
    let kind: Kind
    let entity: String
  }

  private var runs: OrderedDictionary<Group, [Run]> = [:]
  /// The run that grows, not among `runs` yet.
  private var growing: Run?
  var isEmpty: Bool { runs.isEmpty && growing == nil }

  package init() {}

  package mutating func insert(_ entity: String, _ key: Int64) {
    add(Run(kind: .insert, entity: entity, first: key, properties: nil, tombstone: nil))
  }

  package mutating func update(_ entity: String, _ key: Int64, _ properties: [String]) {
    add(Run(kind: .update, entity: entity, first: key, properties: properties, tombstone: nil))
  }

  package mutating func delete(_ entity: String, _ key: Int64, tombstone: [String: SQLValue] = [:]) {
    let kept = tombstone.filter { $0.value != .null }
    add(
      Run(kind: .delete, entity: entity, first: key, properties: nil, tombstone: kept.isEmpty ? nil : Self.json(kept)))
  }

  /// Changes are gathered by kind and class, so that an object and its parts, inserted in turn, make two runs and not
  /// one for each of them.
  private mutating func add(_ run: Run) {
    if growing?.takesIn(run) == true {
      growing!.count += 1
    } else {
      settle()
      growing = run
    }
  }

  /// Puts the growing run with those of its group, the last of which it may continue.
  private mutating func settle() {
    guard let run = growing else { return }
    growing = nil
    let group = Group(kind: run.kind, entity: run.entity)
    if let index = runs[group]?.indices.last, runs[group]![index].takesIn(run) {
      runs[group]![index].count += run.count
    } else {
      runs[group, default: []].append(run)
    }
  }

  /// Property names as JSON. The same few sets come with every save, and an encoder costs as much as a statement.
  fileprivate static func names(_ names: [String]) -> String? {
    if let known = encodedNames.withLock({ $0[names] }) { return known }
    let text = json(names)
    encodedNames.withLock { cache in
      if cache.count >= 1000 { cache = [:] }
      cache[names] = text
    }
    return text
  }
  private static let encodedNames = Mutex<[[String]: String]>([:])

  private static func json(_ value: some Encodable) -> String? {
    (try? JSONCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: - Tables

  static let creationStatements = [
    """
    CREATE TABLE IF NOT EXISTS _swiftdata_history (
      id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL, author TEXT, program TEXT NOT NULL,
      process TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS _swiftdata_changes (
      id INTEGER PRIMARY KEY NOT NULL, history INTEGER NOT NULL, kind INTEGER NOT NULL, entity TEXT NOT NULL,
      key INTEGER NOT NULL, count INTEGER NOT NULL, properties TEXT, tombstone TEXT
    )
    """,
  ]

  /// All runs, in the order in which they are numbered.
  package mutating func take() -> [Run] {
    settle()
    return Array(runs.values.joined())
  }

  /// The condition for the changes of a range of transactions, both among them. Their numbers contain those of the
  /// transactions, so that no index has to be written with each save.
  static func changes(from first: String = "?", to last: String = "?") -> String {
    "_swiftdata_changes.id >= \(first) << 32 AND _swiftdata_changes.id < (\(last) + 1) << 32"
  }

  /// - Returns: the number of the transaction; nil where nothing changed.
  @discardableResult
  mutating func write(to connection: SQLiteConnection, author: String?) throws -> Int64? {
    settle()
    guard !runs.isEmpty else { return nil }
    let transaction = try connection.rows(
      SQLFragment(
        "INSERT INTO _swiftdata_history (timestamp, author, program, process) VALUES (?, ?, ?, ?) RETURNING id",
        [
          .real(Date().timeIntervalSinceReferenceDate), author.map { .text($0) } ?? .null, .text(Self.program),
          .text(Self.process),
        ])
    ) { $0.integer(0) }[0]
    var next = transaction << 32
    for run in runs.values.joined() {
      try connection.write(
        "INSERT INTO _swiftdata_changes (id, history, kind, entity, key, count, properties, tombstone)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
      ) { writer in
        for number in [next, transaction, run.kind.rawValue] { try writer.integer(number) }
        try writer.text(run.entity)
        try writer.integer(run.first)
        try writer.integer(run.count)
        if let properties = run.propertiesJSON {
          try writer.text(properties)
        } else {
          try writer.null()
        }
        if let tombstone = run.tombstone { try writer.text(tombstone) } else { try writer.null() }
      }
      next += run.count
    }
    return transaction
  }

  /// Writes, and now and then forgets what is older than the store wants to keep.
  mutating func write(to connection: SQLiteConnection, author: String?, trimming store: SQLiteStore) throws {
    let number = try write(to: connection, author: author)
    connection.historyTransaction = number
    if let number, number.isMultiple(of: 1000) { try HistoryReader(store: store).trim(connection) }
  }

  package static let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
  package static let process = String(ProcessInfo.processInfo.processIdentifier)
}

extension SQLiteConnection {
  /// Takes numbers from a counter of the store, which never gives one twice.
  /// - Returns: the first of them.
  func takeNumbers(_ counter: String, _ count: Int64) throws -> Int64 {
    let last = try rows(
      SQLFragment(
        "INSERT INTO _swiftdata_keys (entity, last) VALUES (?, ?)"
          + " ON CONFLICT (entity) DO UPDATE SET last = last + excluded.last RETURNING last",
        [.text(counter), .integer(count)])
    ) { $0.integer(0) }[0]
    return last - count + 1
  }
}
