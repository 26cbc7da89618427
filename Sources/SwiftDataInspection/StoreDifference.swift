import Foundation
import SwiftData
import SwiftDataAppleStore

/// The differences between two stores.
public struct StoreDifference: Sendable, Codable, Equatable {
  /// An object that only one store has, or that differs.
  public struct Row: Sendable, Codable, Equatable {
    /// The kind of the difference.
    public enum Kind: String, Sendable, Codable {
      /// Only the second store has it.
      case added
      /// Only the first store has it.
      case removed
      /// Some properties differ.
      case changed
    }
    /// Its class.
    public var entity: String
    /// Its key.
    public var key: Int64
    /// The kind of the difference.
    public var kind: Kind
    /// The properties that differ.
    public var properties: [String]
  }

  /// Descriptions of the differences between the models.
  public var models: [String] = []
  /// The objects that differ, up to the limit.
  public var rows: [Row] = []
  /// The number of objects that differ.
  public var count = 0

  /// Whether nothing differs.
  public var isEmpty: Bool { models.isEmpty && count == 0 }
}

extension InspectedStore {
  /// Compares the models and the objects, by class and key, with another store's. Each store is read as it is at one moment.
  /// - Parameter limit: the greatest number of objects in the list. All are counted.
  /// - Throws: `SwiftDataError`, and `SwiftDataError/storeLocked` if another program changes a file meanwhile.
  /// - Complexity: reads both stores and their external data once. A page of the objects of each is in memory at a time, and the
  ///   external data of one object.
  public func difference(to other: InspectedStore, limit: Int = 1000) throws -> StoreDifference {
    if other === self { return StoreDifference() }
    return try atOneMoment { own in try other.atOneMoment { try own.storedDifference(to: $0, limit: limit) } }
  }

  private func storedDifference(to other: InspectedStore, limit: Int) throws -> StoreDifference {
    var result = StoreDifference()
    compareModels(with: other, &result)
    for name in entities where other.entities.contains(name) {
      var (left, right) = (Pages(self, name), Pages(other, name))
      let external = (externalProperties(of: name), other.externalProperties(of: name))
      var (mine, theirs) = (try left.next(), try right.next())
      while mine != nil || theirs != nil {
        if let first = mine, theirs == nil || first.key < theirs!.key {
          result.note(name, first.key, .removed, [], limit)
          mine = try left.next()
        } else if let second = theirs, mine == nil || second.key < mine!.key {
          result.note(name, second.key, .added, [], limit)
          theirs = try right.next()
        } else if var first = mine, var second = theirs {
          // A file that is missing leaves its name, which no data equal.
          for property in external.0 { _ = readExternalData(property, of: &first) }
          for property in external.1 { _ = other.readExternalData(property, of: &second) }
          let changed = Self.differences(first, second)
          if !changed.isEmpty { result.note(name, first.key, .changed, changed, limit) }
          (mine, theirs) = (try left.next(), try right.next())
        }
      }
    }
    return result
  }

  private static func differences(_ left: StoreRow, _ right: StoreRow) -> [String] {
    let names = Set(left.values.keys).union(right.values.keys).filter { left.values[$0] != right.values[$0] }
    // A list without an order is in the order of its keys.
    let related = Set(left.related.keys).union(right.related.keys).filter {
      left.related[$0] ?? [] != right.related[$0] ?? []
    }
    return (names.union(related)).sorted()
  }

  private func compareModels(with other: InspectedStore, _ result: inout StoreDifference) {
    for name in entities where !other.entities.contains(name) { result.models.append("only the first has \(name)") }
    for name in other.entities where !entities.contains(name) { result.models.append("only the second has \(name)") }
    // The comparison is by table, because our own stores do not record which class of a hierarchy has a column.
    for table in layout.tables {
      guard let match = other.layout.table(named: table.name) else { continue }
      let (left, right) = (table.columns, match.columns)
      func path(of column: LayoutRecord.Column) -> String {
        column.family == .position
          ? "\(table.name).\(column.name)" : "\(column.entity ?? table.name).\(column.propertyName)"
      }
      for column in left {
        guard let match = right.first(where: { $0.name == column.name }) else {
          result.models.append("only the first has \(path(of: column))")
          continue
        }
        if match.family != column.family {
          result.models.append("\(path(of: column)) is \(column.family.rawValue) and \(match.family.rawValue)")
        } else if match.isRequired != column.isRequired {
          let place = column.isRequired ? "first" : "second"
          result.models.append("\(path(of: column)) is required in the \(place) only")
        }
      }
      for column in right where !left.contains(where: { $0.name == column.name }) {
        result.models.append("only the second has \(path(of: column))")
      }
    }
    let (own, theirs) = (Set(layout.relationships.filter(\.isList)), Set(other.layout.relationships.filter(\.isList)))
    for relationship in own.subtracting(theirs) {
      result.models.append("only the first has \(relationship.entity ?? relationship.table).\(relationship.name)")
    }
    for relationship in theirs.subtracting(own) {
      result.models.append("only the second has \(relationship.entity ?? relationship.table).\(relationship.name)")
    }
    result.models.sort()
  }
}

extension LayoutRecord.Relationship {
  /// Whether it is a to-many, which has no column of its own.
  fileprivate var isList: Bool { if case .foreignKey = storage { false } else { true } }
}

extension StoreDifference {
  fileprivate mutating func note(_ entity: String, _ key: Int64, _ kind: Row.Kind, _ properties: [String], _ limit: Int)
  {
    count += 1
    if rows.count < limit { rows.append(Row(entity: entity, key: key, kind: kind, properties: properties)) }
  }

  /// The differences as text.
  public var text: String {
    if isEmpty { return "the stores are equal" }
    var lines = models
    for row in rows {
      let mark = row.kind == .added ? "+" : row.kind == .removed ? "-" : "~"
      lines.append(
        "\(mark) \(row.entity) \(row.key)"
          + (row.properties.isEmpty ? "" : ": " + row.properties.joined(separator: ", ")))
    }
    if count > rows.count { lines.append("and \(count - rows.count) more objects") }
    return lines.joined(separator: "\n")
  }
}

/// The objects of a class, a page at a time.
private struct Pages {
  private let store: InspectedStore
  private let entity: String
  private var page: ArraySlice<StoreRow> = []
  private var last = Int64.min
  private var isAtEnd = false

  init(_ store: InspectedStore, _ entity: String) { (self.store, self.entity) = (store, entity) }

  mutating func next() throws -> StoreRow? {
    if page.isEmpty, !isAtEnd {
      page = try store.rows(of: entity, after: last, limit: 500, exactDates: true)[...]
      isAtEnd = page.count < 500
      last = page.last?.key ?? last
    }
    return page.popFirst()
  }
}
