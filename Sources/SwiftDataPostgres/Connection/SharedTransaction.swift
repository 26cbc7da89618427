/// A writing transaction that the contexts of one thread share. See `TransactionStore`.
// @unchecked Sendable because only the thread that began it finds it.
final class SharedTransaction: @unchecked Sendable {
  let connection: PostgresConnection
  /// The steps that follow the commit.
  var afterCommit: [() -> Void] = []

  init(_ connection: PostgresConnection) { self.connection = connection }
}
