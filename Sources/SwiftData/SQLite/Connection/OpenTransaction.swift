import Foundation

/// A transaction that a migration began and will end. The contexts of its stages use it.
final class OpenTransaction {
  let database: SQLiteDatabase
  /// The connection belongs to the thread that began the transaction.
  private let thread = Thread.current

  init(_ database: SQLiteDatabase) { self.database = database }

  var isOfThisThread: Bool { Thread.current === thread }
}
