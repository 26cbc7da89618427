import CSwiftDataSQLite
import Foundation
import SwiftData

/// Copies an Apple store into a store of our own.
///
/// The views show the file in our layout, so that a table is copied by one statement and no row stays in memory.
package struct AppleImport {
  /// The result of an import.
  package struct Report: Sendable, Codable {
    package struct Table: Sendable, Codable {
      package var name: String
      package var rows: Int
      package var checksum: String
    }
    package var source: String
    package var target: String
    package var tables: [Table] = []
    /// Whether the store had an earlier import of the same file, which this one took the place of.
    package var isRepeated = false
    /// Descriptions of the data that could not be copied, with the reasons.
    package var losses: [String] = []
    package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
  }

  private let file: AppleFile
  /// Where the file is that the report names. `file` can be a copy of it.
  private let origin: URL
  private let model: NaturalModel
  private let target: URL
  private let replaces: Bool
  private let progress: (String, Int, Int) -> Void
  private var report: Report

  /// - Parameters:
  ///   - replaces: whether changes that were saved to the store since the last import may be lost.
  ///   - progress: called with a table, the number of finished tables, and the number of all tables.
  package static func run(
    _ file: AppleFile, into target: URL, replaces: Bool = false,
    progress: @escaping (String, Int, Int) -> Void = { _, _, _ in }
  ) throws -> Report {
    // SQLite attaches only databases of one text encoding, and our stores have UTF-8.
    let copy = try file.rows("PRAGMA main.encoding") == [[.text("UTF-8")]] ? nil : UTF8Copy(of: file)
    let source = try copy.map { try AppleFile($0.url) } ?? file
    var work = AppleImport(
      file: source, origin: file.url, model: try source.naturalModel(), target: target, replaces: replaces,
      progress: progress, report: Report(source: file.url.path, target: target.path))
    try withExtendedLifetime(copy) { try work.run() }
    return work.report
  }

  private mutating func run() throws {
    file.use(model.mapping(of: file))
    report.losses = model.notes
    report.losses += try file.problems(in: [.values, .references, .rows, .file]).map(\.description)
    try file.readChecked { connection, check in
      let destination = ImportTarget(url: target, layout: model.record, mark: file.identifier, source: origin.path)
      report.isRepeated = try destination.fill(on: connection, replaces: replaces) {
        try copy(model.record, connection)
        // The last moment at which nothing is imported yet.
        try check()
      }
    }
  }

  // MARK: - Copying

  private mutating func copy(_ record: LayoutRecord, _ connection: FileConnection) throws {
    try ImportFunctions.register(on: connection.handle)
    let count = record.tables.count + record.pairTables.count
    for (index, table) in record.tables.enumerated() {
      progress(table.name, index, count)
      try copy(table, connection)
    }
    for (index, pairs) in record.pairTables.enumerated() {
      progress(pairs.name, record.tables.count + index, count)
      try copy(pairs, record, connection)
    }
    try mendReferences(record, connection)
    progress("", count, count)
  }

  private mutating func copy(_ table: LayoutRecord.Table, _ connection: FileConnection) throws {
    let names = ["_pk"] + (table.hasDiscriminator ? ["_entity"] : []) + table.columns.map(\.name)
    let list = names.map(\.quotedIdentifier).joined(separator: ", ")
    try connection.run(
      "INSERT INTO target.\(name: table.name) (\(list)) SELECT \(list) FROM temp.\(name: table.name) ORDER BY _pk")
    let source = try checksum(of: "temp.\(table.name.quotedIdentifier)", names, connection)
    let copy = try checksum(of: "target.\(table.name.quotedIdentifier)", names, connection)
    guard source == copy else {
      throw SwiftDataError(
        .io, entity: table.name,
        message:
          "\(source.count) rows were read and \(copy.count) written, and their checksums differ; nothing was imported. Run"
          + " `swiftdata check` on the file")
    }
    report.tables.append(.init(name: table.name, rows: source.count, checksum: source.sum))
    for column in table.columns where column.isExternal { try copyFiles(of: column.name, table.name, connection) }
    try ImportTarget.noteNonNFCText(of: table, on: connection)
    let root = file.numbers[file.model.root(of: table.classes[0])] ?? 0
    let last =
      "max(coalesce((SELECT max(_pk) FROM target.\(table.name.quotedIdentifier)), 0),"
      + " coalesce((SELECT Z_MAX FROM main.Z_PRIMARYKEY WHERE Z_ENT = \(root)), 0))"
    try connection.run(SQLFragment(StoreCounters.raising(in: "target", to: last), [.text(table.name)]))
  }

  /// - Parameter columns: the columns, the key first.
  private func checksum(
    of table: String, _ columns: [String], _ connection: FileConnection
  ) throws -> (count: Int, sum: String) {
    // SQLite passes at most 127 values to a function. Each group has the key, so that equal groups are in the same rows.
    let columns = columns.map(\.quotedIdentifier)
    let groups = stride(from: 1, to: max(2, columns.count), by: 100).map { start in
      ([columns[0]] + columns[start..<min(start + 100, max(start, columns.count))]).joined(
        separator: ", ")
    }
    let sums = groups.map { "import_checksum(\($0))" }.joined(separator: ", ")
    let rows = try connection.rows(SQLFragment("SELECT count(*),\(sums) FROM \(table)"))
    guard let row = rows.first, case .integer(let count) = row[0]
    else { return (0, "") }
    var sum = UInt64(0)
    for case .integer(let part) in row.dropFirst() {
      sum = (sum << 7 | sum >> 57) ^ UInt64(bitPattern: part)
    }
    return (Int(count), String(sum, radix: 16))
  }

  private mutating func copy(
    _ pairs: LayoutRecord.PairTable, _ record: LayoutRecord, _ connection: FileConnection
  ) throws {
    try connection.run(
      """
      INSERT OR IGNORE INTO target.\(name: pairs.name) (source, target, source_position, target_position) \
      SELECT source, target, source_position, target_position FROM temp.\(name: pairs.name) \
      WHERE source IN (SELECT _pk FROM target.\(name: pairs.source)) \
      AND target IN (SELECT _pk FROM target.\(name: pairs.target)) ORDER BY _age
      """)
    let counts = try connection.rows(
      """
      SELECT (SELECT count(*) FROM (SELECT DISTINCT source, target FROM temp.\(name: pairs.name))), \
      (SELECT count(*) FROM target.\(name: pairs.name))
      """)
    guard case .integer(let all)? = counts.first?[0], case .integer(let kept)? = counts.first?[1] else { return }
    if kept < all { report.losses.append("\(pairs.name): \(all - kept) pairs lead to no object and were left out") }
    report.tables.append(.init(name: pairs.name, rows: Int(kept), checksum: ""))
  }

  /// Keys that lead to no object become nil.
  private mutating func mendReferences(_ record: LayoutRecord, _ connection: FileConnection) throws {
    for table in record.tables {
      for column in table.columns {
        guard let reference = column.reference, !column.isRequired else { continue }
        let key = column.name.quotedIdentifier
        let changed = try connection.run(
          """
          UPDATE target.\(name: table.name) SET \(key) = NULL WHERE \(key) IS NOT NULL \
          AND \(key) NOT IN (SELECT _pk FROM target.\(name: reference.table))
          """)
        if changed > 0 {
          report.losses.append("\(table.name).\(column.name): \(changed) keys lead to no object and were left out")
        }
      }
    }
  }

  /// Copies the files that cells name. A file that is missing leaves no value behind.
  /// - Throws: `SwiftDataError` if a file cannot be copied.
  private mutating func copyFiles(of column: String, _ table: String, _ connection: FileConnection) throws {
    let folder = NewStore.externalFolder(of: target)
    var last = Int64.min
    while true {
      let rows = try connection.rows(
        """
        SELECT _pk, \(name: column) FROM target.\(name: table) \
        WHERE typeof(\(name: column)) = 'text' AND _pk > \(bind: .integer(last)) ORDER BY _pk LIMIT 500
        """)
      guard case .integer(let end)? = rows.last?[0] else { break }
      last = end
      for row in rows {
        guard case .integer(let key) = row[0], case .text(let name) = row[1] else { continue }
        let source = AppleFile.externalFolder(of: origin).appendingPathComponent(name)
        let copy = folder.appendingPathComponent(name)
        if ExternalName(name) != nil, FileManager.default.isReadableFile(atPath: source.path) {
          try Self.copyFile(source, to: copy)
        } else {
          report.losses.append(
            "\(table).\(column) of \(key): the file \(name) is missing from \(source.deletingLastPathComponent().path);"
              + " the value is nil")
          // A required value becomes empty data.
          try connection.run(
            """
            UPDATE OR IGNORE target.\(name: table) SET \(name: column) = NULL WHERE _pk = \(bind: .integer(key))
            """)
          try connection.run(
            """
            UPDATE target.\(name: table) SET \(name: column) = x'' \
            WHERE _pk = \(bind: .integer(key)) AND typeof(\(name: column)) = 'text'
            """)
        }
      }
    }
    if FileManager.default.fileExists(atPath: folder.path) { try DurableFiles.sync(folder: folder.path) }
  }
}

