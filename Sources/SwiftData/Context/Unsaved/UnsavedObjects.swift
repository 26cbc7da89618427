/// The objects of a context with one kind of unsaved change: inserted, changed or deleted. In order of arrival, and by
/// class.
///
/// An object's place reflects its age. Removing an object leaves a hole. Holes are closed once they outnumber the
/// objects, so the order stays and every operation is amortised O(1).
struct UnsavedObjects<Entry> {
  /// The objects of one class.
  private struct Members {
    let entity: __Entity
    /// Ascending places, including holes.
    var places: [UInt32] = []
    /// The number of entries without holes.
    var count = 0
  }

  private let model: (Entry) -> any PersistentModel
  private var entries: [Entry?] = []
  private var places = ObjectPlaces()
  /// The classes that had entries since all were removed, and their places in that list.
  private var classes: [Members] = []
  private var classPlaces: [ObjectIdentifier: Int] = [:]
  /// The class of the last entry. Consecutive objects are often of one class.
  private var recent = 0
  /// How often entries were removed.
  private(set) var removals = 0

  /// - Parameter model: returns the object of an entry.
  init(_ model: @escaping (Entry) -> any PersistentModel) { self.model = model }

  var isEmpty: Bool { places.isEmpty }
  var count: Int { places.count }

  /// The entries, in order.
  var values: Values { Values(entries: entries, count: count) }

  struct Values: Sequence {
    fileprivate let entries: [Entry?]
    fileprivate let count: Int

    var underestimatedCount: Int { count }

    func makeIterator() -> Iterator { Iterator(rest: entries.makeIterator()) }

    struct Iterator: IteratorProtocol {
      fileprivate var rest: IndexingIterator<[Entry?]>

      mutating func next() -> Entry? {
        while let entry = rest.next() { if let entry { return entry } }
        return nil
      }
    }
  }

  /// The entry of an object. Setting nil removes it.
  subscript(id: ObjectIdentifier) -> Entry? {
    get { places[id].flatMap { entries[$0] } }
    set {
      guard let newValue else { return remove(id) }
      if let place = places[id] { entries[place] = newValue } else { append(newValue, id) }
    }
  }

  /// The entry of an object, added if it is missing.
  subscript(id: ObjectIdentifier, default entry: @autoclosure () -> Entry) -> Entry {
    get { self[id] ?? entry() }
    _modify {
      let place = places[id] ?? append(entry(), id)
      yield &entries[place]!
    }
  }

  /// The place of an object, which orders objects by age.
  func place(of id: ObjectIdentifier) -> Int? { places[id] }

  /// - Returns: the place of the entry.
  @discardableResult
  private mutating func append(_ entry: consuming Entry, _ id: ObjectIdentifier) -> Int {
    let object = model(entry)
    let place = places.append(id)
    if !classes.indices.contains(recent) || !classes[recent].entity.describes(object) {
      let entity = type(of: object).__entity
      recent = classPlaces[ObjectIdentifier(entity)] ?? classes.count
      if recent == classes.count {
        classes.append(Members(entity: entity))
        classPlaces[ObjectIdentifier(entity)] = recent
      }
    }
    classes[recent].places.append(UInt32(place))
    classes[recent].count += 1
    entries.append(entry)
    return place
  }

  private func members(of entity: __Entity) -> Members? {
    classPlaces[ObjectIdentifier(entity)].map { classes[$0] }
  }

  private mutating func remove(_ id: ObjectIdentifier) {
    guard let place = places.remove(id), let entry = entries[place] else { return }
    entries[place] = nil
    removals += 1
    if let index = classPlaces[ObjectIdentifier(type(of: model(entry)).__entity)] {
      classes[index].count -= 1
      if classes[index].places.count > classes[index].count * 2 + 32 {
        classes[index].places.removeAll { entries[Int($0)] == nil }
      }
    }
    if entries.count > count * 2 + 32 { removeAll { _ in false } }
  }

  /// - Complexity: O(`count`).
  mutating func removeAll(where isGone: (Entry) -> Bool) {
    if entries.allSatisfy({ $0.map(isGone) ?? true }) { return removeAll() }
    let old = entries
    removeAll()
    for case let entry? in old where !isGone(entry) { append(entry, ObjectIdentifier(model(entry))) }
  }

  /// Removes the entries that a save wrote. If it wrote all of them, none is looked at.
  /// - Parameters:
  ///   - number: how many entries the save wrote.
  ///   - removals: ``removals`` when the save took the entries.
  mutating func removeSaved(_ number: Int, since removals: Int, where isSaved: (Entry) -> Bool) {
    if self.removals == removals, count == number { removeAll() } else { removeAll(where: isSaved) }
  }

  mutating func removeAll() {
    removals += 1
    // One save of a few objects is followed by another.
    let keepsCapacity = entries.count <= 64
    entries.removeAll(keepingCapacity: keepsCapacity)
    places.removeAll(keepsCapacity: keepsCapacity)
    classes.removeAll(keepingCapacity: keepsCapacity)
    classPlaces.removeAll(keepingCapacity: keepsCapacity)
  }

  // MARK: - By class

  /// The classes with entries.
  /// - Complexity: O(their number).
  var entities: some Sequence<__Entity> { classes.lazy.filter { $0.count > 0 }.map(\.entity) }

  func count(of entity: __Entity) -> Int { members(of: entity)?.count ?? 0 }

  /// The entries of one class without its subclasses, in order.
  /// - Complexity: O(their number).
  func entries(of entity: __Entity) -> some Sequence<(place: Int, entry: Entry)> {
    (members(of: entity)?.places ?? []).lazy.compactMap { place in
      entries[Int(place)].map { (Int(place), $0) }
    }
  }

  /// The entries of some classes, in order.
  /// - Complexity: O(*n* log *n*) for several classes with *n* entries, O(*n*) for one.
  func entries(of family: [__Entity]) -> [Entry] {
    let present = family.filter { count(of: $0) > 0 }
    if present.count == 1 { return entries(of: present[0]).map(\.entry) }
    return present.flatMap { entries(of: $0) }.sorted { $0.place < $1.place }.map(\.entry)
  }
}

#if DEBUG
  extension UnsavedObjects {
    /// Violations of invariants, for tests.
    func problems(_ name: (Entry) -> String) -> [String] {
      var known = [ObjectIdentifier: Set<UInt32>]()
      let found = entries.enumerated().compactMap { place, entry -> String? in
        guard let entry else { return nil }
        let (id, entity) = (ObjectIdentifier(model(entry)), type(of: model(entry)).__entity)
        if known[ObjectIdentifier(entity)] == nil {
          known[ObjectIdentifier(entity)] = Set(members(of: entity)?.places ?? [])
        }
        return places[id] == place && known[ObjectIdentifier(entity)]!.contains(UInt32(place))
          ? nil : "\(name(entry)) is not at its place"
      }
      let sum = classes.reduce(0) { $0 + $1.count }
      let isWhole = sum == count && entries.lazy.compactMap(\.self).count == count
      return found + (isWhole ? [] : ["unsaved objects are miscounted: \(sum) of \(count)"])
    }
  }
#endif
