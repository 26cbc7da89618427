import CLibPQ
import Foundation
import SwiftData

// Transactions and their parts. Only this file has the words BEGIN, COMMIT, ROLLBACK and SAVEPOINT. So no operation ends a transaction
// that another one began, and each commit is checked.

extension PostgresStatement {
  private static let name = "_swiftdata_part"
  /// Begins a part of the open transaction.
  static let beginPart = PostgresStatement("SAVEPOINT \(name)")
  /// Ends a part, which the transaction keeps.
  static let endPart = PostgresStatement("RELEASE SAVEPOINT \(name)")
  /// Undoes a part and ends it.
  fileprivate static let undoPart = "ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)"
  static let begin = PostgresStatement("BEGIN")
  fileprivate static let commit = PostgresStatement("COMMIT")
  /// Whether it begins a transaction.
  var isBegin: Bool { text == Self.begin.text }
}

extension PostgresConnection {
  /// Whether a transaction is open on the connection, as far as this side knows. Another operation may have begun it.
  var isInTransaction: Bool {
    let status = PQtransactionStatus(handle)
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
  }

  /// Whether a statement of the open transaction failed, so that the server refuses all others and rolls back at the commit.
  private var hasFailed: Bool { PQtransactionStatus(handle) == PQTRANS_INERROR }

  /// Whether a statement that failed can run again: no transaction is open, or the server did not abort the open one.
  var mayRepeatStatement: Bool { isIdle || isInTransaction && !hasFailed }

  // MARK: - Parts

  /// Runs statements that take effect together, in one round trip.
  ///
  /// Inside a transaction they are a part of it: if one fails, the transaction goes on without them. Outside, they are a transaction of
  /// their own.
  /// - Returns: a result per statement.
  @discardableResult
  func part(_ statements: [PostgresStatement]) throws -> [PostgresResult] {
    // Before anything is sent. Otherwise the part would have no savepoint to go back to.
    for statement in statements { try statement.checkSize() }
    let isPart = isInTransaction
    return try whole {
      do {
        guard isPart else {
          // A single statement is a transaction of its own.
          if statements.count == 1 { return try pipeline(statements) }
          return Array(try commit(after: [.begin] + statements).results.dropFirst())
        }
        return try Array(pipeline([.beginPart] + statements + [.endPart]).dropFirst().dropLast())
      } catch {
        if isPart || statements.count > 1 { rollBack(isPart: isPart) }
        throw error
      }
    }
  }

  /// Runs `body`, whose statements take effect together: as a part of the open transaction, or as a transaction of their own.
  ///
  /// If `body` throws, an open transaction goes on without them.
  /// - Parameters:
  ///   - isKept: whether the statements take effect. False for a trial.
  ///   - first: statements that are sent in the round trip that begins.
  func part<T>(isKept: Bool = true, beginning first: [PostgresStatement] = [], _ body: () throws -> T) throws -> T {
    let isPart = isInTransaction
    return try whole {
      do {
        _ = try pipeline([isPart ? .beginPart : .begin] + first)
        let result = try body()
        if !isKept {
          rollBack(isPart: isPart)
        } else if isPart {
          _ = try pipeline([.endPart])
        } else {
          try commit()
        }
        return result
      } catch {
        rollBack(isPart: isPart)
        throw error
      }
    }
  }

  /// Runs `body` in a transaction of its own, for what cannot be a part of another one.
  /// - Parameters: see ``part(isKept:beginning:_:)``.
  /// - Throws: `SwiftDataError.unsupportedFeature` if a transaction is open, and the error of `body`.
  func runAlone<T>(isKept: Bool = true, beginning first: [PostgresStatement] = [], _ body: () throws -> T) throws -> T {
    try refuseInTransaction()
    return try part(isKept: isKept, beginning: first, body)
  }

  /// - Throws: `SwiftDataError.unsupportedFeature` if a transaction is open.
  func refuseInTransaction() throws {
    guard isInTransaction else { return }
    throw SwiftDataError(
      .unsupportedFeature,
      message: "this operation needs a transaction of its own, and this thread is inside another one; call it after the"
        + " end of the transaction or of the migration stage")
  }

  /// Runs `body`, in which each statement inside a transaction is a part of its own. Its failure leaves the transaction usable. A statement
  /// outside a transaction costs nothing more.
  func isolating<T>(_ body: () throws -> T) rethrows -> T { try isolating(true, body) }

  /// Runs `body`, whose statements are not parts of their own.
  func whole<T>(_ body: () throws -> T) rethrows -> T { try isolating(false, body) }

  private func isolating<T>(_ isolates: Bool, _ body: () throws -> T) rethrows -> T {
    let former = isolatesStatements
    isolatesStatements = isolates
    defer { isolatesStatements = former }
    return try body()
  }

  // MARK: - Ends

  /// Sends statements and the commit of their transaction in one round trip. All commits come from here.
  /// - Parameters:
  ///   - statements: the last statements of the open transaction, or all of one that they begin.
  ///   - other: a statement that follows the commit. Its failure does not affect the commit.
  /// - Returns: a result per statement, and the result of the other one. Neither if the other one failed.
  /// - Throws: ``PostgresError``. The transaction was not committed, unless ``PostgresError/isOutcomeUnknown`` says otherwise.
  @discardableResult
  func commit(
    after statements: [PostgresStatement] = [], then other: PostgresStatement? = nil
  ) throws -> (results: [PostgresResult], after: PostgresResult?) {
    // The server would answer the commit with a rollback, which is not an error.
    guard !hasFailed else { throw PostgresError.rolledBack }
    // From here on, a lost connection leaves the outcome unknown.
    guard isInTransaction || isIdle && statements.first?.isBegin == true else { throw lost() }
    return try uncancelled {
      do {
        let all = try whole { try pipeline(statements + [.commit] + (other.map { [$0] } ?? [])) }
        guard all[statements.count].command == "COMMIT" else { throw PostgresError.rolledBack }
        return (Array(all.prefix(statements.count)), other == nil ? nil : all.last)
      } catch var error as PostgresError {
        // Only the other statement failed.
        if error.isAfterCommit { return ([], nil) }
        // A primary that became a replica refused a statement before the commit.
        error.isOutcomeUnknown = error.isLost && !isRetired
        throw error
      }
    }
  }

  /// Rolls back the open transaction, or its last part. If that fails, the transaction stays failed and cannot be committed.
  func rollBack(isPart: Bool) {
    guard PQstatus(handle) == CONNECTION_OK, isInTransaction else { return }
    uncancelled { whole { try? script(isPart ? PostgresStatement.undoPart : "ROLLBACK") } }
  }

  /// Runs `body`, which a cancelled task does not interrupt.
  private func uncancelled<T>(_ body: () throws -> T) rethrows -> T {
    let wasCancellable = isCancellable
    isCancellable = false
    defer { isCancellable = wasCancellable }
    return try body()
  }
}
