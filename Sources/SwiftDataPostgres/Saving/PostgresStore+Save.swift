import Foundation
public import SwiftData

extension PostgresStore {
  /// Writes all of a request in one transaction, or nothing. Whole models are written: what others changed of them since
  /// they were read is lost, which it is not where a context saves. A new model whose unique value is taken is written
  /// over the stored one, whose identifier it gets.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/save()`` does.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var changes = RelationalChanges(editingState: request.editingState)
    changes.inserted = request.inserted
    changes.deleted = request.deleted
    let stored = try SnapshotLists.$areLeftOut.withValue(false) {
      try cachedSnapshots(
        for: request.updated.map(\.persistentIdentifier), editingState: request.editingState)
    }
    changes.updated = request.updated.map { snapshot in
      let properties = snapshot.contents.entity.properties
      let present = properties.filter { snapshot.contents[$0] != nil }
      var originals = [Int: [PersistentIdentifier]]()
      for property in present where property.isToMany {
        originals[property.index] = stored[snapshot.persistentIdentifier]?.contents[property]?.identifiers
      }
      return .init(snapshot, properties: PropertySet(present.map(\.index)), originals: originals)
    }
    return try save(changes)
  }

  /// Writes all changes in one transaction, or nothing.
  ///
  /// What only means that others were faster is tried again: serialization failures, deadlocks, a new unique value that
  /// somebody else stored at the same time, and connections that were lost. A save whose outcome nobody knows is found by
  /// its name in the history, so that it is never written twice.
  package func save(_ changes: RelationalChanges) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var keys: [PersistentIdentifier: Int64]?
    return try transaction(changes, mayRepeat: !changes.inserted.isEmpty) { save, connection in
      let known = try keys ?? newKeys(changes.inserted, connection)
      keys = known
      let transaction = SaveTransaction(self, changes, keys: known, save: save, connection)
      return (transaction, try transaction.write())
    }
  }

  /// Runs what writes, and commits it; again where only others were in the way.
  /// - Parameters:
  ///   - mayRepeat: whether a collision of unique values may be gone the next time.
  ///   - write: does all but the commit, for the name of the save.
  func transaction<Result>(
    _ changes: RelationalChanges, mayRepeat: Bool,
    _ write: (UUID, PostgresConnection) throws -> (SaveTransaction, Result)
  ) throws -> Result {
    try Self.report(configuration.name) {
      let save = UUID()
      var committing: Result?
      var collisions = 0
      for attempt in 1... {
        do {
          // Once a commit was sent, what became of it has to be found out.
          let result = try pool.with(cancellable: committing == nil) { connection in
            try run(write, save, connection, &committing)
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
    _ write: (UUID, PostgresConnection) throws -> (SaveTransaction, Result), _ save: UUID,
    _ connection: PostgresConnection, _ committing: inout Result?
  ) throws -> Result {
    var isCommitting = false
    do {
      let (transaction, result) = try write(save, connection)
      if connection.isCancellable { try Task.checkCancellation() }
      connection.isCancellable = false
      // From here on nobody knows the outcome if the connection is lost.
      (committing, isCommitting) = (result, true)
      try transaction.commit()
      return result
    } catch {
      if isCommitting, (error as? PostgresError)?.isLost != true { committing = nil }
      if (error as? PostgresError)?.isLost != true {
        SaveTransaction.rollback(connection, isNested: pool.transaction != nil)
      }
      if (error as? PostgresError)?.isPlanStale == true { try? connection.forgetStatements() }
      throw error
    }
  }

  private func newKeys(
    _ inserted: [DefaultSnapshot], _ connection: PostgresConnection
  ) throws -> [PersistentIdentifier: Int64] {
    var keys = [PersistentIdentifier: Int64]()
    let tables = try Dictionary(grouping: inserted) { try rows(of: $0.persistentIdentifier.entityName).table.name }
    for (table, snapshots) in tables {
      let taken = try self.keys.take(snapshots.count, for: table, connection)
      for (snapshot, key) in zip(snapshots, taken) { keys[snapshot.persistentIdentifier] = key }
    }
    return keys
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
