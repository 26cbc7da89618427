/// Values by the names of properties, sorted by name.
///
/// A record has few properties. An array of them is made, copied and read much faster than a dictionary. All of it is inlinable,
/// because otherwise other modules would run it without knowing the types of their values.
public struct PropertyMap<Value> {
  @usableFromInline struct Entry {
    @usableFromInline let name: String
    @usableFromInline var value: Value

    @inlinable init(name: String, value: Value) { (self.name, self.value) = (name, value) }
  }

  // The names ascend.
  @usableFromInline var entries: [Entry] = []

  /// Makes an empty map.
  @inlinable public init() {}

  /// Makes room for values.
  @inlinable package mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

  /// Whether some value is chosen.
  @inlinable package func containsValue(_ isChosen: (Value) -> Bool) -> Bool {
    entries.contains { isChosen($0.value) }
  }

  /// Whether it has the same names as another map.
  @inlinable package func hasNames<Other>(of other: PropertyMap<Other>) -> Bool {
    entries.elementsEqual(other.entries) { $0.name == $1.name }
  }

  /// The index of a property, or the one where it would be.
  @inlinable func place(of name: String) -> (index: Int, isFound: Bool) {
    // Names mostly come in order.
    if let last = entries.last, last.name < name { return (entries.count, false) }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return (low, low < entries.count && entries[low].name == name)
  }

  /// The value of a property; nil for a property without one.
  @inlinable public subscript(name: String) -> Value? {
    get {
      // Few names are compared faster one after the other, since different short texts differ at once.
      if entries.count <= 8 {
        for entry in entries where entry.name == name { return entry.value }
        return nil
      }
      let (index, isFound) = place(of: name)
      return isFound ? entries[index].value : nil
    }
    set {
      let (index, isFound) = place(of: name)
      switch (newValue, isFound) {
      case (let value?, true): entries[index].value = value
      case (let value?, false): entries.insert(Entry(name: name, value: value), at: index)
      case (nil, true): entries.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// The names, in order.
  @inlinable public var keys: [String] { entries.map(\.name) }

  /// The values, in the order of their names.
  @inlinable public var values: [Value] { entries.map(\.value) }

  /// The same names with other values.
  @inlinable public func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> PropertyMap<Other> {
    var result = PropertyMap<Other>()
    result.entries = try entries.map { .init(name: $0.name, value: try transform($0.value)) }
    return result
  }

  /// The entries that are chosen.
  @inlinable public func filter(_ isIncluded: ((key: String, value: Value)) throws -> Bool) rethrows -> PropertyMap {
    var result = PropertyMap()
    result.entries = try entries.filter { try isIncluded(($0.name, $0.value)) }
    return result
  }

  /// Takes in the values of another map.
  /// - Parameter merge: makes the value of a property, of the one that it had and of that of the other map; nil leaves the
  ///   property as it is.
  /// - Complexity: as many steps as both maps have entries, whatever their names.
  @inlinable package mutating func merge<Other>(
    _ other: PropertyMap<Other>, _ merge: (_ name: String, _ old: Value?, _ new: Other) throws -> Value?
  ) rethrows {
    var merged: [Entry] = []
    merged.reserveCapacity(entries.count + other.entries.count)
    var index = 0
    for entry in other.entries {
      while index < entries.count, entries[index].name < entry.name {
        merged.append(entries[index])
        index += 1
      }
      var old: Value?
      if index < entries.count, entries[index].name == entry.name {
        old = entries[index].value
        index += 1
      }
      if let value = try merge(entry.name, old, entry.value) ?? old {
        merged.append(Entry(name: entry.name, value: value))
      }
    }
    merged += entries[index...]
    entries = merged
  }

  /// Makes a map of entries in any order. The last one of a name counts.
  /// - Parameter next: makes the next entry.
  @inlinable package init(count: Int, _ next: () throws -> (String, Value)) rethrows {
    entries.reserveCapacity(Swift.min(count, 256))
    var isSorted = true
    for _ in 0..<count {
      let (name, value) = try next()
      if let last = entries.last, last.name >= name { isSorted = false }
      entries.append(Entry(name: name, value: value))
    }
    guard !isSorted else { return }
    // The sort keeps the order of equal names.
    var unique: [Entry] = []
    for entry in entries.sorted(by: { $0.name < $1.name }) {
      if unique.last?.name == entry.name { unique[unique.count - 1] = entry } else { unique.append(entry) }
    }
    entries = unique
  }
}

extension PropertyMap: RandomAccessCollection {
  /// The first index.
  @inlinable public var startIndex: Int { 0 }
  /// The index behind the last entry.
  @inlinable public var endIndex: Int { entries.count }
  /// The entry at an index.
  @inlinable public subscript(index: Int) -> (key: String, value: Value) { (entries[index].name, entries[index].value) }
}

extension PropertyMap: ExpressibleByDictionaryLiteral {
  /// Makes a map of entries. The last one of a name counts.
  @inlinable public init(dictionaryLiteral elements: (String, Value)...) {
    for (name, value) in elements { self[name] = value }
  }
}

extension PropertyMap.Entry: Equatable where Value: Equatable {}
extension PropertyMap.Entry: Hashable where Value: Hashable {}
extension PropertyMap.Entry: Sendable where Value: Sendable {}
extension PropertyMap: Equatable where Value: Equatable {}
extension PropertyMap: Hashable where Value: Hashable {}
extension PropertyMap: Sendable where Value: Sendable {}
