import Foundation
import SwiftData

/// What the server or the connection to it reported.
package struct PostgresError: Error, CustomStringConvertible {
  /// The five characters of the SQL standard; empty where the connection failed.
  package var state = ""
  package var message: String
  /// The constraint that a row broke.
  package var constraint: String?
  /// Whether the connection is of no use any more.
  package var isLost = false
  package var sql: String?

  package var description: String { state.isEmpty ? message : "\(message) (SQLSTATE \(state))" }

  /// Whether a transaction that failed so may succeed the next time: a serialization failure or a deadlock.
  var isTransient: Bool { ["40001", "40P01", "55P03"].contains(state) }

  /// Whether a prepared statement is of no use any more because another program changed a table.
  var isPlanStale: Bool { state == "0A000" && message.contains("cached plan") }

  /// Whether the server ended the statement because somebody asked it to.
  var isCancelled: Bool { state == "57014" }

  /// Whether the server lacks what a predicate or an order needs, or cannot say: then the context has to.
  var wantsSwift: Bool {
    // Undefined functions, operators, collations; types that do not fit; what `swift_unsure` raises; text it cannot have.
    ["42883", "42804", "42846", "42704", "42725", "42P18", "42P22", "22P02", "22P05", "P0DS1", "22003", "42P21"]
      .contains(state)
  }
}

extension PostgresError {
  /// The error that callers of the store see.
  func error(_ store: String) -> any Error {
    // A timeout of the server ends statements in the same way.
    if isCancelled, Task.isCancelled { return CancellationError() }
    return swiftDataError(store)
  }

  private func swiftDataError(_ store: String) -> SwiftDataError {
    let code: SwiftDataError.Code
    let advice: String
    switch state {
    case "53100": (code, advice) = (.storeFull, "the server's disk is full")
    case "25006": (code, advice) = (.storeReadOnly, "the server is a read-only replica; name the primary in the URL")
    case "28P01", "28000": (code, advice) = (.io, "the server refuses the user or the password of the URL")
    case "3D000": (code, advice) = (.io, "the database of the URL does not exist; create it first")
    case "42501": (code, advice) = (.storeReadOnly, "the user of the URL may not do it")
    case "23503": (code, advice) = (.staleObject, "a related model was deleted by another process; fetch it again")
    case _ where isLost: (code, advice) = (.io, "the connection to the server failed")
    case _ where isTransient: (code, advice) = (.storeLocked, "others keep changing the same rows; save again")
    default: (code, advice) = (.io, "the server refused a statement")
    }
    return SwiftDataError(code, message: "\(advice): \(description) (store \"\(store)\")", sql: sql, underlying: self)
  }
}
