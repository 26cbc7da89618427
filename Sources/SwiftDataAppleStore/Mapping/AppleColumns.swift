import Foundation

/// The table, column or join table in which Apple's frameworks keep each property.
package struct AppleColumns: Sendable {
  /// The column of an attribute. A composite has a column for each element.
  package indirect enum Storage: Sendable {
    case column(String)
    case elements([(element: AppleAttribute, storage: Storage)])
    /// The property is transient, or the table lacks its column.
    case none

    /// All columns, in the order of the elements.
    package var columns: [String] {
      switch self {
      case .column(let name): [name]
      case .elements(let members): members.flatMap(\.storage.columns)
      case .none: []
      }
    }
  }

  package enum Link: Sendable {
    /// A to-one relationship: its column, and the column with the entity of the target.
    case toOne(column: String, entityColumn: String?)
    /// A to-many relationship whose targets name their owner in the column of the inverse, or in a hidden column.
    case column(table: String, column: String, entityColumn: String?, position: String?, isHidden: Bool)
    /// A join table: the columns of the owner's key and of the target's key.
    case join(table: String, owner: String, target: String, position: String?)
    case none
  }

  private let model: AppleModel
  private let numbers: [String: Int64]
  private let tables: [String: [String: String]]
  /// The storage by entity and property, with inherited properties.
  package private(set) var attributes: [String: [String: Storage]] = [:]
  package private(set) var links: [String: [String: Link]] = [:]
  /// Descriptions of columns and join tables that the model requires and the file lacks.
  package private(set) var missing: [String] = []

  package init(model: AppleModel, numbers: [String: Int64], tables: [String: [String: String]]) {
    (self.model, self.numbers, self.tables) = (model, numbers, tables)
    let toOnes = nameColumns()
    findLinks(toOnes)
  }

  /// The table of an entity's rows.
  package func table(of entity: String) -> String { "Z" + model.root(of: entity).uppercased() }

  package func hasTable(_ entity: String) -> Bool { tables[table(of: entity)] != nil }

  package func link(_ property: String, of entity: String) -> Link { links[entity]?[property] ?? .none }

  package func storage(_ property: String, of entity: String) -> Storage { attributes[entity]?[property] ?? .none }

  // MARK: - Names

  /// Claims column names in the order of the entities' numbers. Within an entity, attributes and to-one relationships claim
  /// in the order of their names, and a composite claims the names of its elements. A taken name gets the suffix 1, 2, 3…
  /// - Returns: the columns of the to-one relationships.
  private mutating func nameColumns() -> [String: [String: String]] {
    var used = [String: Set<String>]()
    var toOnes = [String: [String: String]]()
    let order = model.entities.sorted { (numbers[$0.name] ?? .max, $0.name) < (numbers[$1.name] ?? .max, $1.name) }
    // Superentities come first, because subentities inherit their columns.
    var sorted = [AppleEntity]()
    var seen = Set<String>()
    func visit(_ entity: AppleEntity) {
      for entity in model.lineage(of: entity.name).reversed() where seen.insert(entity.name).inserted {
        sorted.append(entity)
      }
    }
    for entity in order { visit(entity) }
    for entity in sorted {
      let table = table(of: entity.name)
      let parent = model.lineage(of: entity.name).dropFirst().first?.name
      var storages = parent.flatMap { attributes[$0] } ?? [:]
      var keys = parent.flatMap { toOnes[$0] } ?? [:]
      func claim(_ name: String) -> String? {
        let base = "Z" + name.uppercased()
        var (column, number) = (base, 0)
        while !used[table, default: []].insert(column).inserted {
          number += 1
          column = base + String(number)
        }
        if let known = tables[table], known[column] == nil {
          missing.append("\(entity.name).\(name): the table \(table) has no column \(column)")
          return nil
        }
        return column
      }
      func storage(_ attribute: AppleAttribute) -> Storage {
        if attribute.type == .composite {
          return .elements(attribute.elements.map { ($0, storage($0)) })
        }
        return claim(attribute.name).map(Storage.column) ?? .none
      }
      let own: [(name: String, attribute: AppleAttribute?)] =
        model.ownAttributes(of: entity).filter { !$0.isTransient }.map { ($0.name, $0) }
        + model.ownRelationships(of: entity).filter { !$0.isToMany && !$0.isTransient }.map { ($0.name, nil) }
      for (name, attribute) in own.sorted(by: { ModelReader.precedes($0.name, $1.name) }) {
        if let attribute { storages[name] = storage(attribute) } else { keys[name] = claim(name) }
      }
      (attributes[entity.name], toOnes[entity.name]) = (storages, keys)
    }
    return toOnes
  }

  // MARK: - Relationships

  private mutating func findLinks(_ toOnes: [String: [String: String]]) {
    var result = [String: [String: Link]]()
    for entity in model.entities {
      for relationship in entity.relationships where !relationship.isTransient {
        let link = link(of: relationship, in: entity, toOnes)
        if case .none = link, tables[table(of: entity.name)] != nil,
          model.entity(named: relationship.destination) != nil
        {
          missing.append("\(entity.name).\(relationship.name): the file has no column or table for it")
        }
        result[entity.name, default: [:]][relationship.name] = link
      }
    }
    links = result
  }

  private func link(
    of relationship: AppleRelationship, in entity: AppleEntity, _ toOnes: [String: [String: String]]
  ) -> Link {
    guard relationship.isToMany else {
      guard let column = toOnes[entity.name]?[relationship.name] else { return .none }
      return .toOne(
        column: column, entityColumn: entityColumn(column, relationship.destination, in: table(of: entity.name)))
    }
    let inverse = model.inverse(of: relationship)
    let destination = table(of: relationship.destination)
    let known = tables[destination] ?? [:]
    if let inverse, !inverse.isToMany {
      guard let column = toOnes[relationship.destination]?[inverse.name] else { return .none }
      let position = "Z_FOK_" + column.dropFirst()
      return .column(
        table: destination, column: column, entityColumn: entityColumn(column, inverse.destination, in: destination),
        position: known[position] == nil ? nil : position, isHidden: false)
    }
    let declarer = model.declarer(of: relationship.name, in: entity.name)
    if inverse == nil, let number = numbers[declarer] {
      let base = "Z\(number)\(relationship.name.uppercased())"
      if let column = Self.match(base, in: known.keys) {
        let position = "Z_FOK_" + column.dropFirst()
        return .column(
          table: destination, column: column, entityColumn: nil, position: known[position] == nil ? nil : position,
          isHidden: true)
      }
    }
    return join(of: relationship, inverse, declarer)
  }

  /// The column with the entity of a to-one's target. The file has it if the destination has subentities.
  private func entityColumn(_ column: String, _ destination: String, in table: String) -> String? {
    guard let number = numbers[destination] else { return nil }
    let name = "Z\(number)_\(column.dropFirst())"
    return tables[table]?[name] == nil ? nil : name
  }

  /// The shortest of `names` that is `name`, or `name` followed by digits.
  private static func match(_ name: String, in names: some Sequence<String>) -> String? {
    let found = names.filter { $0 == name || ($0.hasPrefix(name) && $0.dropFirst(name.count).allSatisfy(\.isNumber)) }
    return found.min { ($0.count, $0) < ($1.count, $1) }
  }

  /// Finds a join table by its columns. The name of a column consists of the number of the entity that it points at and the
  /// relationship that leads there.
  private func join(of relationship: AppleRelationship, _ inverse: AppleRelationship?, _ declarer: String) -> Link {
    let destination =
      inverse.map { model.declarer(of: $0.name, in: relationship.destination) } ?? relationship.destination
    guard let own = numbers[declarer], let other = numbers[destination] else { return .none }
    let targetName = "Z_\(other)\(relationship.name.uppercased())"
    let isReflexive = inverse?.name == relationship.name && declarer == destination
    for (table, columns) in tables.sorted(by: { $0.key < $1.key }) where table.hasPrefix("Z_") {
      guard let third = table.dropFirst(2).first, third.isNumber else { continue }
      let names = columns.keys.filter { !$0.hasPrefix("Z_FOK") }
      guard let target = Self.match(targetName, in: names) else { continue }
      let owner: String?
      if isReflexive {
        owner = names.first { $0 == "REFLEXIVE" }
      } else if let inverse {
        owner = Self.match("Z_\(own)\(inverse.name.uppercased())", in: names.filter { $0 != target })
      } else {
        owner = table.hasPrefix("Z_\(own)") ? names.first { $0 != target } : nil
      }
      guard let owner else { continue }
      let position = "Z_FOK_" + target.dropFirst(2)
      return .join(table: table, owner: owner, target: target, position: columns[position] == nil ? nil : position)
    }
    return looseJoin(of: relationship, inverse)
  }

  /// Finds a join table by the names of the relationships alone, in case the numbers differ.
  private func looseJoin(of relationship: AppleRelationship, _ inverse: AppleRelationship?) -> Link {
    func isNamed(_ column: String, _ name: String) -> Bool {
      guard column.hasPrefix("Z_") else { return false }
      let rest = column.dropFirst(2).drop(while: \.isNumber)
      return rest == name.uppercased() && column.dropFirst(2).first?.isNumber == true
    }
    guard let inverse, inverse.name != relationship.name else { return .none }
    for (table, columns) in tables.sorted(by: { $0.key < $1.key }) where table.hasPrefix("Z_") {
      guard let target = columns.keys.first(where: { isNamed($0, relationship.name) }),
        let owner = columns.keys.first(where: { isNamed($0, inverse.name) })
      else { continue }
      let position = "Z_FOK_" + target.dropFirst(2)
      return .join(table: table, owner: owner, target: target, position: columns[position] == nil ? nil : position)
    }
    return .none
  }
}
