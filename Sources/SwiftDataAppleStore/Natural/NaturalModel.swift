import Foundation
import SwiftData

/// The model classes that fit a file, made from the model inside it. They can be printed as Swift source, recorded as a layout
/// of our own stores, and used for views that show the file in this layout.
package struct NaturalModel: Sendable {
  package var classes: [NaturalClass]
  /// Descriptions of the parts that Swift cannot express.
  package var notes: [String]

  package func `class`(named name: String) -> NaturalClass? { classes.first { $0.name == name } }

  /// - Parameter classes: the classes as a reader of another format found them.
  package init(classes: [NaturalClass], notes: [String]) {
    (self.classes, self.notes) = (classes, notes)
    denyInferredInverses()
  }
}

package struct NaturalClass: Sendable {
  /// The name of the class and of the entity.
  package let name: String
  package let entity: AppleEntity
  package let superclass: String?
  package let hasSubclasses: Bool
  /// The properties that it does not inherit, by name.
  package var properties: [NaturalProperty]
  package var uniqueness: [[String]]
  package var indices: [[String]]

  package init(
    name: String, entity: AppleEntity, superclass: String?, hasSubclasses: Bool, properties: [NaturalProperty],
    uniqueness: [[String]], indices: [[String]]
  ) {
    (self.name, self.entity, self.superclass, self.hasSubclasses) = (name, entity, superclass, hasSubclasses)
    (self.properties, self.uniqueness, self.indices) = (properties, uniqueness, indices)
  }
}

package struct NaturalProperty: Sendable {
  package enum Kind: Sendable {
    /// A value with a column type of its own.
    case value(AppleType)
    /// An enum without raw values, nested in the class: its name, and its cases as Swift writes them.
    case cases(String, [String])
    /// A struct, nested in the class.
    case structure(NaturalStructure)
    /// An array of plain values.
    case array(String)
    /// Any JSON.
    case json
    case toOne(AppleRelationship)
    case toMany(AppleRelationship)
  }

  /// The name in Swift.
  package let name: String
  /// The name in the file.
  package let originalName: String
  package let kind: Kind
  package let isOptional: Bool
  package let attribute: AppleAttribute?
  /// Why it is optional though the file's model requires a value.
  package var remark: String?
  /// Whether the declaration must say that the relationship has no inverse, because the engine would infer one.
  package var deniesInverse = false

  package init(
    name: String, originalName: String, kind: Kind, isOptional: Bool, attribute: AppleAttribute?, remark: String? = nil
  ) {
    (self.name, self.originalName, self.kind, self.isOptional) = (name, originalName, kind, isOptional)
    (self.attribute, self.remark) = (attribute, remark)
  }

  package var relationship: AppleRelationship? {
    switch kind {
    case .toOne(let relationship), .toMany(let relationship): relationship
    default: nil
    }
  }
}

package struct NaturalStructure: Sendable {
  package let name: String
  package let members: [(name: String, type: String)]
  package let nested: [NaturalStructure]
  package let enums: [(name: String, cases: [String])]
}

// MARK: - Making it

extension NaturalModel {
  /// - Parameters:
  ///   - unfilled: the required columns ("TABLE.COLUMN") that are empty in some row.
  ///   - samples: the content of the columns of composites and transformable attributes.
  init(_ file: AppleFile, unfilled: Set<String>, samples: Samples) {
    let maker = NaturalMaker(file: file, unfilled: unfilled, samples: samples)
    var notes = file.model.warnings + file.columns.missing
    // A copy and a dump need a table's name. Only the printed classes need a name that Swift allows.
    let entities = file.model.entities.filter { file.columns.hasTable($0.name) && Identifiers.isName($0.name) }
    for entity in file.model.entities where !entities.contains(where: { $0.name == entity.name }) {
      notes.append(
        Identifiers.isName(entity.name)
          ? "\(entity.name) has no table"
          : "the entity \(entity.name.debugDescription) is not read, because its name is not one that Core Data allows")
    }
    let names = Set(entities.map(\.name))
    classes = entities.map { maker.class(of: $0, among: names, &notes) }
    self.notes = notes
    denyInferredInverses()
  }
}

/// The content of cells whose type the model does not state.
package enum SampleKind: Sendable, Equatable {
  case strings, integers, data, json, bytes
}

typealias Samples = [String: SampleKind]

struct NaturalMaker {
  let file: AppleFile
  let unfilled: Set<String>
  let samples: Samples

