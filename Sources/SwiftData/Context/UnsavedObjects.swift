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
    var places: [Int] = []
    /// The number of entries without holes.
    var count = 0

    mutating func add(_ place: Int) {
      places.append(place)
      count += 1
    }
  }

  private let model: (Entry) -> any PersistentModel
  private var entries: [Entry?] = []
  private var places: [ObjectIdentifier: Int] = [:]
  private var classes: [ObjectIdentifier: Members] = [:]

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
  private mutating func append(_ entry: Entry, _ id: ObjectIdentifier) -> Int {
    let entity = type(of: model(entry)).__entity
    let place = entries.count
    places[id] = place
    classes[ObjectIdentifier(entity), default: Members(entity: entity)].add(place)
    entries.append(entry)
    return place
  }

  private mutating func remove(_ id: ObjectIdentifier) {
    guard let place = places.removeValue(forKey: id), let entry = entries[place] else { return }
    entries[place] = nil
    let name = ObjectIdentifier(type(of: model(entry)).__entity)
    if var members = classes.removeValue(forKey: name), members.count > 1 {
      members.count -= 1
      if members.places.count > members.count * 2 + 32 { members.places.removeAll { entries[$0] == nil } }
      classes[name] = members
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

  /// Removes the entries that a save wrote.
  /// - Parameter number: how many it wrote. If it wrote all, none is looked at.
  mutating func removeSaved(_ number: Int, where isSaved: (Entry) -> Bool) {
    if number == count { removeAll() } else { removeAll(where: isSaved) }
  }

  mutating func removeAll() {
    // One save of a few objects is followed by another.
    let keepsCapacity = entries.count <= 64
    entries.removeAll(keepingCapacity: keepsCapacity)
    places.removeAll(keepingCapacity: keepsCapacity)
    classes.removeAll(keepingCapacity: keepsCapacity)
  }

  // MARK: - By class

  /// The classes with entries.
  /// - Complexity: O(their number).
  var entities: some Sequence<__Entity> { classes.values.lazy.map(\.entity) }

  func count(of entity: __Entity) -> Int { classes[ObjectIdentifier(entity)]?.count ?? 0 }

  /// The entries of one class without its subclasses, in order.
  /// - Complexity: O(their number).
  func entries(of entity: __Entity) -> some Sequence<(place: Int, entry: Entry)> {
    (classes[ObjectIdentifier(entity)]?.places ?? []).lazy.compactMap { place in entries[place].map { (place, $0) } }
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
      let found = entries.enumerated().compactMap { place, entry -> String? in
        guard let entry else { return nil }
        let id = ObjectIdentifier(model(entry))
        let members = classes[ObjectIdentifier(type(of: model(entry)).__entity)]
        return places[id] == place && members?.places.contains(place) == true
          ? nil : "\(name(entry)) is not at its place"
      }
      let sum = classes.values.reduce(0) { $0 + $1.count }
      let isWhole = sum == count && entries.lazy.compactMap(\.self).count == count
      return found + (isWhole ? [] : ["unsaved objects are miscounted: \(sum) of \(count)"])
    }
  }
#endif
