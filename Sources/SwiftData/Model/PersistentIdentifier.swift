import Foundation
import Synchronization

/// The identity of a model: which one it is, of which entity, in which store.
///
/// A new model has a temporary identity until it is first saved; it equals itself only and is gone afterwards.
/// (Apple's documentation, `PersistentIdentifier`.)
public struct PersistentIdentifier: Hashable, Codable, Comparable, Identifiable, Sendable, CustomDebugStringConvertible
{
  /// What identifies the model within its store.
  public let id: ID

  /// The stable identity of a model.
  public struct ID: Hashable, Sendable {
    fileprivate let entityName: String
    fileprivate let value: Value
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

  /// The store that keeps the model; nil before the first save.
  public var storeIdentifier: String? {
    switch id.value {
    case .key(let store, _), .custom(let store, _): store
    case .temporary: nil
    }
  }

  /// Whether the model has not been saved yet. A temporary identifier must not be kept: it is replaced by the save.
  public var isTemporary: Bool { temporary != nil }

  /// Makes the identifier of a model in a store.
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - entityName: The name of the entity.
  ///   - primaryKey: The key in the store. For the stores of this package, an integer.
  /// - Throws: `EncodingError` where the key cannot be encoded.
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

  /// The identifier of a model that was not saved yet.
  package init(entityName: String, temporary: TemporaryIdentity) {
    id = ID(entityName: entityName, value: .temporary(temporary))
  }

  /// The primary key; nil for a temporary identifier and for a key that is no integer.
  package var key: Int64? { if case .key(_, let key) = id.value { key } else { nil } }
  /// The JSON text of a primary key that is no integer.
  package var customKey: String? { if case .custom(_, let text) = id.value { text } else { nil } }
  package var temporary: TemporaryIdentity? { if case .temporary(let identity) = id.value { identity } else { nil } }

  // MARK: - Order

  /// By entity, store and primary key; temporary identifiers last, in an order that holds within the process.
  public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    if left.entityName != right.entityName { return left.entityName < right.entityName }
    let (first, second) = (left.id.value.rank, right.id.value.rank)
    return first == second ? left.id.value.precedes(right.id.value) : first < second
  }

  /// The identifier as it is read best: `Trip/12`, or `Trip/temporary-` with what no other object has.
  public var debugDescription: String {
    switch id.value {
    case .key(_, let key): "\(entityName)/\(key)"
    case .custom(_, let text): "\(entityName)/\(text)"
    case .temporary(let identity): "\(entityName)/temporary-\(identity.description)"
    }
  }

  // MARK: - Coding

  private enum CodingKeys: CodingKey { case entityName, storeIdentifier, key, customKey, temporary }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let entityName = try container.decode(String.self, forKey: .entityName)
    if let text = try container.decodeIfPresent(String.self, forKey: .temporary) {
      guard let identity = TemporaryIdentity(text) else {
        throw DecodingError.dataCorruptedError(
          forKey: .temporary, in: container, debugDescription: "\"\(text)\" is no temporary identifier")
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

  /// Encodes the identifier. A temporary one that is decoded again in the same process is the same identifier; in another
  /// process it is that of no object. (Apple's framework encodes both; what a temporary one then means is ours.)
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

/// The identity of an object that no store knows yet.
///
/// It has a number of its own rather than its address, so that an encoded one can be decoded.
package final class TemporaryIdentity: Sendable {
  /// The process that made it.
  fileprivate let process: String
  fileprivate let number: Int64

  private static let currentProcess = UUID().uuidString
  private static let count = Atomic<Int64>(0)

  package init() {
    process = Self.currentProcess
    number = Self.count.add(1, ordering: .relaxed).newValue
  }

  /// Reads what ``description`` wrote; nil for anything else.
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