  func `class`(of entity: AppleEntity, among names: Set<String>, _ notes: inout [String]) -> NaturalClass {
    let lineage = file.model.lineage(of: entity.name).dropFirst().first { names.contains($0.name) }
    let inherited = Set(
      (lineage?.attributes.map(\.name) ?? []) + (lineage?.relationships.map(\.name) ?? []))
    var properties = [NaturalProperty]()
    let table = file.columns.table(of: entity.name)
    for attribute in entity.attributes where !inherited.contains(attribute.name) && !attribute.isTransient {
      let columns = file.columns.storage(attribute.name, of: entity.name).columns
      guard !columns.isEmpty else {
        notes.append("\(entity.name).\(attribute.name) has no column")
        continue
      }
      let isUnfilled = columns.allSatisfy { unfilled.contains("\(table).\($0)") }
      properties.append(property(of: attribute, in: entity, isUnfilled: isUnfilled, columns: columns, table: table))
    }
    for relationship in entity.relationships where !inherited.contains(relationship.name) && !relationship.isTransient {
      guard names.contains(relationship.destination) else {
        notes.append("\(entity.name).\(relationship.name) leads to \(relationship.destination), which has no class")
        continue
      }
      let link = file.columns.link(relationship.name, of: entity.name)
      if case .none = link {
        notes.append("\(entity.name).\(relationship.name) has no column or table")
        continue
      }
      properties.append(property(of: relationship, link, table: table))
    }
    return NaturalClass(
      name: entity.name, entity: entity, superclass: lineage?.name,
      hasSubclasses: file.model.family(of: entity.name).count > 1,
      properties: properties.sorted { ModelReader.precedes($0.name, $1.name) },
      uniqueness: uniqueness(of: entity, &notes), indices: indices(of: entity))
  }

  /// The constraints that the entity does not inherit and that Swift can declare.
  private func uniqueness(of entity: AppleEntity, _ notes: inout [String]) -> [[String]] {
    let inherited = Set(file.model.lineage(of: entity.name).dropFirst().flatMap(\.uniqueness))
    var result = [[String]]()
    for tuple in entity.uniqueness where !inherited.contains(tuple) && !result.contains(tuple) {
      let canBeUnique = tuple.allSatisfy { name in
        if entity.relationships.contains(where: { $0.name == name && !$0.isToMany && !$0.isTransient }) { return true }
        guard let attribute = entity.attributes.first(where: { $0.name == name }), !attribute.isTransient else {
          return false
        }
        return attribute.rawValue != nil || SwiftTypes.name(attribute.type) != nil
      }
      guard canBeUnique else {
        notes.append("\(entity.name): the constraint on \(tuple.joined(separator: ", ")) cannot be declared")
        continue
      }
      result.append(tuple)
    }
    return result
  }

  private func indices(of entity: AppleEntity) -> [[String]] {
    let inherited = Set(file.model.lineage(of: entity.name).dropFirst().flatMap(\.indices).map(\.properties))
    let names = Set(entity.attributes.filter { SwiftTypes.name($0.type) != nil && !$0.isTransient }.map(\.name))
    var result = [[String]]()
    for index in entity.indices
    where !index.properties.isEmpty && index.properties.allSatisfy(names.contains)
      && !inherited.contains(index.properties) && !result.contains(index.properties)
    {
      result.append(index.properties)
    }
    return result
  }

  private func property(
    of attribute: AppleAttribute, in entity: AppleEntity, isUnfilled: Bool, columns: [String], table: String
  ) -> NaturalProperty {
    let sample = samples["\(table).\(columns[0])"]
    let kind: NaturalProperty.Kind
    switch attribute.type {
    case .composite: kind = composite(attribute, columns, table, takenTypes(by: attribute, in: entity))
    case .transformable: kind = transformable(attribute, sample)
    case .undefined, .objectID: kind = .value(.binary)
    default: kind = .value(attribute.type)
    }
    var isOptional = attribute.isOptional
    var remark: String?
    if isUnfilled, !isOptional {
      (isOptional, remark) = (true, "the file's model requires a value, and some rows have none")
    }
    return NaturalProperty(
      name: Identifiers.property(attribute.name), originalName: attribute.name, kind: kind, isOptional: isOptional,
      attribute: attribute, remark: remark)
  }

  private func property(
    of relationship: AppleRelationship, _ link: AppleColumns.Link, table: String
  ) -> NaturalProperty {
    var isOptional = relationship.isOptional
    var remark: String?
    if case .toOne(let column, _) = link, !isOptional, unfilled.contains("\(table).\(column)") {
      (isOptional, remark) = (true, "the file's model requires an object, and some rows have none")
    }
    return NaturalProperty(
      name: Identifiers.property(relationship.name), originalName: relationship.name,
      kind: relationship.isToMany ? .toMany(relationship) : .toOne(relationship), isOptional: isOptional,
      attribute: nil, remark: remark)
  }

