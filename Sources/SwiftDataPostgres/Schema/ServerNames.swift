import Foundation
import SwiftData

/// The names of the store's objects in the database.
enum ServerNames {
  /// The server truncates longer names, in bytes.
  static let limit = 63

  static let metadata = "_swiftdata_metadata"
  static let history = "_swiftdata_history"
  static let changes = "_swiftdata_changes"
  static let deletedHistory = "_swiftdata_history_gone"
  static let numbers = "_swiftdata_numbers"
  static let pairs = "_swiftdata_pairs"

  /// The sequence that assigns blocks of keys to a table.
  static func keys(of table: String) -> String { short("\(table)__keys") }

  /// A partition of a table.
  static func partition(_ index: Int, of table: String) -> String { short("\(table)__p\(index)") }

  /// The column with the words of a searchable text.
  static func words(of column: String) -> String { short("_words_\(column)") }

  static func constraint(_ table: String, _ columns: [String], _ kind: String) -> String {
    short(([table] + columns + [kind]).joined(separator: "_"))
  }

  /// A name that fits. Different long names stay different.
  static func short(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    // FNV-1a, which is the same in every process and version, unlike Swift's hashes.
    let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let end = "_" + String(hash, radix: 36)
    var start = name
    while start.utf8.count + end.utf8.count > limit { start.removeLast() }
    return start + end
  }

  /// Checks that the names of the models and properties are valid for tables and columns.
  /// - Throws: `SwiftDataError.loadIssueModelContainer`.
  static func validate(_ record: LayoutRecord) throws {
    for table in record.tables {
      try validate(table.name, entity: table.name, property: nil)
      if let index = table.indices.first(where: { $0.isUnique && $0.expressions != nil }) {
        throw SwiftDataError(
          .loadIssueModelContainer, entity: table.name, property: index.columns.joined(separator: ", "),
          message: "a PostgreSQL store keeps no members of composite values unique; make them properties of the model")
      }
      for column in table.columns { try validate(column.name, entity: table.name, property: column.name) }
    }
    for pairs in record.pairTables { try validate(pairs.name, entity: pairs.source, property: nil) }
  }

  private static func validate(_ name: String, entity: String, property: String?) throws {
    let isTaken = ["_pk", "_entity", "_given", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"].contains(name)
    guard name.utf8.count > limit || isTaken else { return }
    throw SwiftDataError(
      .loadIssueModelContainer, entity: entity, property: property,
      message: isTaken
        ? "PostgreSQL has a column of this name of its own; rename the property"
        : "PostgreSQL allows names of \(limit) bytes, and \"\(name)\" is longer; choose a shorter one")
  }
}
