public import Foundation

/// One save, as the history keeps it. (Apple's documentation, `HistoryTransaction`.)
public protocol HistoryTransaction: Hashable, Sendable {
  /// The type of the tokens that say where in the history a transaction is.
  associatedtype TokenType: HistoryToken
  /// The type of the numbers of transactions.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// When it was saved.
  var timestamp: Date { get }
  /// What it changed, in order; one change for each object.
  var changes: [HistoryChange] { get }
  /// Its place in the history: fetch what has a greater token to get what came later.
  var token: TokenType { get }
  /// Its number in the history of its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The store that it was saved to.
  var storeIdentifier: String { get }
  /// Who saved it: ``ModelContext/author`` at that time.
  var author: String? { get }
}

/// A place in the history of a store; encode it to go on from there another day.
/// (Apple's documentation, `HistoryToken`.)
public protocol HistoryToken: Codable, Comparable, Hashable, Identifiable, Sendable {
  /// What the token is made of.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// What the token is made of.
  var tokenValue: TokenType? { get }
  /// The store that the token belongs to.
  var storeIdentifier: String { get }
}

/// What a transaction did to one object. (Apple's documentation, `HistoryChange`.)
public enum HistoryChange: Sendable {
  /// The object was inserted.
  case insert(any HistoryInsert)
  /// Properties of the object changed.
  case update(any HistoryUpdate)
  /// The object was deleted.
  case delete(any HistoryDelete)

  /// The object. One that was deleted is found no more.
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
  /// The type of the numbers of changes.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The type of the numbers of transactions.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The number of the change in the history of its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The object that was inserted.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A change of an object's properties. (Apple's documentation, `HistoryUpdate`.)
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of the numbers of changes.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The type of the numbers of transactions.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// What names a property.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The number of the change in the history of its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The object that was changed.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that were changed, attributes and relationships. Their values are not kept.
  var updatedAttributes: [PropertyUpdate] { get }
}

/// A deletion. (Apple's documentation, `HistoryDelete`.)
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of the numbers of changes.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The type of the numbers of transactions.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The number of the change in the history of its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The object that was deleted.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values of the attributes with `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}

/// What is left of a deleted object. (Apple's documentation, `HistoryTombstone`.)
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Sendable {
  typealias Value = (name: String, keyPath: (PartialKeyPath<Model> & Sendable)?, value: any Sendable)
  let values: [Value]

  /// The value that an attribute had; nil where it had none or was not preserved.
  public subscript(_ keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    values.first { ($0.keyPath as PartialKeyPath<Model>?) == keyPath }?.value
  }

  /// The value that an attribute had, by the attribute's name. An attribute that the class inherits is found by its
  /// name only: Swift has no way to make its key path. (Not Apple's.)
  public subscript(named name: String) -> (any Sendable)? { values.first { $0.name == name }?.value }

  /// Goes through the values that were preserved.
  public struct Iterator: IteratorProtocol {
    fileprivate var rest: ArraySlice<(keyPath: PartialKeyPath<Model> & Sendable, value: any Sendable)>

    /// The next attribute and its value.
    public mutating func next() -> (keyPath: PartialKeyPath<Model> & Sendable, value: any Sendable)? {
      rest.popFirst()
    }
  }

  /// Goes through the values that were preserved, in the order of the declarations.
  public func makeIterator() -> Iterator {
    Iterator(rest: values.compactMap { value in value.keyPath.map { ($0, value.value) } }[...])
  }
}

/// A store that keeps a history. (Apple's documentation, `HistoryProviding`.)
public protocol HistoryProviding {
  /// The type of its transactions.
  associatedtype HistoryType: HistoryTransaction

  /// The type of its transactions.
  static var historyType: HistoryType.Type { get }

  /// The transactions that a descriptor asks for.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where the descriptor names a token whose followers were deleted.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Forgets the transactions that a descriptor asks for.
  /// - Throws: an error of the store.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  public static var historyType: HistoryType.Type { HistoryType.self }
}

/// Which transactions to fetch or to delete. (Apple's documentation, `HistoryDescriptor`.)
public struct HistoryDescriptor<TransactionType: HistoryTransaction>: Sendable {
  /// What a transaction must fulfil; nil takes all.
  public var predicate: Predicate<TransactionType>?
  /// How many transactions at most; 0 is any number.
  public var fetchLimit: UInt64 = 0
  /// The order; without one, the oldest transaction comes first.
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
