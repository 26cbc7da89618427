import Foundation
import SwiftData

/// An error of the server or of the connection.
package struct PostgresError: Error, CustomStringConvertible {
  /// The SQLSTATE. Empty if the connection failed.
  package var state = ""
  package var message: String
  /// The violated constraint.
  package var constraint: String?
  /// The server's detail, which names the values that violate a constraint.
  package var detail: String?
  /// Whether the connection is unusable.
  package var isLost = false
  /// Whether a commit was sent and its answer was lost, so that the changes may have been written or not.
  var isOutcomeUnknown = false
  /// Whether a statement failed after a commit of the same round trip.
  var isAfterCommit = false
  /// Whether an unreachable server may become reachable. False if it rejects the user.
  package var mayRecover = true
  /// Whether the pool's timeout was spent waiting for a server.
  package var hasWaited = false
  /// Whether all connections of the pool stayed in use for the pool's timeout.
  var isPoolBusy = false
  package var sql: String?

  package var description: String { state.isEmpty ? message : "\(message) (SQLSTATE \(state))" }

  /// Whether a retry of the transaction may succeed: a serialization failure or a deadlock.
  var isTransient: Bool { ["40001", "40P01", "55P03"].contains(state) }

  /// Whether the server has as many connections as it, the database or the user may have.
  var isServerFull: Bool { isLost && PostgresServers.isFull(message) }

  /// The violated constraint with the values, as far as the server says it.
  var violation: String { "\(constraint ?? message) \(detail ?? "")" }

  /// Whether a unique constraint is violated, or an exclusion of equal values, which one with a condition is.
  var isUniquenessViolation: Bool { state == "23505" || state == "23P01" }

  /// The values that violate a unique constraint: `978` of `Key (isbn)=(978) already exists.` in any language.
  var takenValues: String? {
    guard state == "23505", let detail, let start = detail.range(of: ")=(")?.upperBound,
      let end = detail.lastIndex(of: ")"), start <= end
    else { return nil }
    return String(detail[start..<end])
  }

  /// Whether a prepared statement became invalid because another program changed a table.
  var isPlanStale: Bool { state == "0A000" && message.contains("cached plan") }

  /// Whether the server cancelled the statement on request.
  var isCancelled: Bool { state == "57014" }

  /// Whether the server lacks something that a predicate or an order needs, or is unsure. The context then computes it.
  var wantsSwift: Bool {
    // Undefined functions, operators, collations; types that do not match; errors of `swift_unsure`; unsupported text.
    ["42883", "42804", "42846", "42704", "42725", "42P18", "42P22", "22P02", "22P05", "P0DS1", "22003", "42P21"]
      .contains(state)
  }
}

extension PostgresError {
  /// The error of a commit that the server answers, or would answer, with a rollback.
  static let rolledBack: PostgresError = {
    var error = PostgresError(message: "a statement of the transaction failed before its commit")
    error.state = "25P02"
    return error
  }()

  /// The meaning of a failed connection. libpq passes the server's message on, without its SQLSTATE.
  private static func advice(for message: String) -> String {
    guard message.contains("FATAL:") else { return "the connection to the server failed" }
    if message.contains("authentication failed") || message.contains("no pg_hba.conf entry") {
      return
        "the server refuses the user or the password of the URL; a password is in the URL, in PGPASSWORD or in ~/.pgpass"
    }
    if message.contains("does not exist") {
      return message.contains("database \"")
        ? "the database of the URL does not exist; create it with CREATE DATABASE … ENCODING 'UTF8'"
        : "the user of the URL does not exist; create it with CREATE ROLE … LOGIN"
    }
    if PostgresServers.isFull(message) {
      return
        "the server accepts no more connections; lower the sizes of the pools, or raise max_connections or the limit of"
        + " the user or the database"
    }
    return "the connection to the server failed"
  }

  /// The error for callers of the store.
  func error(_ store: String) -> any Error {
    // A timeout of the server cancels statements in the same way.
    if isCancelled, Task.isCancelled, !isOutcomeUnknown { return CancellationError() }
    return swiftDataError(store)
  }

  private func swiftDataError(_ store: String) -> SwiftDataError {
    let code: SwiftDataError.Code
    let advice: String
    switch state {
    case _ where isOutcomeUnknown:
      (code, advice) = (
        .io,
        "the connection was lost during the commit, so that it is not known whether the changes were written; fetch when"
          + " the server is back, then write again what is missing"
      )
    case "25P02":
      (code, advice) = (
        .io, "the server rolled the transaction back, and nothing was written; repeat the whole transaction"
      )
    case "54001", "54000":
      (code, advice) = (
        .unsupportedPredicate, "the server cannot nest the predicate's expressions so deep; nest fewer expressions"
      )
    case "53100": (code, advice) = (.storeFull, "the server's disk is full")
    case "25006":
      (code, advice) = (
        .storeReadOnly,
        "the server is a replica, or the database or the user is read only (default_transaction_read_only); name the"
          + " primary in the URL too, or change the setting"
      )
    case "42501":
      (code, advice) = (
        .storeReadOnly,
        "the user of the URL lacks a permission; the owner of the schema has to open a store that is new or has new models,"
          + " and to grant USAGE on it, SELECT, INSERT, UPDATE and DELETE on its tables, and USAGE on its sequences"
      )
    case "23503": (code, advice) = (.staleObject, "another process deleted a related object; fetch it again")
    case "23514" where message.contains("violates partition constraint"):
      (code, advice) = (
        .unsupportedFeature,
        "a stored object cannot move to another server; delete it and insert a new one instead of"
          + " changing the property by which the rows are divided"
      )
    case _ where isLost: (code, advice) = (.io, Self.advice(for: message))
    case _ where isTransient: (code, advice) = (.storeLocked, "other programs keep changing the same rows; save again")
    // An error of the library itself.
    case "":
      return SwiftDataError(
        isPoolBusy ? .storeLocked : .io, message: "\(description) (store \"\(store)\")", sql: sql, underlying: self)
    default: (code, advice) = (.io, "PostgreSQL rejected a statement")
    }
    return SwiftDataError(code, message: "\(advice): \(description) (store \"\(store)\")", sql: sql, underlying: self)
  }
}
