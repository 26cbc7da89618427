import Foundation

/// What an index over unsaved objects finds an object by: the value of an attribute, or the target of a relationship.
enum UnsavedKey: Hashable {
  case none
  case integer(Int)
  case text(String)
  case uuid(UUID)
  case value(AnyHashable)
  /// A stored target.
  case row(Int64)
  /// A target that is not stored yet.
  case object(ObjectIdentifier)
  /// The target is stored and not in memory, and may turn out to be gone.
  case unseen
  /// The value is not in memory, so the object may have any.
  case unknown

  /// The key of a value of an attribute; nil where values of its type have none.
  ///
  /// Texts are equal as Swift's are, by canonical equivalence. What equals nothing, as NaN, is found by nothing.
  init?(_ value: Any) {
    switch ScalarType.unwrapped(value) {
    case nil: self = .none
    case let value as Int: self = .integer(value)
    case let value as String: self = .text(value)
    case let value as UUID: self = .uuid(value)
    case let value as AnyHashable: self = .value(value)
    default: return nil
    }
  }

  init(_ target: any PersistentModel) {
    let isStored = target.__state.key != 0 && !target.__state.flags.contains(.inserted)
    self = isStored ? .row(target.__state.key) : .object(ObjectIdentifier(target))
  }
}

extension __Property {
  /// Whether objects can be found by equal values: these hash, and nothing but an assignment changes one.
  var isHashed: Bool {
    guard case .attribute(_, let encoding) = kind else { return true }
    return (encoding == .direct || encoding == .rawValue) && bareType is any Hashable.Type && !(bareType is AnyClass)
  }
}

/// The unsaved objects of one class by the values that they have for one property.
///
/// A change only notes the object; the next lookup reads its value. Buckets keep what objects left behind until there is
/// more of it than of what is true.
struct UnsavedIndex {
  private struct Entry {
    let id: ObjectIdentifier
    let stamp: Int
  }

  /// What was last read of an object.
  private struct Reading {
    let keys: [UnsavedKey]
    /// Only entries with it count.
    let stamp: Int
  }

  private let property: __Property
  private var buckets: [UnsavedKey: [Entry]] = [:]
  private var readings: [ObjectIdentifier: Reading] = [:]
  private var touched: Set<ObjectIdentifier> = []
  /// How many entries there are, and how many count.
  private var entryCount = 0
  private var currentCount = 0
  private var lastStamp = 0

  init(_ property: __Property, _ objects: [any PersistentModel]) {
    self.property = property
    for object in objects { touched.insert(ObjectIdentifier(object)) }
  }

  /// Notes that an object came, or that its value is about to change or did.
  mutating func touch(_ id: ObjectIdentifier) { touched.insert(id) }

  /// Reads what was touched.
  /// - Parameter find: the unsaved object; nil where it is none any more.
  mutating func settle(_ find: (ObjectIdentifier) -> (any PersistentModel)?) {
    guard !touched.isEmpty else { return }
    for id in touched {
      let keys = find(id).map { Self.keys(of: $0, property) }
      let old = readings[id]?.keys
      if keys == old { continue }
      currentCount += (keys?.count ?? 0) - (old?.count ?? 0)
      guard let keys else {
        readings[id] = nil
        continue
      }
      lastStamp += 1
      readings[id] = Reading(keys: keys, stamp: lastStamp)
      for key in keys { buckets[key, default: []].append(Entry(id: id, stamp: lastStamp)) }
      entryCount += keys.count
    }
    touched = []
    if entryCount > currentCount * 2 + 64 { compact() }
  }

  private mutating func compact() {
    buckets = [:]
    entryCount = 0
    for (id, reading) in readings {
      for key in reading.keys { buckets[key, default: []].append(Entry(id: id, stamp: reading.stamp)) }
      entryCount += reading.keys.count
    }
  }

