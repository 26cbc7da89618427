import Foundation
import SwiftData

extension PostgresStore {
  package var nesting: Int { 1 }

  package func run(_ save: RowSave, _ others: OtherSaves) throws {
    let changes = save.changes
    var didSaveOthers = false
    var timeline: Int64?
    try transaction(author: changes.editing.author, mayRepeat: !changes.inserted.isEmpty) { transaction in
      // A server that took over may not know the keys that the lost one gave, and may give them to another program.
      if let timeline, timeline != transaction.connection.timeline { save.returnKeys() }
      timeline = transaction.connection.timeline
      try save.write(by: PostgresRowWriter(self, transaction))
      if !didSaveOthers {
        if !others.isEmpty { _ = try transaction.run("SET CONSTRAINTS ALL IMMEDIATE") }
        try others.run()
      }
      didSaveOthers = true
    }
  }

  /// Runs a writing operation and commits it.
  ///
  /// It retries after serialization failures, deadlocks, a new unique value that another program stored at the same
  /// time, and lost connections. A save with an unknown outcome is found by its identifier in the history, so it is
  /// never written twice.
  /// - Parameters:
  ///   - mayRepeat: whether a collision of unique values may be gone at a retry.
  ///   - write: does everything but the commit. It is not called again if the save turns out to be committed.
  func transaction<Result>(
    author: String?, mayRepeat: Bool, _ write: (PostgresTransaction) throws -> Result
  ) throws -> Result {
    try Self.report(configuration.name) {
      let save = UUID()
      var committing: Result?
      // Each kind has a limit of its own: a failover may take many attempts, and the first conflict after it is a first one.
      var (losses, conflicts) = (0, 0)
      var collisions = Collisions()
      let servers = connections.primary.servers
      let end = ContinuousClock.now + .seconds(servers.isWorthWaiting ? servers.options.timeout.asWait : 0)
      while true {
        do {
          // After a commit was sent, its outcome must be determined.
          let result = try connections.with(cancellable: committing == nil) { connection in
            let isRepeated = collisions.count + conflicts > 0
            let transaction = PostgresTransaction(self, save: save, connection, isRepeated: isRepeated)
            return try run(transaction, author, write, &committing)
          }
          // It is a transaction of its own.
          afterCommit { self.forgetOldHistoryNowAndThen() }
          return result
        } catch let error as PostgresError {
          if error.isUniquenessViolation {
            collisions.note(error)
            guard mayRepeat, collisions.count < configuration.maximumSaveAttempts, !collisions.areStuck else {
              throw uniqueness(error)
            }
          } else {
            if error.isLost { losses += 1 } else { conflicts += 1 }
            guard mayTryAgain(error, error.isLost ? losses : conflicts, until: end) else {
              throw committing == nil ? explained(error) : unknown(error)
            }
          }
          connections.metrics?.noteRetry(isLost: error.isLost)
          if error.isLost { connections.close() }
          // Exponential backoff with jitter. A server that restarts takes a while.
          let (step, count) = error.isLost ? (0.05, losses) : (0.002, collisions.count + conflicts)
          Thread.sleep(forTimeInterval: min(1, step * Double(1 << min(count, 10))) * Double.random(in: 0.5...1))
        }
      }
    }
  }

  /// The collisions of a save's new unique values with rows that others committed meanwhile.
  private struct Collisions {
    var count = 0
    private var last = ""
    private var repetitions = 0

    mutating func note(_ error: PostgresError) {
      count += 1
      repetitions = error.violation == last ? repetitions + 1 : 0
      last = error.violation
    }

    /// Whether the same values collide again and again. The next attempt of an insert finds the row that it collided with,
    /// but a changed object still has the value of another one.
    var areStuck: Bool { repetitions >= 2 }
  }

  /// Whether to retry after an error: within the attempts, or as long as another host may take over.
  /// - Parameter count: the number of errors of its kind.
  private func mayTryAgain(_ error: PostgresError, _ count: Int, until end: ContinuousClock.Instant) -> Bool {
    if error.isLost {
      // Another connection would not be in the transaction.
      if connections.isInTransaction { return false }
      return !error.hasWaited && (count < configuration.maximumSaveAttempts || ContinuousClock.now < end)
    }
    return (error.isTransient || error.isPlanStale) && count < configuration.maximumSaveAttempts
  }

