import Foundation
import SwiftData

/// The names of the store's own objects in the database. ``TableNames`` makes the names of tables and columns.
package enum ServerNames {
  static let metadata = "_swiftdata_metadata"
  static let history = "_swiftdata_history"
  static let changes = "_swiftdata_changes"
  static let deletedHistory = "_swiftdata_history_gone"
  static let numbers = "_swiftdata_numbers"
  static let pairs = "_swiftdata_pairs"

  /// The sequence that assigns blocks of keys to a table.
  static func keys(of table: String) -> String { TableNames.part("keys", of: table) }

  /// The column with the words of a searchable text.
  static func words(of column: String) -> String { TableNames.part("words", of: column) }

  static func constraint(_ table: String, _ columns: [String], _ kind: String, owner: String? = nil) -> String {
    TableNames.index(of: table, columns, kind, owner: owner)
  }

  /// The name of an index of a table or of one of its partitions.
  package static func index(_ index: LayoutRecord.Index, of table: String) -> String {
    constraint(table, index.columns, index.isUnique ? "key" : "index", owner: index.classes?.first)
  }

  /// Checks what the server cannot keep.
  /// - Throws: `SwiftDataError.loadIssueModelContainer`.
  static func validate(_ record: LayoutRecord) throws {
    try record.validateNames(ignoringCase: false)
    for table in record.tables {
      guard let index = table.indices.first(where: { $0.isUnique && $0.expressions != nil }) else { continue }
      throw SwiftDataError(
        .loadIssueModelContainer, entity: index.classes?.first ?? table.classes.first,
        property: index.names.joined(separator: ", "),
        message: "a PostgreSQL store keeps no members of composite values unique; make them properties of the model")
    }
  }
}

/// The names of stores of the first format, and of the servers with shards.
package enum FormerServerNames {
  static func keys(of table: String) -> String { short("\(table)__keys") }

  static func partition(_ index: Int, of table: String) -> String { short("\(table)__p\(index)") }

  static func index(_ index: LayoutRecord.Index, of table: String) -> String {
    short(([table] + index.columns + [index.isUnique ? "key" : "index"]).joined(separator: "_"))
  }

  static func words(of column: String) -> String { short("_words_\(column)") }

  static func targets(of pairs: String) -> String { short("\(pairs)_target_index") }

  /// A name that fits.
  package static func short(_ name: String) -> String {
    guard name.utf8.count > TableNames.limit else { return name }
    let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let end = "_" + String(hash, radix: 36)
    var start = name
    while start.utf8.count + end.utf8.count > TableNames.limit { start.removeLast() }
    return start + end
  }
}
