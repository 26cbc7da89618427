import Foundation

/// Makes a model from the names and types of a file's columns, for files without a model inside (files from before 2015).
///
/// A column's name is the property's name in upper case, so the spelling of the property is lost. A model class can use any
/// spelling, because names are compared without case.
struct InferredModel {
  private let names: [Int64: String]
  private let tables: [String: [String: String]]
  private let indices: Set<String>
  private var model = AppleModel(versionIdentifiers: [], entities: [], isInferred: true)

  /// - Parameters:
  ///   - numbers: the entities of `Z_PRIMARYKEY` with their numbers.
  ///   - parents: the numbers of their superentities.
  ///   - tables: the columns of each table, with their types.
  ///   - indices: the names of all indices.
  ///   - damage: why the model inside the file cannot be read, if it has one.
  static func model(
    numbers: [String: Int64], parents: [String: Int64], tables: [String: [String: String]], indices: Set<String>,
    damage: String? = nil
  ) -> AppleModel {
    let own = numbers.filter { $0.value < 16_000 }
    let names = Dictionary(own.map { ($0.value, $0.key) }) { min($0, $1) }
    var inferred = InferredModel(names: names, tables: tables, indices: indices)
    inferred.model.damage = damage
    inferred.model.warnings.append(
      (damage.map { "the model inside the file (Z_MODELCACHE) cannot be read: \($0)" } ?? "the file has no model inside")
        + "; entities and properties are inferred from its tables")
    for name in own.keys.sorted() {
      var entity = AppleEntity(name: name)
      entity.superName = parents[name].flatMap { names[$0] }
      inferred.model.entities.append(entity)
    }
    for name in own.keys.sorted() where inferred.model.root(of: name) == name { inferred.addColumns(of: name) }
    inferred.addPairs()
    inferred.inherit()
    return inferred.model
  }

  private mutating func update(_ name: String, _ change: (inout AppleEntity) -> Void) {
    guard let index = model.entities.firstIndex(where: { $0.name == name }) else { return }
    change(&model.entities[index])
  }

  // MARK: - Columns

  /// All rows of a hierarchy are in the root's table, so the root gets the properties of all its subentities.
  private mutating func addColumns(of name: String) {
    let table = "Z" + name.uppercased()
    let columns = tables[table] ?? [:]
    for (column, type) in columns.sorted(by: { $0.key < $1.key }) where column.hasPrefix("Z") {
      if let (owner, list) = Self.numbered(column.dropFirst()), !list.hasPrefix("_") {
        addList(list.lowercased(), of: owner, to: name)
        continue
      }
      // Z_PK, Z_FOK_… and Z7_OWNER describe rows and relationships.
      guard !column.hasPrefix("Z_"), Self.numbered(column.dropFirst()) == nil, column.count > 1 else { continue }
      let property = column.dropFirst().lowercased()
      let isKey = type.uppercased() == "INTEGER" && indices.contains("\(table)_\(column)_INDEX")
      if isKey, let destination = destination(of: String(column.dropFirst()), columns) {
        var relationship = AppleRelationship(name: property, destination: destination)
        relationship.maximum = 1
        update(name) { $0.relationships.append(relationship) }
      } else {
        update(name) { $0.attributes.append(AppleAttribute(name: property, type: Self.type(type))) }
      }
    }
  }

  /// The entity that a key leads to. The column `Z7_OWNER` next to `ZOWNER` names it by number. Otherwise the name of the
  /// property has to be, or end with, an entity's name: an indexed integer attribute looks like a key.
  private func destination(of column: String, _ columns: [String: String]) -> String? {
    for other in columns.keys.sorted() {
      if let (number, rest) = Self.numbered(other.dropFirst()), rest == "_" + column { return names[number] }
    }
    let property = column.lowercased()
    let entities = names.values.sorted()
    return entities.first { $0.lowercased() == property }
      ?? entities.filter { property.hasSuffix($0.lowercased()) }.max { $0.count < $1.count }
  }

  /// `Z3ITEMS`: the entity 3 has a to-many relationship `items` without inverse, and its targets are in this table.
  private mutating func addList(_ list: String, of owner: Int64, to destination: String) {
    guard let owner = names[owner] else { return }
    var relationship = AppleRelationship(name: list, destination: destination)
    relationship.isToMany = true
    update(owner) { $0.relationships.append(relationship) }
  }

  // MARK: - Tables of pairs

  /// `Z_1TAGS (Z_1BOOKS, Z_2TAGS)`: the column `Z_2TAGS` points at the entity 2, and the entity 1 has the relationship.
  private mutating func addPairs() {
    for (table, columns) in tables.sorted(by: { $0.key < $1.key }) {
      guard table.hasPrefix("Z_"), Self.numbered(table.dropFirst(2)) != nil else { continue }
      let ends = columns.keys.filter { !$0.hasPrefix("Z_FOK") }.sorted().compactMap { column in
        column.hasPrefix("Z_") ? Self.numbered(column.dropFirst(2)) : nil
      }
      if ends.count == 1, columns["REFLEXIVE"] != nil, let entity = names[ends[0].number] {
        addPair(ends[0].rest, of: entity, to: entity, inverse: ends[0].rest)
      } else if ends.count == 2, let first = names[ends[0].number], let second = names[ends[1].number] {
        addPair(ends[0].rest, of: second, to: first, inverse: ends[1].rest)
        addPair(ends[1].rest, of: first, to: second, inverse: ends[0].rest)
      }
    }
  }