  private func run<Result>(
    _ transaction: PostgresTransaction, _ author: String?, _ write: (PostgresTransaction) throws -> Result,
    _ committing: inout Result?
  ) throws -> Result {
    let connection = transaction.connection
    var isCommitting = false
    do {
      transaction.begin(author: author)
      if let earlier = committing {
        if try transaction.wasCommitted() {
          connections.replicas?.noteUnknown()
          return earlier
        }
        // No earlier attempt was committed, nor will be, because the identifier is in this transaction now.
        committing = nil
      }
      let result = try write(transaction)
      if connection.isCancellable { try Task.checkCancellation() }
      connection.isCancellable = false
      // From here on, a lost connection leaves the outcome unknown, unless the commit is another transaction's.
      if !transaction.isNested { (committing, isCommitting) = (result, true) }
      try transaction.commit()
      return result
    } catch {
      if isCommitting, (error as? PostgresError)?.isOutcomeUnknown != true { committing = nil }
      transaction.rollback()
      if (error as? PostgresError)?.isPlanStale == true { try? connection.forgetStatements() }
      throw error
    }
  }

  /// The error of a save whose commit may have been written, because no later attempt found its outcome.
  private func unknown(_ error: PostgresError) -> PostgresError {
    var error = error
    error.isOutcomeUnknown = true
    return error
  }

  private func uniqueness(_ error: PostgresError) -> SwiftDataError {
    for table in layout.record.tables {
      if error.constraint == "\(table.name)_pkey" {
        return SwiftDataError(
          .storeDamaged, entity: table.classes.first,
          message:
            "the sequence \(ServerNames.keys(of: table.name)) gives keys that rows have, as after a restore under"
            + " a running program or a change by SQL; end all programs, set it behind the greatest _pk with setval, and"
            + " open the store again", underlying: error)
      }
      for index in table.indices where index.isUnique && isViolated(index, of: table.name, error) {
        return SwiftDataError(
          .uniquenessViolation, entity: index.classes?.first ?? table.classes.first,
          property: index.names.joined(separator: ", "),
          message: TakenValues.message(values(of: index, in: table, error)), underlying: error)
      }
    }
    return SwiftDataError(.uniquenessViolation, underlying: error)
  }

  /// The values that another row has; empty if the server does not say them, or if their text there is not what the program saved.
  private func values(of index: LayoutRecord.Index, in table: LayoutRecord.Table, _ error: PostgresError) -> [String] {
    // An error may come into a log, and an encrypted value must not.
    let secret = EntityTable.secretColumns(schema.runtimeEntities.filter { table.classes.contains($0.name) })
    guard secret.isDisjoint(with: index.columns) else { return [] }
    let types = index.columns.map { table.column(named: $0)?.valueType ?? "" }
    guard types.allSatisfy(["String", "UUID", "Int", "Int32", "Int64"].contains), let taken = error.takenValues else {
      return []
    }
    let values = types.count == 1 ? [taken] : taken.components(separatedBy: ", ")
    guard values.count == types.count else { return [] }
    return zip(types, values).map { $0 == "String" ? TakenValues.quoted($1) : $1 }
  }

  /// The names of a table's unique constraints.
  func uniqueConstraints(of table: String) -> [String] {
    layout.record.table(named: table)?.indices.filter(\.isUnique).flatMap { index in
      partitions.parts(of: table).map { ServerNames.index(index, of: $0) }
    } ?? []
  }

  private func isViolated(_ index: LayoutRecord.Index, of table: String, _ error: PostgresError) -> Bool {
    (partitions[table]?.partitions ?? [table]).contains { part in
      let name = ServerNames.index(index, of: part)
      // The error of a shard names the constraint in its text only.
      return error.constraint == name || error.constraint == nil && error.message.contains("\"\(name)\"")
    }
  }
}