  /// The objects that may have a key, in no order.
  mutating func objects(with key: UnsavedKey) -> [ObjectIdentifier] {
    bucket(key) + bucket(.unknown) + (key == .none && property.isToOne ? bucket(.unseen) : [])
  }

  private mutating func bucket(_ key: UnsavedKey) -> [ObjectIdentifier] {
    guard var entries = buckets.removeValue(forKey: key) else { return [] }
    let before = entries.count
    entries.removeAll { readings[$0.id]?.stamp != $0.stamp }
    entryCount -= before - entries.count
    if !entries.isEmpty { buckets[key] = entries }
    return entries.map(\.id)
  }

  private static func keys(of object: any PersistentModel, _ property: __Property) -> [UnsavedKey] {
    if property.isAttribute {
      if object.__state.unloaded?.contains(property.index) == true { return [.unknown] }
      return [UnsavedKey(object.__value(at: property.index)) ?? .unknown]
    }
    switch object.__relationship(property.index, .read) {
    case .targets(let targets, _): return targets.isEmpty && property.isToOne ? [.none] : targets.map { UnsavedKey($0) }
    case .fault(let key) where property.isToOne: return key == 0 ? [.none] : [.row(key), .unseen]
    default: return [.unknown]
    }
  }

  #if DEBUG
    /// The objects whose entries are not what they should be.
    func problems(_ find: (ObjectIdentifier) -> (any PersistentModel)?) -> [any PersistentModel] {
      readings.compactMap { id, reading in
        guard !touched.contains(id), let object = find(id) else { return nil }
        let keys = Self.keys(of: object, property)
        let isFound = keys.allSatisfy { buckets[$0]?.contains { $0.id == id && $0.stamp == reading.stamp } == true }
        return reading.keys == keys && isFound ? nil : object
      }
    }

    func knows(_ id: ObjectIdentifier) -> Bool { readings[id] != nil || touched.contains(id) }
  #endif
}

/// The indices that lookups asked for so far, by class and property.
struct UnsavedIndices {
  private var indices: [ObjectIdentifier: [Int: UnsavedIndex]] = [:]

  /// Called when an object became unsaved, or ceased to be.
  mutating func touch(_ object: any PersistentModel) {
    guard !indices.isEmpty else { return }
    let name = ObjectIdentifier(type(of: object).__entity)
    guard let properties = indices[name]?.keys else { return }
    for property in properties { indices[name]?[property]?.touch(ObjectIdentifier(object)) }
  }

  /// Called before or after a property of an unsaved object changes.
  mutating func touch(_ object: any PersistentModel, _ property: Int) {
    guard !indices.isEmpty else { return }
    indices[ObjectIdentifier(type(of: object).__entity)]?[property]?.touch(ObjectIdentifier(object))
  }

  /// Forgets all, where too much changed at a time.
  mutating func removeAll() { indices = [:] }

  /// The unsaved objects of one class that may have a key for a property.
  /// - Parameters:
  ///   - all: all unsaved objects of the class, for an index that is not there yet.
  ///   - find: an unsaved object.
  mutating func objects(
    of entity: __Entity, _ property: __Property, with keys: some Sequence<UnsavedKey>,
    all: () -> [any PersistentModel], _ find: (ObjectIdentifier) -> (any PersistentModel)?
  ) -> [ObjectIdentifier] {
    let name = ObjectIdentifier(entity)
    // Taken out, so that it is changed in place.
    var index = indices[name]?.removeValue(forKey: property.index) ?? UnsavedIndex(property, all())
    index.settle(find)
    let found = keys.flatMap { index.objects(with: $0) }
    indices[name, default: [:]][property.index] = index
    return found
  }

  #if DEBUG
    func forEach(_ body: (_ entity: ObjectIdentifier, _ property: Int, UnsavedIndex) -> Void) {
      for (entity, properties) in indices { for (property, index) in properties { body(entity, property, index) } }
    }
  #endif
}