extension AppleImport {
  /// Copies a file under another name, syncs it and renames it: what has the file's name is the whole file, also after a crash.
  private static func copyFile(_ source: URL, to copy: URL) throws {
    let files = FileManager.default
    // An import that ended early, or that this one replaces, may have left the file.
    guard !files.contentsEqual(atPath: source.path, andPath: copy.path) else { return }
    let folder = copy.deletingLastPathComponent()
    let part = copy.appendingPathExtension("part")
    do {
      try DurableFiles.createFolder(folder.path)
      if files.fileExists(atPath: part.path) { try files.removeItem(at: part) }
      try files.copyItem(at: source, to: part)
      try DurableFiles.sync(file: part.path)
      guard rename(part.path, copy.path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    } catch {
      try? files.removeItem(at: part)
      throw SwiftDataError(
        .io,
        message: "the external data \(source.path) cannot be copied to \(folder.path); nothing was imported. Check the"
          + " permissions and the space on the disk", underlying: error)
    }
  }
}

/// `import_checksum(cells…)`: an aggregate that differs where a cell of a row does. The order of the rows does not matter.
private enum ImportFunctions {
  static func register(on connection: OpaquePointer) throws {
    let code = sqlite3_create_function_v2(
      connection, "import_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, nil,
      { context, count, values in
        guard let sum = sqlite3_aggregate_context(context, 8)?.assumingMemoryBound(to: UInt64.self) else {
          return sqlite3_result_error_nomem(context)
        }
        sum.pointee &+= ImportFunctions.hash(of: UnsafeBufferPointer(start: values, count: Int(count)))
      },
      { context in
        let sum = sqlite3_aggregate_context(context, 8)?.assumingMemoryBound(to: UInt64.self)
        sqlite3_result_int64(context, Int64(bitPattern: sum?.pointee ?? 0))
      }, nil)
    guard code == SQLITE_OK else { throw SwiftDataError(.io, message: "import_checksum cannot be registered") }
  }

  fileprivate static func hash(of cells: UnsafeBufferPointer<OpaquePointer?>) -> UInt64 {
    var hash = UInt64(0x9E37_79B9_7F4A_7C15)
    func add(_ word: UInt64) {
      let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
      // The first term keeps the hash from becoming 0 for good.
      hash = hash &+ (product.low ^ product.high)
    }
    for cell in cells {
      switch sqlite3_value_type(cell) {
      case SQLITE_INTEGER, SQLITE_FLOAT:
        // A column of floating-point numbers turns whole ones into these.
        let number = sqlite3_value_double(cell)
        add(number.bitPattern)
        if abs(number) > 0x1p53 { add(UInt64(bitPattern: sqlite3_value_int64(cell))) }
      case SQLITE_TEXT, SQLITE_BLOB:
        let start = sqlite3_value_blob(cell)
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(cell)))
        add(UInt64(bytes.count))
        var place = 0
        while place + 8 <= bytes.count {
          add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
          place += 8
        }
        if place < bytes.count { add(bytes[place...].reduce(0) { $0 << 8 | UInt64($1) }) }
      default: add(0xFF)
      }
    }
    return hash
  }
}
