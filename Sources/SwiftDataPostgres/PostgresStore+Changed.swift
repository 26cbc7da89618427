import Foundation
import SwiftData

// Changes of the tables by other programs since this program opened the store.
extension PostgresStore {
  /// The errors of statements that name what the tables do not have any more, or that have values of another type.
  private static let states: Set = ["42703", "42P01", "42804", "23502", "23514", "22P03"]

  /// The error to throw instead of a server's: if another program changed the tables to other models since this program opened
  /// the store, the server's error only tells what came of it.
  func explained(_ error: PostgresError) -> any Error {
    guard Self.states.contains(error.state), !connections.isWithinTransaction,
      let change = change("Nothing was saved", underlying: error)
    else { return error }
    return change
  }

  /// Describes how the tables of the store differ from this program's models by now. Nil if they have what the models need, or if
  /// the server cannot be asked.
  /// - Parameters:
  ///   - outcome: the last sentence of the message.
  ///   - connection: the connection that the caller holds, if it holds one.
  func change(
    _ outcome: String, on connection: PostgresConnection? = nil, underlying error: PostgresError? = nil
  ) -> SwiftDataError? {
    guard let stored = try? storedLayout(on: connection) else { return nil }
    for own in layout.record.tables {
      for column in own.columns {
        guard let known = stored.table(named: own.name)?.column(named: column.name), !known.isCoded(like: column)
        else { continue }
        let change = known.hasCodec ? "encrypts it" : "does not encrypt it any more"
        return SwiftDataError(
          .newerSchema, entity: column.entity ?? own.classes.first, property: column.propertyName,
          message:
            "another program changed the store \"\(configuration.name)\" since this program opened it, and \(change);"
            + " end this program, and start it with models that agree and with the key. \(outcome)",
          underlying: error)
      }
    }
    guard !stored.holds(layout.record) else { return nil }
    return SwiftDataError(
      .newerSchema,
      message: "another program changed the tables of the store \"\(configuration.name)\" to other models since this"
        + " program opened it; end this program, and start one with these models. \(outcome)", underlying: error)
  }

  private func storedLayout(on connection: PostgresConnection?) throws -> LayoutRecord? {
    func ask(_ connection: PostgresConnection) throws -> PostgresResult {
      try connection.run(
        "SELECT value FROM \(ServerNames.metadata) WHERE key = $1::text", [.text(PostgresOpening.Keys.layout)])
    }
    let found = try connection.map(ask) ?? read(ask)
    return try found.count == 1
      ? found.text(0, 0).map { try JSONCoding.decode(LayoutRecord.self, from: Data($0.utf8)) } : nil
  }
}
