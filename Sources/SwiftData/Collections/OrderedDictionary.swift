/// A dictionary whose entries stay in the order in which their keys came.
///
/// swift-collections has a type of this name, which every client of the library would have to resolve, and which takes time
/// in proportion to its size to remove an entry; this one takes constant time, amortised.
///
/// Invariants: `places` has the index in `entries` of each key; an entry that was removed is nil; at most half of the
/// entries, and eight more, are nil.
struct OrderedDictionary<Key: Hashable, Value> {
  typealias Element = (key: Key, value: Value)

  private var places: [Key: Int] = [:]
  private var entries: [Element?] = []

  init() {}

  /// Groups values by a key, in the order in which the keys come.
  init<Member>(grouping members: some Sequence<Member>, by key: (Member) -> Key) where Value == [Member] {
    for member in members { self[key(member), default: []].append(member) }
  }

  var count: Int { places.count }
  var isEmpty: Bool { places.isEmpty }

  /// - Complexity: O(1), amortised, to get, set and remove.
  subscript(key: Key) -> Value? {
    get { places[key].flatMap { entries[$0]?.value } }
    set { put(newValue, at: key) }
    _modify {
      // The entry is taken out while it is changed, so that an array in it is not copied.
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
      // `places` leads to entries that are there.
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

  /// Moves the entries together when most of them are nil: as many were removed as this moves.
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
  func makeIterator() -> some IteratorProtocol<Element> { entries.lazy.compactMap(\.self).makeIterator() }
  var underestimatedCount: Int { count }
}

extension OrderedDictionary: Sendable where Key: Sendable, Value: Sendable {}
