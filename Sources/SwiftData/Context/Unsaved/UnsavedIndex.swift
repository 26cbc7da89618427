import Foundation

/// The key of an index over unsaved objects: the value of an attribute, or the target of a relationship.
enum UnsavedKey: Hashable {
  case none
  case integer(Int)
  case text(String)
  case uuid(UUID)
  case value(AnyHashable)
  /// A stored target.
  case row(Int64)
  /// An unsaved target.
  case object(ObjectIdentifier)
  /// A stored target that is not in memory and may be deleted.
  case unseen
  /// The value is not in memory, so it may be any.
  case unknown

  /// The key of an attribute value. Returns nil if values of its type have no key.
  ///
  /// Strings are equal by canonical equivalence, as in Swift. A value that equals nothing, such as NaN, is never found.
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
  /// Whether objects can be found by equal values: the type is hashable and changes by assignment only.
  var isHashed: Bool {
    guard case .attribute(_, let encoding) = kind else { return true }
    return (encoding == .direct || encoding == .rawValue) && bareType is any Hashable.Type && !(bareType is AnyClass)
  }
}

/// The unsaved objects of one class by their values of one property.
///
/// A change only records the object. The next lookup reads its value. Buckets keep outdated entries until these
/// outnumber the valid ones.
///
/// It is a class, because a second reference to a struct would make each change copy the recorded objects.
final class UnsavedIndex {
  private struct Entry {
    let id: ObjectIdentifier
    let stamp: Int
  }

  /// The last value read of an object.
  private struct Reading {
    let keys: [UnsavedKey]
    /// Only entries with this stamp are valid.
    let stamp: Int
  }

  private let property: __Property
  private var buckets: [UnsavedKey: [Entry]] = [:]
  private var readings: [ObjectIdentifier: Reading] = [:]
  private var touched: Set<ObjectIdentifier> = []
  /// The number of entries, and of valid ones.
  private var entryCount = 0
  private var currentCount = 0
  private var lastStamp = 0

  init(_ property: __Property, _ objects: [any PersistentModel]) {
    self.property = property
    for object in objects { touched.insert(ObjectIdentifier(object)) }
  }

  /// Records that an object was added, or that its value changes.
  func touch(_ id: ObjectIdentifier) { touched.insert(id) }

  /// Reads the recorded objects.
  /// - Parameter find: returns the unsaved object, or nil if it is no longer unsaved.
  func settle(_ find: (ObjectIdentifier) -> (any PersistentModel)?) {
    guard !touched.isEmpty else { return }
    let changed = touched
    touched = []
    for id in changed {
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
    if entryCount > currentCount * 2 + 64 { compact() }
  }

  private func compact() {
    buckets = [:]
    entryCount = 0
    for (id, reading) in readings {
      for key in reading.keys { buckets[key, default: []].append(Entry(id: id, stamp: reading.stamp)) }
      entryCount += reading.keys.count
    }
  }

  /// The objects that may have a key, unordered.
  func objects(with key: UnsavedKey) -> [ObjectIdentifier] {
    bucket(key) + bucket(.unknown) + (key == .none && property.isToOne ? bucket(.unseen) : [])
  }

  private func bucket(_ key: UnsavedKey) -> [ObjectIdentifier] {
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
    switch object.relationship(property).content {
    case .targets(let targets): return targets.isEmpty && property.isToOne ? [.none] : targets.map { UnsavedKey($0) }
    case .fault(let key) where property.isToOne: return key == 0 ? [.none] : [.row(key), .unseen]
    default: return [.unknown]
    }
  }

  #if DEBUG
    /// The objects that the index misses. It may return extra ones, because a fault may have fired since the lookup.
    func problems(_ find: (ObjectIdentifier) -> (any PersistentModel)?) -> [any PersistentModel] {
      readings.compactMap { id, reading in
        guard !touched.contains(id), let object = find(id) else { return nil }
        let isFound = reading.keys.allSatisfy { key in
          buckets[key]?.contains { $0.id == id && $0.stamp == reading.stamp } == true
        }
        let isCovered = Self.keys(of: object, property).allSatisfy { key in
          reading.keys.contains(key) || reading.keys.contains(.unknown)
            || key == .none && property.isToOne && reading.keys.contains(.unseen)
        }
        return isFound && isCovered ? nil : object
      }
    }

    func knows(_ id: ObjectIdentifier) -> Bool { readings[id] != nil || touched.contains(id) }
  #endif
}

/// The indices that lookups have needed so far, by class and property.
struct UnsavedIndices {
  private var indices: [ObjectIdentifier: [Int: UnsavedIndex]] = [:]
  var orders = UnsavedOrders()

  /// Called when an object becomes unsaved, or stops being so.
  mutating func touch(_ object: any PersistentModel) {
    orders.touch(object)
    guard !indices.isEmpty, let own = indices[ObjectIdentifier(type(of: object).__entity)] else { return }
    for index in own.values { index.touch(ObjectIdentifier(object)) }
  }

  /// Called before or after a property of an unsaved object changes.
  mutating func touch(_ object: any PersistentModel, _ property: Int) {
    orders.touch(object)
    guard !indices.isEmpty else { return }
    indices[ObjectIdentifier(type(of: object).__entity)]?[property]?.touch(ObjectIdentifier(object))
  }

  /// Drops all indices after many changes at once.
  mutating func removeAll() {
    indices = [:]
    orders.removeAll()
  }

  /// The unsaved objects of one class that may have a key for a property.
  /// - Parameters:
  ///   - all: all unsaved objects of the class, to create a missing index.
  ///   - find: returns an unsaved object.
  mutating func objects(
    of entity: __Entity, _ property: __Property, with keys: some Sequence<UnsavedKey>,
    all: () -> [any PersistentModel], _ find: (ObjectIdentifier) -> (any PersistentModel)?
  ) -> [ObjectIdentifier] {
    let name = ObjectIdentifier(entity)
    let index = indices[name]?[property.index] ?? UnsavedIndex(property, all())
    indices[name, default: [:]][property.index] = index
    index.settle(find)
    return keys.flatMap { index.objects(with: $0) }
  }

  #if DEBUG
    func forEach(_ body: (_ entity: ObjectIdentifier, _ property: Int, UnsavedIndex) -> Void) {
      for (entity, properties) in indices { for (property, index) in properties { body(entity, property, index) } }
    }
  #endif
}
