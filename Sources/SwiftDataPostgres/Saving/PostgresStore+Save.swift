import Foundation
import SwiftData

extension PostgresStore {
  package var nesting: Int { 1 }

  package func run(_ save: RowSave, _ others: () throws -> Void) throws {
    let changes = save.changes
    var didSaveOthers = false
    try transaction(author: changes.editing.author, mayRepeat: !changes.inserted.isEmpty) { transaction in
      try save.write(by: PostgresRowWriter(self, transaction))
      if !didSaveOthers { try others() }
      didSaveOthers = true
    }
  }

  /// Runs what writes, and commits it.
  ///
  /// What only means that others were faster is tried again: serialization failures, deadlocks, a new unique value that
  /// somebody else stored at the same time, and connections that were lost. A save whose outcome nobody knows is found by
  /// its name in the history, so that it is never written twice.
  /// - Parameters:
  ///   - mayRepeat: whether a collision of unique values may be gone the next time.
  ///   - write: does all but the commit. Not called again for a save that turns out to have been committed.
  func transaction<Result>(
    author: String?, mayRepeat: Bool, _ write: (PostgresTransaction) throws -> Result
  ) throws -> Result {
    try Self.report(configuration.name) {
      let save = UUID()
      var committing: Result?
      var collisions = 0
      for attempt in 1... {
        do {
          // Once a commit was sent, what became of it has to be found out.
          let result = try pool.with(cancellable: committing == nil) { connection in
            try run(PostgresTransaction(self, save: save, connection), author, write, &committing)
          }
          forgetOldHistoryNowAndThen()
          return result
        } catch let error as PostgresError {
          if error.state == "23505" {
            // An earlier attempt, whose outcome was not known, has been committed.
            if error.constraint == "\(ServerNames.history)_pkey", let committing { return committing }
            collisions += 1
            guard collisions < 3, mayRepeat else { throw uniqueness(error) }
          } else {
            guard error.isTransient || error.isLost || error.isPlanStale, attempt < configuration.attempts else {
              throw committing == nil || !error.isLost ? error : unknown(error)
            }
          }
          if error.isLost { pool.close() }
          // Waiting longer each time, and not all as long as one another; a server that restarts takes a while.
          let step = error.isLost ? 0.05 : 0.002
          Thread.sleep(forTimeInterval: min(1, step * Double(1 << min(attempt, 10))) * Double.random(in: 0.5...1))
        }
      }
      preconditionFailure("the loop ends by returning or throwing")
    }
  }

  private func run<Result>(
    _ transaction: PostgresTransaction, _ author: String?, _ write: (PostgresTransaction) throws -> Result,
    _ committing: inout Result?
  ) throws -> Result {
    let connection = transaction.connection
    var isCommitting = false
    do {
      try transaction.begin(author: author)
      // Its name was free: no earlier attempt was committed, nor will one be.
      committing = nil
      let result = try write(transaction)
      if connection.isCancellable { try Task.checkCancellation() }
      connection.isCancellable = false
      // From here on nobody knows the outcome if the connection is lost.
      (committing, isCommitting) = (result, true)
      try transaction.commit()
      return result
    } catch {
      if isCommitting, (error as? PostgresError)?.isLost != true { committing = nil }
      if (error as? PostgresError)?.isLost != true { transaction.rollback() }
      if (error as? PostgresError)?.isPlanStale == true { try? connection.forgetStatements() }
      throw error
    }
  }

  /// The server was lost while it committed, and did not come back.
  private func unknown(_ error: PostgresError) -> SwiftDataError {
    SwiftDataError(
      .io,
      message: "the connection was lost during the commit and the server could not be asked again, so that it is not"
        + " known whether the save was written; fetch when the server is back, then save again what is missing"
        + " (store \"\(configuration.name)\")", underlying: error)
  }

  private func uniqueness(_ error: PostgresError) -> SwiftDataError {
    for table in layout.record.tables {
      for index in table.indices
      where index.isUnique && ServerNames.constraint(table.name, index.columns, "key") == error.constraint {
        return SwiftDataError(
          .uniquenessViolation, entity: table.name, property: index.columns.joined(separator: ", "),
          message: "another stored model has the same value; change it, or fetch that one and update it",
          underlying: error)
      }
    }
    return SwiftDataError(.uniquenessViolation, underlying: error)
  }
}
