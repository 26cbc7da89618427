public import Foundation

/// A save in the history. (Apple's documentation, `HistoryTransaction`.)
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of tokens, which are positions in the history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of transaction numbers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The time of the save.
  var timestamp: Date { get }
  /// The changes in order, one per object.
  var changes: [HistoryChange] { get }
  /// The token of the transaction. Fetch transactions with a greater token to read later ones.
  var token: TokenType { get }
  /// The number in the history of the store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the store.
  var storeIdentifier: String { get }
  /// The ``ModelContext/author`` at the time of the save.
  var author: String? { get }
}

/// A position in the history of a store. Encode it to continue from there later. (Apple's documentation,
/// `HistoryToken`.)
public protocol HistoryToken: Codable, Comparable, Hashable, Identifiable, Sendable {
  /// The type of the token's value.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// The token's value.
  var tokenValue: TokenType? { get }
  /// The identifier of the store.
  var storeIdentifier: String { get }
}

extension HistoryToken {
  /// The identifier of the store; empty for a token that does not say it.
  public var storeIdentifier: String { "" }
}

/// A change to one object. (Apple's documentation, `HistoryChange`.)
public enum HistoryChange: Sendable {
  /// The object was inserted.
  case insert(any HistoryInsert)
  /// Properties of the object changed.
  case update(any HistoryUpdate)
  /// The object was deleted.
  case delete(any HistoryDelete)

  /// The object. A deleted object can no longer be fetched.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// An insertion. (Apple's documentation, `HistoryInsert`.)
public protocol HistoryInsert<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of change numbers.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The type of transaction numbers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The number of the change in the history of its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction of the change.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The inserted object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A change of an object's properties. (Apple's documentation, `HistoryUpdate`.)
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of change numbers.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The type of transaction numbers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// A changed property.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The number of the change in the history of its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction of the change.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The changed object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The changed attributes and relationships. The history does not keep their values.
  var updatedAttributes: [PropertyUpdate] { get }
}

/// A deletion. (Apple's documentation, `HistoryDelete`.)
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of change numbers.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The type of transaction numbers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The number of the change in the history of its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction of the change.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The deleted object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values of the attributes with `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}

/// The preserved values of a deleted object. (Apple's documentation, `HistoryTombstone`.)
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Sendable {
  typealias Value = (name: String, keyPath: (PartialKeyPath<Model> & Sendable)?, value: any Sendable)
  let values: [Value]

  /// The last value of an attribute, or nil if it was nil or not preserved. An attribute of a superclass is found, too.
  public subscript(_ keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    if let value = values.first(where: { ($0.keyPath as PartialKeyPath<Model>?) == keyPath }) { return value.value }
    return KeyPathResolver.property(at: keyPath, in: Model.__entity).flatMap { self[named: $0.name] }
  }

  /// The last value of an attribute by name. (Not Apple's.)
  public subscript(named name: String) -> (any Sendable)? { values.first { $0.name == name }?.value }

  /// Iterates over the preserved values.
  public struct Iterator: IteratorProtocol {
    fileprivate var rest: ArraySlice<Value>

    /// Returns the next value.
    public mutating func next() -> Any? { rest.popFirst()?.value }
  }

  /// Makes an iterator over the preserved values, in the order of their declarations, superclasses first.
  public func makeIterator() -> Iterator { Iterator(rest: values[...]) }
}

/// A store with a history. (Apple's documentation, `HistoryProviding`.)
public protocol HistoryProviding {
  /// The type of its transactions.
  associatedtype HistoryType: HistoryTransaction

  /// The type of its transactions.
  static var historyType: HistoryType.Type { get }

  /// Fetches the transactions that match a descriptor.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the descriptor names a token whose successors were deleted.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions that match a descriptor.
  /// - Throws: an error of the store.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// The type of the transactions.
  public static var historyType: HistoryType.Type { HistoryType.self }
}

/// Selects transactions to fetch or delete. (Apple's documentation, `HistoryDescriptor`.)
public struct HistoryDescriptor<TransactionType: HistoryTransaction>: Sendable {
  /// The condition on transactions, or nil for all.
  public var predicate: Predicate<TransactionType>?
  /// The maximum number of transactions; 0 means no limit.
  public var fetchLimit: UInt64 = 0
  /// The order. Without one, the oldest transaction is first.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// Makes a descriptor.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.init(predicate: predicate, sortBy: [])
  }

  /// Makes a descriptor with an order.
  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>]) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
