public import Foundation

/// One save to the default store. (Apple's documentation, `DefaultHistoryTransaction`.)
public struct DefaultHistoryTransaction: HistoryTransaction, Identifiable {
  /// Says where in the history of its store a transaction is.
  public typealias TokenType = DefaultHistoryToken
  /// The number of a transaction in the history of its store, from 1.
  public typealias TransactionIdentifier = Int64

  /// When it was saved.
  public let timestamp: Date
  /// What it changed: deletions, insertions and updates, one for each object, gathered by class.
  public let changes: [HistoryChange]
  /// Its place in the history.
  public let token: DefaultHistoryToken
  /// Its number in the history of its store, from 1; no number is given twice.
  public let transactionIdentifier: Int64
  /// The store that it was saved to.
  public let storeIdentifier: String
  /// Who saved it: ``ModelContext/author`` at that time.
  public let author: String?
  /// The program that saved it: its bundle identifier, or the name of the executable.
  public let bundleIdentifier: String
  /// The process that saved it: its number.
  public let processIdentifier: String

  /// The same as the token.
  public var id: DefaultHistoryToken { token }

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

  // A transaction is written once and never changed.
  public static func == (left: Self, right: Self) -> Bool { left.token == right.token }
  public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

/// A place in the history of a default store. (Apple's documentation, `DefaultHistoryToken`.)
///
/// Tokens of one store compare by age. Those of different stores have an order too, which means nothing: where a
/// container has several stores, keep a token for each, and ask for `storeIdentifier` in the predicate.
public struct DefaultHistoryToken: HistoryToken {
  /// The number of the transaction, by the identifier of its store.
  public let tokenValue: [String: Int64]?

  package init(store: String, transaction: Int64) { tokenValue = [store: transaction] }

  /// The same as the token.
  public var id: Self { self }
  /// The store that the token belongs to.
  public var storeIdentifier: String { tokenValue?.first?.key ?? "" }
  var transaction: Int64 { tokenValue?.first?.value ?? 0 }

  public static func < (left: Self, right: Self) -> Bool {
    (left.storeIdentifier, left.transaction) < (right.storeIdentifier, right.transaction)
  }
}

/// An insertion into the default store. (Apple's documentation, `DefaultHistoryInsert`.)
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable, Identifiable {
  /// The number of the change in the history of its store.
  public let changeIdentifier: Int64
  /// The transaction that the change belongs to.
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
  /// The transaction that the change belongs to.
  public let transactionIdentifier: Int64
  /// The object.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that changed, but for those which the class inherits: Swift has no way to make their key paths.
  public let updatedAttributes: [PartialKeyPath<Model> & Sendable]
  /// The names of all properties that changed. (Not Apple's.)
  public let updatedPropertyNames: [String]
  /// The number of the change.
  public var id: Int64 { changeIdentifier }

  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// A deletion from the default store. (Apple's documentation, `DefaultHistoryDelete`.)
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable, Identifiable {
  /// The number of the change in the history of its store.
  public let changeIdentifier: Int64
  /// The transaction that the change belongs to.
  public let transactionIdentifier: Int64
  /// The object.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values of the attributes with `.preserveValueOnDeletion`, as they were stored.
  public let tombstone: HistoryTombstone<Model>
  /// The number of the change.
  public var id: Int64 { changeIdentifier }

  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
