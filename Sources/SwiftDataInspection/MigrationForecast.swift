import Foundation
import SwiftData

/// The changes that an opening with the models of another store would make to a store.
///
/// It compares the layouts of two stores and looks at the rows. A layout has no default values and no stages of a migration plan. A
/// change that depends on them says so. `ModelContainer.migrationPreview` in the program knows both, and does not look at rows.
public struct MigrationForecast: Sendable, Codable, Equatable {
  /// A difference.
  public struct Change: Sendable, Codable, Equatable {
    /// The outcome of a difference.
    public enum Outcome: String, Sendable, Codable {
      /// The opening makes the change.
      case made
      /// The opening makes the change if the models have a default value, and refuses the store otherwise.
      case needsDefault
      /// The layouts do not say what happens.
      case unclear
      /// The opening refuses the store.
      case refused
    }
    /// The class.
    public var entity: String
    /// The property. Nil if the change concerns the whole class.
    public var property: String?
    /// The outcome.
    public var outcome: Outcome
    /// The difference and its outcome, without the names.
    public var text: String
  }

  /// The differences, by class and property.
  public var changes: [Change] = []

  /// Whether an opening changes the store or leaves it as it is, whatever default values the models have.
  public var isSafe: Bool { changes.allSatisfy { $0.outcome == .made } }

  /// The differences as text.
  public var text: String {
    if changes.isEmpty { return "the models are the same; an opening changes nothing" }
    let marks: [Change.Outcome: String] = [
      .made: "", .needsDefault: "needs a default: ", .unclear: "unclear: ", .refused: "refused: ",
    ]
    return changes.map { change in
      TerminalText.withoutControls(
        "\(marks[change.outcome] ?? "")\(change.entity)\(change.property.map { ".\($0)" } ?? ""): \(change.text)")
    }.joined(separator: "\n")
  }
}

extension InspectedStore {
  /// Says what an opening of this store with the models of another store would do. Nothing changes.
  /// - Parameter other: a store that the new version of the program made.
  /// - Throws: `SwiftDataError` if a store cannot be read or is not a store of OpenSwiftData.
  /// - Complexity: reads the rows of classes with a new condition.
  public func forecast(models other: InspectedStore) throws -> MigrationForecast {
    for store in [self, other] where store.kind == .apple {
      throw SwiftDataError(
        .unsupportedFeature,
        message:
          "\"\(store.location)\" is a store of Apple's frameworks, which is not migrated; `swiftdata import` copies it")
    }
    return try atOneMomentLive { store in
      var forecast = MigrationForecast()
      for name in Set(store.entities).union(other.entities).sorted() {
        try forecast.compare(name, store, other)
      }
      return forecast
    }
  }

  /// The number of objects of a class and its subclasses that meet a condition.
  fileprivate func count(_ entity: String, where condition: String) throws -> Int {
    guard let table = table(of: entity) else { return 0 }
    let classes = table.family(of: entity).map(\.quotedLiteral).joined(separator: ", ")
    let scope = table.hasDiscriminator ? "_entity IN (\(classes))" : "TRUE"
    let found = try rows("SELECT count(*) FROM \(name: table.name) WHERE \(scope) AND (\(condition))")
    guard case .integer(let count)? = found.first?.first else { return 0 }
    return Int(count)
  }
}

extension MigrationForecast {
  private mutating func note(_ entity: String, _ property: String?, _ outcome: Change.Outcome, _ text: String) {
    changes.append(Change(entity: entity, property: property, outcome: outcome, text: text))
  }

  fileprivate mutating func compare(_ name: String, _ store: InspectedStore, _ other: InspectedStore) throws {
    guard let new = other.table(of: name) else { return try noteAbsent(name, store, other) }
    guard let old = store.table(of: name) else { return note(name, nil, .made, "the model is new") }
    guard old.lineage(of: name) == new.lineage(of: name) else {
      return note(name, nil, .unclear, "its superclasses differ; ModelContainer.migrationPreview says what happens")
    }
    func own(_ table: LayoutRecord.Table) -> [LayoutRecord.Column] {
      table.columns.filter { $0.family != .position && $0.family != .key && ($0.entity ?? table.classes[0]) == name }
    }
    let formers = Self.formers(own(old), own(new))
    for column in own(new) {
      if let former = formers[column.propertyName] {
        try compare(former, column, of: name, store)
      } else {
        try noteNew(column, of: name, store)
      }
    }
    let kept = Set(formers.values.map(\.name))
    for column in own(old) where !kept.contains(column.name) {
      let count = try store.count(name, where: "\(column.name.quotedIdentifier) IS NOT NULL")
      note(name, column.propertyName, .made, "the property is removed with the values of \(Self.objects(count))")
    }
    try compareRelationships(of: name, store, other)
    try compareUniqueValues(of: name, old, new, formers, store)
  }