  private func transformable(_ attribute: AppleAttribute, _ sample: SampleKind?) -> NaturalProperty.Kind {
    switch attribute.valueClass {
    case "Array<String>": return .array("String")
    case "Array<Int>": return .array("Int")
    case "Array<Double>": return .array("Double")
    case "Array<Data>": return .array("Data")
    case "Array<Date>": return .array("Date")
    case "Array<UUID>": return .array("UUID")
    case "Array<Bool>": return .array("Bool")
    default: break
    }
    if let type = attribute.archivedType, type == .binary || sample != .bytes { return .value(type) }
    switch sample {
    case .strings: return .array("String")
    case .integers: return .array("Int")
    case .json: return .json
    case .data, .bytes, nil: return .value(.binary)
    }
  }

  /// The names that the type of a composite attribute cannot have: the names of classes, and the names of the types of other
  /// attributes of the entity.
  private func takenTypes(by attribute: AppleAttribute, in entity: AppleEntity) -> Set<String> {
    let others = entity.attributes.filter { $0.type == .composite && $0.name < attribute.name }
    return Set(file.model.entities.map(\.name)).union(others.map { Identifiers.type($0.name, besides: []) })
  }

  private func composite(
    _ attribute: AppleAttribute, _ columns: [String], _ table: String, _ taken: Set<String>
  ) -> NaturalProperty.Kind {
    if let raw = attribute.rawValue, SwiftTypes.name(raw.type) != nil { return .value(raw.type) }
    if attribute.hasCases {
      guard let cases = cases(of: attribute) else { return .json }
      return .cases(Identifiers.type(attribute.name, besides: taken), cases)
    }
    var rest = columns[...]
    guard attribute.elements.allSatisfy({ Identifiers.isPlain($0.name) }) else { return .json }
    return .structure(structure(attribute, &rest, table, taken))
  }

  /// The cases of an enum without raw values, as Swift writes them. Nil if the file does not tell the types of the associated
  /// values, or Swift does not allow a name.
  private func cases(of attribute: AppleAttribute) -> [String]? {
    let classes = Set(file.model.entities.map(\.name))
    var result = [String]()
    for element in attribute.elements {
      guard Identifiers.isPlain(element.name) else { return nil }
      if attribute.isPlainCase(element) {
        result.append(element.name)
        continue
      }
      guard element.type == .composite, !element.isEnum, !element.elements.isEmpty else {
        return nil
      }
      var values = [String]()
      for (index, value) in element.elements.enumerated() {
        guard value.type != .binary, let type = SwiftTypes.name((value.rawValue ?? value).type)
        else { return nil }
        let isLabelled = value.name != "_\(index)"
        guard !isLabelled || Identifiers.isPlain(value.name) else { return nil }
        // A case with one value has it. The file does not tell which of several may be nil.
        let mark = element.elements.count > 1 ? "?" : ""
        let label = isLabelled ? "\(value.name): " : ""
        values.append(label + Identifiers.qualified(type, besides: classes) + mark)
      }
      result.append("\(element.name)(\(values.joined(separator: ", ")))")
    }
    return result
  }

  private func structure(
    _ attribute: AppleAttribute, _ columns: inout ArraySlice<String>, _ table: String, _ taken: Set<String>
  ) -> NaturalStructure {
    let name = Identifiers.type(attribute.name, besides: taken)
    let taken = taken.union([name])
    var members = [(name: String, type: String)]()
    var nested = [NaturalStructure]()
    var enums = [(name: String, cases: [String])]()
    for element in attribute.elements {
      let type: String
      if element.type == .composite, element.rawValue == nil {
        if element.hasCases {
          columns = columns.dropFirst(CompositeShape(element).columnCount)
          let cases = cases(of: element)
          type = cases == nil ? "JSONValue" : Identifiers.type(element.name, besides: taken)
          if let cases { enums.append((type, cases)) }
        } else {
          let inner = structure(element, &columns, table, taken)
          nested.append(inner)
          type = inner.name
        }
      } else {
        let column = columns.popFirst() ?? ""
        type = self.type(of: element.rawValue ?? element, samples["\(table).\(column)"])
      }
      members.append((element.name, type))
    }
    return NaturalStructure(name: name, members: members, nested: nested, enums: enums)
  }

  private func type(of element: AppleAttribute, _ sample: SampleKind?) -> String {
    guard element.type == .binary || element.type == .transformable else {
      return SwiftTypes.name(element.type) ?? "Data"
    }
    switch sample {
    case .strings: return "[String]"
    case .integers: return "[Int]"
    case .json: return "JSONValue"
    // Without a sample, bytes in a struct are more often an array than data.
    case nil: return "JSONValue"
    case .data, .bytes: return "Data"
    }
  }
}
