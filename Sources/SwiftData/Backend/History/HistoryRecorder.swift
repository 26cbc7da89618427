import Foundation

/// Writes the history of a transaction, inside that transaction.
///
/// It collects runs of changes of one kind to consecutive keys of one class. An import of 100,000 objects makes a
/// handful of runs.
package struct HistoryRecorder {
  package enum Kind: Int64, Sendable { case insert = 0, update = 1, delete = 2 }

  /// A run of changes.
  package struct Run {
    package let kind: Kind
    package let entity: String
    package let first: Int64
    package fileprivate(set) var count: Int64 = 1
    /// The names of the changed properties.
    let properties: [String]?
    /// The preserved values of the object as JSON: cells by property.
    package let tombstone: String?
    /// The names of the properties as JSON.
    package var propertiesJSON: String? { properties.flatMap(HistoryRecorder.names) }

    /// Whether the next run continues this one.
    func takesIn(_ next: Run) -> Bool {
      first + count == next.first && kind == next.kind && tombstone == nil && next.tombstone == nil
        && entity == next.entity && properties == next.properties
    }
  }

  private struct Group: Hashable {
    let kind: Kind
    let entity: String
  }

  private var runs: OrderedDictionary<Group, [Run]> = [:]
  /// The run that still grows. It is not in `runs` yet.
  private var growing: Run?
  var isEmpty: Bool { runs.isEmpty && growing == nil }

  package init() {}

  package mutating func insert(_ entity: String, _ key: Int64) {
    add(Run(kind: .insert, entity: entity, first: key, properties: nil, tombstone: nil))
  }

  /// - Parameter count: the number of updated rows, whose keys follow each other.
  package mutating func update(_ entity: String, _ key: Int64, _ properties: [String], count: Int64 = 1) {
    var run = Run(kind: .update, entity: entity, first: key, properties: properties, tombstone: nil)
    run.count = count
    add(run)
  }

  package mutating func delete(_ entity: String, _ key: Int64, tombstone: [String: SQLValue] = [:]) {
    let kept = tombstone.filter { $0.value != .null }
    add(
      Run(kind: .delete, entity: entity, first: key, properties: nil, tombstone: kept.isEmpty ? nil : Self.json(kept)))
  }

  /// Records deleted objects of one class without preserved values.
  package mutating func delete(_ entity: String, _ keys: [Int64]) {
    var start = keys.startIndex
    while start < keys.endIndex {
      var end = start + 1
      while end < keys.endIndex, keys[end] == keys[end - 1] &+ 1 { end += 1 }
      var run = Run(kind: .delete, entity: entity, first: keys[start], properties: nil, tombstone: nil)
      run.count = Int64(end - start)
      add(run)
      start = end
    }
  }

  /// Changes are grouped by kind and class, so that alternating inserts of an object and its parts make two runs.
  private mutating func add(_ run: Run) {
    if growing?.takesIn(run) == true {
      growing!.count += run.count
    } else {
      settle()
      growing = run
    }
  }

  /// Moves the growing run to its group, whose last run it may continue.
  private mutating func settle() {
    guard let run = growing else { return }
    growing = nil
    let group = Group(kind: run.kind, entity: run.entity)
    if let index = runs[group]?.indices.last, runs[group]![index].takesIn(run) {
      runs[group]![index].count += run.count
    } else {
      runs[group, default: []].append(run)
    }
  }

  /// The names as JSON, cached because an encoder costs as much as a statement.
  fileprivate static func names(_ names: [String]) -> String? {
    if let known = encodedNames.withLock({ $0[names] }) { return known }
    let text = json(names)
    encodedNames.withLock { cache in
      if cache.count >= 1000 { cache = [:] }
      cache[names] = text
    }
    return text
  }
  private static let encodedNames = Lock<[[String]: String]>([:])

  private static func json(_ value: some Encodable) -> String? {
    (try? JSONCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns all runs in the order of their numbers.
  package mutating func take() -> [Run] {
    settle()
    return Array(runs.values.joined())
  }

  mutating func makeBlocks() throws -> [(place: Int64, json: String)] {
    // Most saves make one run, which needs no groups.
    if runs.isEmpty, let only = growing { return try HistoryBlocks(CollectionOfOne(only)).blocks }
    settle()
    return try HistoryBlocks(runs.values.joined()).blocks
  }

  package static let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
  package static let process = String(ProcessInfo.processInfo.processIdentifier)
}
