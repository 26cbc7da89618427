public import Foundation

/// A save to a default store. (Apple's documentation, `DefaultHistoryTransaction`.)
public struct DefaultHistoryTransaction: HistoryTransaction, Identifiable {
  /// The token of a transaction.
  public typealias TokenType = DefaultHistoryToken
  /// The number of a transaction in the history of its store, starting at 1.
  public typealias TransactionIdentifier = Int64

  /// The time of the save.
  public let timestamp: Date
  /// Deletions, insertions and updates, one per object, grouped by class.
  public let changes: [HistoryChange]
  /// The token of the transaction, its position in the history.
  public let token: DefaultHistoryToken
  /// The number in the history of the store, starting at 1. A number is never reused.
  public let transactionIdentifier: Int64
  /// The identifier of the store.
  public let storeIdentifier: String
  /// The ``ModelContext/author`` at the time of the save.
  public let author: String?
  /// The bundle identifier of the saving program, or the name of its executable.
  public let bundleIdentifier: String
  /// The number of the saving process.
  public let processIdentifier: String

  /// The number of the transaction. Transactions of different stores can have the same number. (Apple's declaration: `Int64`.)
  public var id: Int64 { transactionIdentifier }

  package init(
    timestamp: Date, changes: [HistoryChange], number: Int64, store: String, author: String?, program: String,
    process: String
  ) {
    self.timestamp = timestamp
    self.changes = changes
    self.token = DefaultHistoryToken(store: store, transaction: number)
    self.transactionIdentifier = number
    self.storeIdentifier = store
    self.author = author
    self.bundleIdentifier = program
    self.processIdentifier = process
  }

  /// The transaction with its changes.
  func with(_ changes: [HistoryChange]) -> Self {
    Self(
      timestamp: timestamp, changes: changes, number: transactionIdentifier, store: storeIdentifier, author: author,
      program: bundleIdentifier, process: processIdentifier)
  }

  // Transactions are immutable.
  /// Compares the tokens.
  public static func == (left: Self, right: Self) -> Bool { left.token == right.token }
  /// Hashes the token.
  public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

/// A position in the history of a default store. (Apple's documentation, `DefaultHistoryToken`.)
///
/// Tokens of one store compare by age. The order of tokens of different stores is arbitrary. For a container with
/// several stores, keep one token per store, and compare `storeIdentifier` in the predicate.
public struct DefaultHistoryToken: HistoryToken {
  /// The number of the transaction by store identifier.
  public let tokenValue: [String: Int64]?

  package init(store: String, transaction: Int64) { tokenValue = [store: transaction] }

  /// The number of the transaction. Tokens of different stores can have the same number. (Apple's declaration: `Int`.)
  public var id: Int { Int(truncatingIfNeeded: transaction) }
  /// The identifier of the store.
  public var storeIdentifier: String { tokenValue?.first?.key ?? "" }
  var transaction: Int64 { tokenValue?.first?.value ?? 0 }

  /// Compares by store and then by age.
  public static func < (left: Self, right: Self) -> Bool {
    (left.storeIdentifier, left.transaction) < (right.storeIdentifier, right.transaction)
  }
}

/// An insertion into the default store. (Apple's documentation, `DefaultHistoryInsert`.)
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable, Identifiable {
  /// The number of the change in the history of its store.
  public let changeIdentifier: Int64
  /// The transaction of the change.
  public let transactionIdentifier: Int64
  /// The object.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The number of the change.
  public var id: Int64 { changeIdentifier }
}

/// A change of an object in the default store. (Apple's documentation, `DefaultHistoryUpdate`.)
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable, Identifiable {
  /// The number of the change in the history of its store.
  public let changeIdentifier: Int64
  /// The transaction of the change.
  public let transactionIdentifier: Int64
  /// The object.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The changed properties of the class itself. Swift cannot form the subclass's key paths of inherited properties.
  public let updatedAttributes: [PartialKeyPath<Model> & Sendable]
  /// The names of all changed properties. (Not Apple's.)
  public let updatedPropertyNames: [String]
  /// The number of the change.
  public var id: Int64 { changeIdentifier }

  /// Compares the number of the change and the object.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }
  /// Hashes the number of the change and the object.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

extension DefaultHistoryUpdate: NamedHistoryUpdate {}

/// An update whose changed properties are known by name, whatever its class.
package protocol NamedHistoryUpdate {
  /// The names of all properties that changed.
  var updatedPropertyNames: [String] { get }
}

/// A deletion from the default store. (Apple's documentation, `DefaultHistoryDelete`.)
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable, Identifiable {
  /// The number of the change in the history of its store.
  public let changeIdentifier: Int64
  /// The transaction of the change.
  public let transactionIdentifier: Int64
  /// The object.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The stored values of attributes with `.preserveValueOnDeletion`.
  public let tombstone: HistoryTombstone<Model>
  /// The number of the change.
  public var id: Int64 { changeIdentifier }

  /// Compares the number of the change and the object.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }
  /// Hashes the number of the change and the object.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
