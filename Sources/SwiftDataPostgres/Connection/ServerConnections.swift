import Foundation
import SwiftData
import Synchronization

/// The connections of a store: to the primary, and to replicas if reads may use them.
///
/// Stores with shared pool options share the pools of the same URL.
final class ServerConnections: Sendable {
  let namespace: String
  let primary: PostgresPool
  let replicas: ReplicaReads?
  /// Listens for external saves. Nil inside a transaction.
  let listener: SaveListener?
  /// Whether all operations use the connection of a migration's transaction.
  let isWithinTransaction: Bool
  /// That connection, until the migration's stage ends. Then the pool lends it to others.
  private let transaction: Lock<PostgresConnection?>
  /// The thread of the transaction, which is the only one that may use the connection.
  private let thread: ObjectIdentifier
  let metrics: StoreMetrics?
  private let log: StatementLog?
  /// The transactions that threads share among their contexts, by thread. See `TransactionStore`.
  private let shared = Lock<[ObjectIdentifier: SharedTransaction]>([:])
  /// The number of these transactions. Most programs have none, and then a thread need not look for its own.
  private let sharing = Atomic(0)

  init(_ configuration: PostgresConfiguration) {
    let (url, options) = (configuration.url, configuration.pool)
    namespace = configuration.namespace
    log = StatementLog(store: configuration.name)
    metrics = StoreMetrics(configuration.name)
    let application = options.isShared ? "swiftdata" : "swiftdata \(configuration.namespace)"
    primary = SharedPools.pool(url, options, .primary, application)
    if case .primary = configuration.readPreference {
      replicas = nil
    } else {
      replicas = ReplicaReads(
        SharedPools.pool(url, options, .replica, application), configuration.readPreference, metrics)
    }
    listener = SharedPools.listener(configuration.listenURL ?? url, options, application)
    isWithinTransaction = false
    transaction = Lock(nil)
    thread = ObjectIdentifier(Thread.current)
  }

  /// Uses the one connection of a running transaction until ``endTransaction()``.
  init(within transaction: PostgresConnection) {
    (namespace, log, metrics, replicas, listener) = (transaction.namespace, nil, nil, nil, nil)
    primary = PostgresPool(transaction.servers, application: "")
    isWithinTransaction = true
    self.transaction = Lock(transaction)
    thread = ObjectIdentifier(Thread.current)
  }

  /// Ends the use of the transaction's connection. Objects and contexts that still use the store get an error.
  func endTransaction() { transaction.withLock { $0 = nil } }

  /// - Throws: ``SwiftDataError/missingContainer`` after the stage, and on another thread.
  private func connectionOfTransaction() throws -> PostgresConnection {
    guard let connection = transaction.withLock({ $0 }), ObjectIdentifier(Thread.current) == thread else {
      throw SwiftDataError(
        .missingContainer,
        message: "the context of a migration stage was used after the stage or on another thread; fetch the object"
          + " again once the container is open")
    }
    return connection
  }

  /// Whether the operations of this thread belong to a transaction: of a migration, or one that its contexts share.
  var isInTransaction: Bool { isWithinTransaction || ownTransaction != nil }

  /// The connection of the transaction that the operations of this thread belong to, or nil.
  private func connectionInTransaction() throws -> PostgresConnection? {
    if let ownTransaction { return ownTransaction.connection }
    return isWithinTransaction ? try connectionOfTransaction() : nil
  }

  /// Lends a connection to the primary while `body` runs. It may be inside a transaction that `body` must not end.
  /// - Parameter cancellable: whether cancelling the task ends waiting and running statements.
  /// - Throws: ``PostgresError`` if there is no connection, `CancellationError`, ``SwiftDataError/missingContainer`` after a
  ///   migration's stage, and the error of `body`.
  func with<T>(cancellable: Bool = false, _ body: (PostgresConnection) throws -> T) throws -> T {
    if let connection = try connectionInTransaction() { return try body(connection) }
    return try primary.with(namespace, log: log, cancellable: cancellable, body)
  }

