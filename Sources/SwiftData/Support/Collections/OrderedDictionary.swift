/// A dictionary that keeps the insertion order of its keys.
///
/// The type of this name in swift-collections would be a dependency of every client, and removes an entry in linear
/// time. This one removes in amortised constant time.
///
/// Invariants: `places` has the index in `entries` of each key. A removed entry is nil. At most half of the entries
/// plus eight are nil.
struct OrderedDictionary<Key: Hashable, Value> {
  typealias Element = (key: Key, value: Value)

  private var places: [Key: Int] = [:]
  private var entries: [Element?] = []

  /// Groups values by key, in the order of the keys' first appearance.
  init<Member>(grouping members: some Sequence<Member>, by key: (Member) -> Key) where Value == [Member] {
    for member in members { self[key(member), default: []].append(member) }
  }

  var count: Int { places.count }
  var isEmpty: Bool { places.isEmpty }

  /// - Complexity: amortised O(1) to get, set and remove.
  subscript(key: Key) -> Value? {
    get { places[key].flatMap { entries[$0]?.value } }
    set { put(newValue, at: key) }
    _modify {
      // The entry is moved out while it changes, so that an array in it is not copied.
      var value = places[key].flatMap { index -> Value? in
        defer { entries[index] = nil }
        return entries[index]?.value
      }
      defer { put(value, at: key) }
      yield &value
    }
  }

  subscript(key: Key, default makeValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? makeValue() }
    _modify {
      let index = places[key] ?? append(key, makeValue())
      // `places` refers only to existing entries.
      yield &entries[index]!.value
    }
  }

  private mutating func put(_ value: Value?, at key: Key) {
    switch (value, places[key]) {
    case (let value?, let index?): entries[index] = (key, value)
    case (let value?, nil): _ = append(key, value)
    case (nil, let index?):
      places[key] = nil
      entries[index] = nil
      compact()
    case (nil, nil): break
    }
  }

  private mutating func append(_ key: Key, _ value: Value) -> Int {
    places[key] = entries.count
    entries.append((key, value))
    return entries.count - 1
  }

  /// Removes nil entries once most are nil. The cost is proportional to the removals since the last time.
  private mutating func compact() {
    guard entries.count > 2 * places.count + 8 else { return }
    removeAll { _ in false }
  }

  /// - Complexity: O(n).
  mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
    let kept = try entries.filter { entry in try entry.map { try !isGone($0) } ?? false }
    places = Dictionary(minimumCapacity: kept.count)
    for (index, entry) in kept.enumerated() { if let entry { places[entry.key] = index } }
    entries = kept
  }

  var keys: some Sequence<Key> { entries.lazy.compactMap { $0?.key } }
  var values: some Sequence<Value> { entries.lazy.compactMap { $0?.value } }
}

extension OrderedDictionary: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (Key, Value)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension OrderedDictionary: Sequence {
  func makeIterator() -> some IteratorProtocol<Element> { entries.lazy.compactMap { $0 }.makeIterator() }
  var underestimatedCount: Int { count }
}

extension OrderedDictionary: Sendable where Key: Sendable, Value: Sendable {}