  private static func objects(_ count: Int) -> String { count == 1 ? "1 object" : "\(count) objects" }

  private mutating func noteAbsent(_ name: String, _ store: InspectedStore, _ other: InspectedStore) throws {
    let count = try store.count(of: name)
    let isSubclass = store.table(of: name)?.classes.contains { other.table(of: $0) != nil } == true
    if isSubclass, count > 0 {
      note(name, nil, .refused, "the other store lacks the subclass, which has rows (\(Self.objects(count)))")
    } else {
      note(
        name, nil, .made,
        "the other store lacks the model; its rows (\(Self.objects(count))) stay until a program lists it again, or a stage of"
          + " a migration plan removes it")
    }
  }

  // MARK: - Attributes

  /// The old columns by the names of the new properties, matched as an opening does.
  private static func formers(
    _ old: [LayoutRecord.Column], _ new: [LayoutRecord.Column]
  ) -> [String: LayoutRecord.Column] {
    let known = Dictionary(old.map { ($0.propertyName, $0) }) { first, _ in first }
    let names = Set(new.map(\.propertyName))
    func original(_ column: LayoutRecord.Column) -> String? {
      column.formerNames?.first { $0 != column.propertyName }
    }
    var result = [String: LayoutRecord.Column]()
    for column in new {
      guard let original = original(column), known[column.propertyName]?.formerNames?.contains(original) == true else {
        continue
      }
      result[column.propertyName] = known[column.propertyName]
    }
    let done = Set(result.keys)
    for column in new where !done.contains(column.propertyName) {
      guard let original = original(column) else { continue }
      let renamed = old.first { $0.formerNames?.contains(original) == true && !names.contains($0.propertyName) }
      if let former = (done.contains(original) ? nil : known[original]) ?? renamed {
        result[column.propertyName] = former
      }
    }
    let taken = Set(result.values.map(\.name))
    for column in new where result[column.propertyName] == nil {
      guard let former = known[column.propertyName], !taken.contains(former.name) else { continue }
      if original(column) != nil, former.formerNames != nil { continue }
      result[column.propertyName] = former
    }
    return result
  }

  private mutating func noteNew(_ column: LayoutRecord.Column, of name: String, _ store: InspectedStore) throws {
    let count = try store.count(name, where: "TRUE")
    if column.needsValue, count > 0 {
      note(
        name, column.propertyName, .needsDefault, "the property is new, and must have a value in \(Self.objects(count))"
      )
    } else {
      note(name, column.propertyName, .made, "the property is new")
    }
  }

  private mutating func compare(
    _ former: LayoutRecord.Column, _ column: LayoutRecord.Column, of name: String, _ store: InspectedStore
  ) throws {
    let property = column.propertyName
    let cell = former.name.quotedIdentifier
    if former.propertyName != property {
      note(name, property, .made, "the property was named \(former.propertyName) and keeps its values")
    }
    let types =
      former.valueType == column.valueType
      ? "the struct \(column.valueType) has other members"
      : "its type was \(former.valueType) and is \(column.valueType)"
    switch Conversion(from: former, to: column) {
    case .same: break
    case .impossible: note(name, property, .refused, types)
    case .decoded:
      note(name, property, .unclear, "\(types); the opening reads every value and refuses one that does not fit")
    case .unless where store.isEncrypted(former, of: name):
      note(name, property, .unclear, "\(types); the values are encrypted, so only the opening can tell which ones fit")
    case .unless(let condition, let reason):
      let test = condition.replacingOccurrences(of: "column", with: cell)
      let count = try store.count(name, where: "\(cell) IS NOT NULL AND \(test)")
      if count > 0 {
        note(name, property, .refused, "\(types), and \(reason) in \(Self.objects(count))")
      } else {
        note(name, property, .made, types)
      }
    }
    if column.needsValue, !former.needsValue {
      let count = try store.count(name, where: "\(cell) IS NULL")
      let text = "the property becomes required"
      if count > 0 {
        note(name, property, .needsDefault, "\(text), and a value is missing in \(Self.objects(count))")
      } else {
        note(name, property, .made, text)
      }
    } else if former.needsValue, !column.needsValue {
      note(name, property, .made, "the property becomes optional")
    }
  }

  // MARK: - Relationships and unique values