  /// Reads from the primary. If the connection is lost, retries on a new one: once, or as long as the pool waits for
  /// another primary. If a statement fails inside a transaction, the transaction goes on without it.
  func read<T>(cancellable: Bool, _ body: (PostgresConnection) throws -> T) throws -> T {
    // A new connection would not be in the transaction.
    if let connection = try connectionInTransaction() { return try connection.isolating { try body(connection) } }
    /// The end of the retries, which begin with the first loss.
    var end: ContinuousClock.Instant?
    while true {
      do {
        return try primary.with(namespace, log: log, cancellable: cancellable) { connection in
          let result = try body(connection)
          // A replica needs what was read here before it answers again.
          try replicas?.note(on: connection)
          return result
        }
      } catch let error as PostgresError where error.isLost && !error.hasWaited {
        // The cause probably closed the other connections too, though this process may not know yet.
        close()
        if let end, !primary.servers.canFailOver || ContinuousClock.now >= end { throw error }
        end = end ?? .now + .seconds(primary.servers.options.timeout.asWait)
      }
    }
  }

  /// Runs a reading statement, on a replica if one is recent enough.
  func run(_ statement: SQLFragment, cancellable: Bool) throws -> PostgresResult {
    if let replicas, ownTransaction == nil {
      let found = try replicas.run(statement, namespace, log: log, cancellable: cancellable) {
        try with(cancellable: cancellable) { try ReplicaReads.position(of: $0) }
      }
      if let found { return found }
    }
    return try read(cancellable: cancellable) { try $0.run(statement) }
  }

  // MARK: - Shared transactions

  /// The transaction that this thread shares among its contexts.
  var ownTransaction: SharedTransaction? {
    // A thread that shares one has counted it itself.
    guard sharing.load(ordering: .relaxed) > 0 else { return nil }
    return shared.withLock { $0[ObjectIdentifier(Thread.current)] }
  }

  /// Lends a connection to the primary to this thread while `body` runs. All operations of the thread use it.
  func share<T>(_ body: (SharedTransaction) throws -> T) throws -> T {
    try primary.with(namespace, log: log, cancellable: false) { connection in
      let (thread, transaction) = (ObjectIdentifier(Thread.current), SharedTransaction(connection))
      sharing.add(1, ordering: .relaxed)
      shared.withLock { $0[thread] = transaction }
      defer {
        shared.withLock { $0[thread] = nil }
        sharing.subtract(1, ordering: .relaxed)
      }
      return try body(transaction)
    }
  }

  /// Closes idle connections.
  func close() { primary.close() }
}

/// The pools that stores of this process share.
private enum SharedPools {
  private struct Key: Hashable {
    let url: String
    let options: PostgresPoolOptions
    let role: PostgresServers.Role
  }
  private struct Weak<Value: AnyObject & Sendable>: Sendable { weak var value: Value? }
  private static let pools = Lock<[Key: Weak<PostgresPool>]>([:])
  private static let listeners = Lock<[Key: Weak<SaveListener>]>([:])

  static func pool(
    _ url: String, _ options: PostgresPoolOptions, _ role: PostgresServers.Role, _ application: String
  ) -> PostgresPool {
    shared(pools, Key(url: url, options: options, role: role)) {
      PostgresPool(PostgresServers(url: url, options: options, role: role), application: application)
    }
  }

  static func listener(_ url: String, _ options: PostgresPoolOptions, _ application: String) -> SaveListener {
    shared(listeners, Key(url: url, options: options, role: .primary)) {
      SaveListener(PostgresServers(url: url, options: options), application: application)
    }
  }

  private static func shared<Value: AnyObject & Sendable>(
    _ known: borrowing Lock<[Key: Weak<Value>]>, _ key: Key, _ make: () -> Value
  ) -> Value {
    guard key.options.isShared else { return make() }
    // A value whose other owners let it go meanwhile closes its connections when it ends, which must not be under the lock.
    let (value, others) = known.withLock { known in
      if let value = known[key]?.value { return (value, [Value]()) }
      let value = make()
      let others = known.values.compactMap(\.value)
      known = known.filter { $0.value.value != nil }
      known[key] = Weak(value: value)
      return (value, others)
    }
    withExtendedLifetime(others) {}
    return value
  }
}
