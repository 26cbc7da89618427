import Foundation
import Synchronization

/// The identity of a model: its entity, its store and its primary key.
///
/// A new model has a temporary identifier until its first save. The save replaces it. (Apple's documentation,
/// `PersistentIdentifier`.)
public struct PersistentIdentifier: Hashable, Codable, Comparable, Identifiable, Sendable, CustomDebugStringConvertible
{
  /// The stable part of the identifier.
  public let id: ID

  /// The stable identity of a model.
  public struct ID: Hashable, Sendable, CustomDebugStringConvertible {
    fileprivate let entityName: String
    fileprivate let value: Value

    /// The description of the identifier.
    public var debugDescription: String { PersistentIdentifier(id: self).debugDescription }
  }

  fileprivate enum Value: Hashable {
    /// The primary key in a store of this package.
    case key(store: String, Int64)
    /// A primary key of another type, as canonical JSON.
    case custom(store: String, String)
    case temporary(TemporaryIdentity)
  }

  /// The name of the model's entity.
  public var entityName: String { id.entityName }

  /// The store of the model, or nil before the first save.
  public var storeIdentifier: String? {
    switch id.value {
    case .key(let store, _), .custom(let store, _): store
    case .temporary: nil
    }
  }

  /// Whether the model has not been saved yet. Do not keep a temporary identifier: the save replaces it.
  public var isTemporary: Bool { temporary != nil }

  /// Makes the identifier of a model in a store.
  /// - Parameters:
  ///   - storeIdentifier: the identifier of the store.
  ///   - entityName: the name of the entity.
  ///   - primaryKey: the key in the store. This package's stores use integers.
  /// - Throws: `EncodingError` if the key cannot be encoded.
  public static func identifier<T: Comparable & CustomStringConvertible & Codable & Hashable>(
    for storeIdentifier: String,
    entityName: String,
    primaryKey: T
  ) throws -> PersistentIdentifier {
    if let integer = primaryKey as? any BinaryInteger, let key = Int64(exactly: integer) {
      return PersistentIdentifier(entityName: entityName, storeIdentifier: storeIdentifier, key: key)
    }
    let text = String(decoding: try JSONCoding.encode(primaryKey), as: UTF8.self)
    return PersistentIdentifier(
      id: ID(entityName: entityName, value: .custom(store: storeIdentifier, text))
    )
  }

  private init(id: ID) { self.id = id }

  /// The identifier of a saved model.
  package init(entityName: String, storeIdentifier: String, key: Int64) {
    id = ID(entityName: entityName, value: .key(store: storeIdentifier, key))
  }

  /// The identifier of an unsaved model.
  package init(entityName: String, temporary: TemporaryIdentity) {
    id = ID(entityName: entityName, value: .temporary(temporary))
  }

  /// The primary key, or nil for a temporary identifier or a key that is not an integer.
  package var key: Int64? { if case .key(_, let key) = id.value { key } else { nil } }
  /// The JSON text of a primary key that is not an integer.
  package var customKey: String? { if case .custom(_, let text) = id.value { text } else { nil } }
  package var temporary: TemporaryIdentity? { if case .temporary(let identity) = id.value { identity } else { nil } }

  // MARK: - Order

  /// Orders by entity, store and primary key. Temporary identifiers come last, in an order that is stable within the
  /// process.
  public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    if left.entityName != right.entityName { return left.entityName < right.entityName }
    let (first, second) = (left.id.value.rank, right.id.value.rank)
    return first == second ? left.id.value.precedes(right.id.value) : first < second
  }

  /// The identifier in readable form: `Trip/12`, or `Trip/temporary-…`.
  public var debugDescription: String {
    switch id.value {
    case .key(_, let key): "\(entityName)/\(key)"
    case .custom(_, let text): "\(entityName)/\(text)"
    case .temporary(let identity): "\(entityName)/temporary-\(identity.description)"
    }
  }

  // MARK: - Coding

  private enum CodingKeys: CodingKey { case entityName, storeIdentifier, key, customKey, temporary }

  /// Decodes an identifier. A temporary one means its object in the same process only.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let entityName = try container.decode(String.self, forKey: .entityName)
    if let text = try container.decodeIfPresent(String.self, forKey: .temporary) {
      guard let identity = TemporaryIdentity(text) else {
        throw DecodingError.dataCorruptedError(
          forKey: .temporary, in: container, debugDescription: "\"\(text)\" is not a temporary identifier")
      }
      id = ID(entityName: entityName, value: .temporary(identity))
      return
    }
    let store = try container.decode(String.self, forKey: .storeIdentifier)
    let value: Value
    if let text = try container.decodeIfPresent(String.self, forKey: .customKey) {
      value = .custom(store: store, text)
    } else {
      value = .key(store: store, try container.decode(Int64.self, forKey: .key))
    }
    id = ID(entityName: entityName, value: value)
  }

  /// Encodes the identifier. A temporary identifier means the same object after decoding in the same process, and no
  /// object in another process. (Apple's documentation does not define what a decoded temporary identifier means.)
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(entityName, forKey: .entityName)
    try container.encodeIfPresent(storeIdentifier, forKey: .storeIdentifier)
    try container.encodeIfPresent(key, forKey: .key)
    try container.encodeIfPresent(customKey, forKey: .customKey)
    try container.encodeIfPresent(temporary?.description, forKey: .temporary)
  }
}

extension PersistentIdentifier.Value {
  /// Hashes what differs within a store: the objects of a set are mostly of one.
  fileprivate func hash(into hasher: inout Hasher) {
    switch self {
    case .key(_, let key): hasher.combine(key)
    case .custom(_, let key): hasher.combine(key)
    case .temporary(let identity): hasher.combine(identity)
    }
  }

  fileprivate var rank: Int {
    switch self {
    case .key: 0
    case .custom: 1
    case .temporary: 2
    }
  }

  /// The order among values of one rank.
  fileprivate func precedes(_ other: Self) -> Bool {
    switch (self, other) {
    case (.key(let a, let x), .key(let b, let y)): (a, x) < (b, y)
    case (.custom(let a, let x), .custom(let b, let y)): (a, x) < (b, y)
    case (.temporary(let a), .temporary(let b)): (a.process, a.number) < (b.process, b.number)
    default: false
    }
  }
}

/// The identity of an unsaved object.
///
/// It has a number instead of an address, so that it can be encoded and decoded.
package final class TemporaryIdentity: Sendable {
  /// The process that created the identity.
  fileprivate let process: String
  fileprivate let number: Int64

  private static let currentProcess = UUID().uuidString
  private static let count = Atomic<Int64>(0)

  package init() {
    process = Self.currentProcess
    number = Self.count.add(1, ordering: .relaxed).newValue
  }

  /// Parses the format of ``description``. Returns nil for any other text.
  fileprivate init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let process = UUID(uuidString: String(parts[0])), let number = Int64(parts[1]) else {
      return nil
    }
    self.process = process.uuidString
    self.number = number
  }

  fileprivate var description: String { "\(process)/\(number)" }
}

extension TemporaryIdentity: Hashable {
  package static func == (left: TemporaryIdentity, right: TemporaryIdentity) -> Bool {
    left === right || left.number == right.number && left.process == right.process
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