  private mutating func compareRelationships(of name: String, _ store: InspectedStore, _ other: InspectedStore) throws {
    func own(_ store: InspectedStore) -> [LayoutRecord.Relationship] {
      store.layout.relationships.filter { ($0.entity ?? store.layout.table(named: $0.table)?.classes[0]) == name }
    }
    let (old, new) = (own(store), own(other))
    for relationship in new {
      guard let former = old.first(where: { $0.name == relationship.name }) else {
        let renamed = old.first { former in
          relationship.formerNames?.contains(former.name) == true && !new.contains { $0.name == former.name }
        }
        if let renamed {
          note(name, relationship.name, .made, "the relationship has another name")
          try compareNeeds(renamed, relationship, of: name, store, other)
        } else {
          try noteNew(relationship, of: name, store, other)
        }
        continue
      }
      let (before, after) = (former.target ?? former.destination, relationship.target ?? relationship.destination)
      if former.destination != relationship.destination {
        note(name, relationship.name, .refused, "its target was \(before) and is \(after)")
      } else if before != after {
        note(
          name, relationship.name, .unclear,
          "its target was \(before) and is \(after); an object of another class is refused")
      } else if former.isToOne != relationship.isToOne {
        note(
          name, relationship.name, relationship.isToOne ? .unclear : .made,
          relationship.isToOne
            ? "it becomes a to-one; an object with several targets is refused" : "it becomes a to-many")
      }
      try compareNeeds(former, relationship, of: name, store, other)
    }
    for former in old
    where !new.contains(where: { $0.name == former.name || $0.formerNames?.contains(former.name) == true }) {
      note(name, former.name, .made, "the relationship is removed")
    }
  }

  /// Says that a relationship is new. It has no default value, so objects that need a target are refused.
  private mutating func noteNew(
    _ relationship: LayoutRecord.Relationship, of name: String, _ store: InspectedStore, _ other: InspectedStore
  ) throws {
    let needsTarget = relationship.column(in: other.layout)?.needsValue == true
    let count = try needsTarget ? store.count(name, where: "TRUE") : 0
    if count > 0 {
      note(
        name, relationship.name, .refused,
        "the relationship is new, and must have a target in \(Self.objects(count))")
    } else {
      note(name, relationship.name, .made, "the relationship is new")
    }
  }

  /// Says whether objects need a target from now on, or not any more.
  private mutating func compareNeeds(
    _ former: LayoutRecord.Relationship, _ relationship: LayoutRecord.Relationship, of name: String,
    _ store: InspectedStore, _ other: InspectedStore
  ) throws {
    guard let known = former.column(in: store.layout), let column = relationship.column(in: other.layout),
      known.needsValue != column.needsValue
    else { return }
    guard column.needsValue else { return note(name, relationship.name, .made, "the relationship becomes optional") }
    let count = try store.count(name, where: "\(known.name.quotedIdentifier) IS NULL")
    if count > 0 {
      note(
        name, relationship.name, .refused,
        "the relationship becomes required, and a target is missing in \(Self.objects(count))")
    } else {
      note(name, relationship.name, .made, "the relationship becomes required")
    }
  }

  private mutating func compareUniqueValues(
    of name: String, _ old: LayoutRecord.Table, _ new: LayoutRecord.Table, _ formers: [String: LayoutRecord.Column],
    _ store: InspectedStore
  ) throws {
    func own(_ table: LayoutRecord.Table) -> [LayoutRecord.Index] {
      table.indices.filter { $0.isUnique && ($0.classes?.first ?? table.classes[0]) == name }
    }
    for index in own(new) where !own(old).contains(where: { $0.names == index.names }) {
      let property = index.names.joined(separator: ", ")
      let columns = index.names.map { formers[$0]?.name }
      guard index.expressions == nil, columns.allSatisfy({ $0 != nil }) else {
        note(name, property, .unclear, "the values must be unique from now on; equal values are refused")
        continue
      }
      let cells = columns.compactMap { $0?.quotedIdentifier }
      let classes = old.family(of: name).map(\.quotedLiteral).joined(separator: ", ")
      let filled = cells.map { "\($0) IS NOT NULL" } + (old.hasDiscriminator ? ["_entity IN (\(classes))"] : [])
      let found = try store.rows(
        """
        SELECT count(*) FROM (SELECT 1 FROM \(name: old.name) WHERE \(filled.joined(separator: " AND ")) \
        GROUP BY \(cells.joined(separator: ", ")) HAVING count(*) > 1) AS q
        """)
      if case .integer(let count)? = found.first?.first, count > 0 {
        note(name, property, .refused, "the values must be unique from now on; values that occur again: \(count)")
      } else {
        note(name, property, .made, "the values must be unique from now on, and they are")
      }
    }
  }
}

extension LayoutRecord.Column {
  /// Whether each object has a value. The rows of a subclass's other classes have none.
  fileprivate var needsValue: Bool { isRequired || isOptional == false }
}

extension LayoutRecord.Relationship {
  fileprivate var isToOne: Bool { if case .foreignKey = storage { true } else { false } }

  /// The column of a to-one.
  fileprivate func column(in layout: LayoutRecord) -> LayoutRecord.Column? {
    guard case .foreignKey(let column) = storage else { return nil }
    return layout.table(named: table)?.column(named: column)
  }
}
