import Foundation
import SwiftData
import SwiftDataPostgres

/// Reads a store in a PostgreSQL database by its layout.
final class ServerReader: Sendable {
  let place: String
  let identifier: String
  let layout: LayoutRecord
  let version: String
  private let reader: PostgresReader

  init(_ url: String, _ namespace: String) throws {
    reader = try PostgresReader(url: url, namespace: namespace)
    place = reader.place
    let values = try reader.metadata()
    guard let text = values["layout 2"] ?? values["layout"],
      let layout = try? JSONCoding.decode(LayoutRecord.self, from: Data(text.utf8))
    else {
      throw SwiftDataError(
        .notADatabase,
        message: "the schema \"\(namespace)\" of \(reader.place) holds no store; name another with --namespace")
    }
    (self.layout, identifier) = (FormerLayout.described(layout), values["identifier"] ?? "")
    version = InspectedStore.version(values["version 2"] ?? values["version"])
  }

  private init(_ other: ServerReader, _ reader: PostgresReader) {
    (place, identifier, layout, version) = (other.place, other.identifier, other.layout, other.version)
    self.reader = reader
  }

  /// Calls `body` with a reader to which other programs' saves are invisible from now on.
  func atOneMoment<T>(_ body: (ServerReader) throws -> T) throws -> T {
    try reader.atOneMoment { try body(ServerReader(self, $0)) }
  }

  func rows(_ statement: SQLFragment) throws -> [[SQLValue]] { try reader.rows(statement) }

  /// The cells of a table's rows: first the cells of `heads`, then the columns'.
  func rows(
    of columns: [LayoutRecord.Column], keyed heads: [String], _ source: SQLFragment
  ) throws -> [[SQLValue]] { try reader.rows(of: columns, keyed: heads, source) }

  func query(
    _ sql: String, columns: ([ServerColumn]) throws -> Void, _ row: ([SQLValue]) throws -> Void
  ) throws {
    try reader.query(sql, columns: columns, row)
  }

  func shardedTables() throws -> [String] { try reader.shardedTables() }

  func faults() throws -> [PostgresFault] { try reader.faults(of: layout) }

  func size(of table: String) throws -> Int64 { try reader.size(of: table) }
}