  private mutating func addPair(_ name: String, of owner: String, to destination: String, inverse: String) {
    var relationship = AppleRelationship(name: name.lowercased(), destination: destination)
    (relationship.isToMany, relationship.inverse) = (true, inverse.lowercased())
    update(owner) { entity in
      if !entity.relationships.contains(where: { $0.name == relationship.name }) {
        entity.relationships.append(relationship)
      }
    }
  }

  // MARK: - Inheritance

  /// Subentities inherit what the entities above them have.
  private mutating func inherit() {
    for index in model.entities.indices {
      for parent in model.lineage(of: model.entities[index].name).dropFirst() {
        let known = model.entities[index]
        model.entities[index].attributes += parent.attributes.filter { attribute in
          !known.attributes.contains { $0.name == attribute.name }
        }
        model.entities[index].relationships += parent.relationships.filter { relationship in
          !known.relationships.contains { $0.name == relationship.name }
        }
      }
      model.entities[index].attributes.sort { ModelReader.precedes($0.name, $1.name) }
      model.entities[index].relationships.sort { ModelReader.precedes($0.name, $1.name) }
    }
  }

  // MARK: - Names and types

  /// The number at the beginning of a name, and what follows it.
  private static func numbered(_ name: Substring) -> (number: Int64, rest: String)? {
    let digits = name.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), digits.count < name.count else { return nil }
    return (number, String(name.dropFirst(digits.count)))
  }

  private static func type(_ declared: String) -> AppleType {
    switch declared.uppercased() {
    case "INTEGER": .int64
    case "FLOAT": .double
    case "TIMESTAMP": .date
    case "DECIMAL": .decimal
    case "VARCHAR": .string
    default: .binary
    }
  }
}

/// The numbers of entities.
package enum EntityNumbers {
  /// Adds the numbers that a file does not name. A renamed entity can have its number under its old name. The others follow
  /// this rule: roots are sorted by name without regard to case, and each is followed by its subentities.
  /// - Parameter parents: the numbers of the superentities, by the names in the file.
  package static func complete(
    _ listed: [String: Int64], parents: [String: Int64] = [:], model: AppleModel
  ) -> [String: Int64] {
    guard model.entities.contains(where: { listed[$0.name] == nil }) else { return listed }
    let known = renamed(listed, parents, model)
    var order = [String]()
    func visit(_ entities: [AppleEntity]) {
      for entity in entities.sorted(by: { $0.name.lowercased() < $1.name.lowercased() }) where order.count < 20_000 {
        order.append(entity.name)
        visit(model.entities.filter { $0.superName == entity.name })
      }
    }
    visit(model.entities.filter { $0.superName == nil || model.entity(named: $0.superName!) == nil })
    order += model.entities.map(\.name).filter { !order.contains($0) }
    var result = known
    var taken = Set(known.values)
    for (index, name) in order.enumerated() where result[name] == nil {
      var number = Int64(index + 1)
      while !taken.insert(number).inserted { number += 1 }
      result[name] = number
    }
    return result
  }

  /// The numbers with the new names of renamed entities. An entity is taken for a renamed one if its model says so, or if it
  /// is the only one below its superentity that the file does not list, and the file lists one there that the model lacks.
  private static func renamed(
    _ listed: [String: Int64], _ parents: [String: Int64], _ model: AppleModel
  ) -> [String: Int64] {
    var result = listed
    func rename(_ old: String, to new: String) {
      result[new] = result.removeValue(forKey: old)
    }
    // Greater numbers belong to the tables of the history and of CloudKit.
    var unknown = listed.keys.filter { model.entity(named: $0) == nil && listed[$0]! < 16_000 }
    var missing = model.entities.filter { listed[$0.name] == nil }
    for entity in missing {
      guard let former = entity.formerName, let place = unknown.firstIndex(of: former) else {
        continue
      }
      rename(unknown.remove(at: place), to: entity.name)
    }
    missing.removeAll { result[$0.name] != nil }
    // A superentity comes before its subentities, which are found below its number.
    func depth(_ name: String?) -> Int {
      var (depth, name) = (0, name)
      while let entity = name, depth < model.entities.count {
        (depth, name) = (depth + 1, model.entity(named: entity)?.superName)
      }
      return depth
    }
    let groups = Dictionary(grouping: missing, by: \.superName).map { (depth: depth($0.key), $0.key, $0.value) }
    for (_, parent, entities) in groups.sorted(by: { ($0.depth, $0.1 ?? "") < ($1.depth, $1.1 ?? "") }) {
      let number = parent.map { result[$0] ?? -1 } ?? 0
      let candidates = unknown.filter { parents[$0] ?? 0 == number }
      if entities.count == 1, candidates.count == 1 { rename(candidates[0], to: entities[0].name) }
    }
    return result
  }
}
