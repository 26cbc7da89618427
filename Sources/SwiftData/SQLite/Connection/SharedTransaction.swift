import Foundation

/// A writing transaction that the contexts of one thread share. See ``TransactionStore``.
// @unchecked Sendable because only the thread that began it uses anything but `isOfThisThread`, which is immutable.
final class SharedTransaction: @unchecked Sendable {
  let statements: KeptStatements
  /// The external files of the transaction.
  let files: PendingFiles
  private let thread = Thread.current

  // MARK: - Mutable State
  // Of the thread.

  /// The numbers of the saves in the history. No other thread saves in between, so they follow each other.
  var numbers: ClosedRange<Int64>?
  /// The steps that follow the commit.
  var afterCommit: [() -> Void] = []

  init(_ statements: KeptStatements, _ files: PendingFiles) { (self.statements, self.files) = (statements, files) }

  var isOfThisThread: Bool { Thread.current === thread }

  /// Checks that SQLite has not ended the transaction itself, as it does where a disk is full. Each later statement would be a
  /// transaction of its own.
  /// - Throws: ``SwiftDataError/io``.
  func checkOpen(_ configuration: ModelConfiguration) throws {
    guard statements.database.isOutsideTransaction else { return }
    throw SwiftDataError(
      .io,
      message:
        "the transaction of several saves in \"\(configuration.name)\" ended with the error of an earlier save, and nothing"
        + " of it is stored; let that error end the transaction, and begin it again")
  }
}
