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
}
