extension SQLiteStore: TransactionStore {
  package var hasTransactions: Bool { packs.isEmpty && configuration.allowsSave }
  package var tableTypes: TableTypes { .sqlite }

  package func transaction<T>(_ body: () throws -> T) throws -> T {
    guard try checkUsable() == nil, case .connections(let connections) = access else { return try body() }
    guard configuration.allowsSave else { throw readOnly }
    var transaction: SharedTransaction?
    var isCommitting = false
    do {
      let result = try translating {
        try connections.write { statements in
          try noteOthers(on: SQLiteConnection(statements, store: self))
          let shared = SharedTransaction(statements, PendingFiles(externalStorage))
          transaction = shared
          bookkeeping.withLock { $0.shared = shared }
          defer { bookkeeping.withLock { $0.shared = nil } }
          let result = try body()
          try shared.checkOpen(configuration)
          try shared.files.willCommit()
          willCommit(shared.numbers)
          isCommitting = true
          return result
        } didCommit: {
          didCommit(transaction?.numbers, $0)
          transaction?.files.committed()
        }
      }
      transaction?.afterCommit.forEach { $0() }
      return result
    } catch {
      transaction?.files.rolledBack(isCertain: !isCommitting)
      didRollBack(transaction?.numbers)
      throw error
    }
  }

  /// As ``write(_:)``, in a savepoint of a transaction of this thread.
  func write<T>(within shared: SharedTransaction, _ body: (SQLiteConnection) throws -> T) throws -> T {
    let connection = SQLiteConnection(shared.statements, store: self, files: shared.files)
    let savepoint = shared.files.savepoint
    do {
      return try shared.statements.database.savepoint {
        let result = try body(connection)
        // The commit would refuse all that the transaction has.
        try connection.checkReferences()
        if let number = connection.historyTransaction {
          shared.numbers = (shared.numbers?.lowerBound ?? number)...number
        }
        return result
      }
    } catch {
      shared.files.rollBack(to: savepoint)
      throw error
    }
  }

  package var isInTransaction: Bool { ownShared != nil }

  package func afterCommit(_ body: @escaping () -> Void) {
    guard let shared = ownShared else { return body() }
    shared.afterCommit.append(body)
  }

  /// The transaction that this thread shares among its contexts.
  var ownShared: SharedTransaction? {
    guard let shared = bookkeeping.withLock({ $0.shared }), shared.isOfThisThread else { return nil }
    return shared
  }

  /// - Returns: the transaction that this thread shares among its contexts.
  @discardableResult
  func checkUsable() throws -> SharedTransaction? {
    let (isErased, shared) = bookkeeping.withLock { ($0.isErased, $0.shared) }
    if isErased {
      throw SwiftDataError(
        .missingContainer,
        message: "its store \"\(configuration.name)\" was erased; make a new ModelContainer and fetch again")
    }
    if case .transaction(let transaction) = access {
      guard !bookkeeping.withLock({ $0.isClosed }), transaction.isOfThisThread else {
        throw SwiftDataError(
          .missingContainer,
          message: "the context of a migration stage was used after the stage or on another thread; fetch the object"
            + " again once the container is open")
      }
    }
    guard let shared, shared.isOfThisThread else { return nil }
    try shared.checkOpen(configuration)
    return shared
  }

  // MARK: - Other tables

  package func rows(_ sql: String, _ arguments: [SQLValue]) throws -> [[SQLValue]] {
    try read { connection in
      try connection.rows(SQLFragment(sql, arguments)) { cells in (0..<cells.count).map(cells.value) }
    }
  }

  package func execute(_ sql: String, _ arguments: [SQLValue]) throws {
    guard let shared = try checkUsable() else { return try write { try $0.execute(SQLFragment(sql, arguments)) } }
    try translating {
      try SQLiteConnection(shared.statements, store: self).execute(SQLFragment(sql, arguments))
    }
  }
}
