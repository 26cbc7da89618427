import SwiftData
import SwiftDataAppleStore

/// The tables of a model, as Apple's frameworks make them.
struct TemplateTables {
  private let model: AppleModel
  private let numbers: [String: Int64]
  private let columns: AppleColumns
  private(set) var statements: [String] = []

  init(model: AppleModel, numbers: [String: Int64]) {
    (self.model, self.numbers) = (model, numbers)
    columns = AppleColumns(model: model, numbers: numbers, tables: [:])
    for entity in model.entities where entity.superName == nil { statements += table(of: entity) }
    statements += joins()
  }

  var tombstoneCount: Int { model.entities.map { $0.attributes.count(where: \.isPreserved) }.max() ?? 0 }

  private func table(of root: AppleEntity) -> [String] {
    let name = columns.table(of: root.name)
    var list = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
    var indices = [String]()
    var seen = Set<String>()
    func add(_ column: String, _ type: String) {
      if seen.insert(column).inserted { list.append("\(column.quotedIdentifier) \(type)") }
    }
    let family = model.family(of: root.name)
    for entity in family {
      for relationship in entity.relationships {
        guard case .toOne(let column, _) = columns.link(relationship.name, of: entity.name) else { continue }
        if !seen.contains(column) {
          indices.append(
            "CREATE INDEX \("\(name)_\(column)_INDEX".quotedIdentifier) ON \(name) (\(column.quotedIdentifier))")
        }
        add(column, "INTEGER")
        if model.family(of: relationship.destination).count > 1, let number = numbers[relationship.destination] {
          add("Z\(number)_\(column.dropFirst())", "INTEGER")
        }
        if model.inverse(of: relationship)?.isOrdered == true { add("Z_FOK_\(column.dropFirst())", "INTEGER") }
      }
    }
    let names = Set(family.map(\.name))
    for owner in model.entities {
      for relationship in owner.relationships
      where relationship.isToMany && relationship.inverse == nil && names.contains(relationship.destination)
        && model.declarer(of: relationship.name, in: owner.name) == owner.name
      {
        add("Z\(numbers[owner.name]!)\(relationship.name.uppercased())", "INTEGER")
      }
    }
    for entity in family {
      for attribute in entity.attributes where !attribute.isTransient {
        let storage = columns.storage(attribute.name, of: entity.name)
        for (column, type) in zip(storage.columns, Self.types(of: attribute)) { add(column, type) }
      }
      for tuple in entity.uniqueness where !isInherited(tuple, entity) {
        let keys = tuple.flatMap { columns.storage($0, of: entity.name).columns }.map {
          "\($0.quotedIdentifier) COLLATE BINARY ASC"
        }
        let title = "Z_\(entity.name)_UNIQUE_\(tuple.joined(separator: "_"))"
        indices.append("CREATE UNIQUE INDEX \(title.quotedIdentifier) ON \(name) (\(keys.joined(separator: ", ")))")
      }
    }
    if family.count > 1 { indices.append("CREATE INDEX \("\(name)_Z_ENT_INDEX".quotedIdentifier) ON \(name) (Z_ENT)") }
    return ["CREATE TABLE \(name.quotedIdentifier) (\(list.joined(separator: ", ")))"] + indices
  }

  private func isInherited(_ tuple: [String], _ entity: AppleEntity) -> Bool {
    model.lineage(of: entity.name).dropFirst().contains { $0.uniqueness.contains(tuple) }
  }

  private static func types(of attribute: AppleAttribute) -> [String] {
    if attribute.type == .composite { return attribute.elements.flatMap(types) }
    switch attribute.type {
    case .int16, .int32, .int64, .bool: return ["INTEGER"]
    case .double, .float: return ["FLOAT"]
    case .date: return ["TIMESTAMP"]
    case .decimal: return ["DECIMAL"]
    case .string, .url: return ["VARCHAR"]
    default: return ["BLOB"]
    }
  }

  private func joins() -> [String] {
    var result = [String]()
    var seen = Set<[String]>()
    for entity in model.entities {
      for relationship in entity.relationships where relationship.isToMany {
        guard let inverse = model.inverse(of: relationship), inverse.isToMany else { continue }
        let owner = model.declarer(of: relationship.name, in: entity.name)
        let destination = model.declarer(of: inverse.name, in: relationship.destination)
        let ends = [[owner, relationship.name], [destination, inverse.name]].map { $0.joined(separator: ".") }.sorted()
        guard seen.insert(ends).inserted, let own = numbers[owner], let other = numbers[destination] else { continue }
        let target = "\(other)\(relationship.name.uppercased())"
        let isReflexive = ends[0] == ends[1]
        let back = isReflexive ? "REFLEXIVE" : "Z_\(own)\(inverse.name.uppercased())"
        let name = "Z_\(own)\(relationship.name.uppercased())"
        var list = ["\(back) INTEGER", "Z_\(target) INTEGER"]
        if relationship.isOrdered { list.append("Z_FOK_\(target) INTEGER") }
        if inverse.isOrdered, !isReflexive { list.append("Z_FOK_\(back.dropFirst(2)) INTEGER") }
        list.append("PRIMARY KEY (\(back), Z_\(target))")
        result.append("CREATE TABLE \(name) (\(list.joined(separator: ", ")))")
        result.append("CREATE INDEX \(name)_Z_\(target)_INDEX ON \(name) (Z_\(target), \(back))")
      }
    }
    return result
  }
}
