import Foundation
import SwiftData
import SwiftDataAppleStore

/// The classes of an export, inferred from the values, because the file does not contain Realm's schema.
struct RealmModel {
  private(set) var natural = NaturalModel(classes: [], notes: [])
  private var objects: RealmObjects
  private var notes: [String] = []

  init(_ objects: RealmObjects) {
    self.objects = objects
    var classes = [NaturalClass]()
    let names = objects.export.classes.map(\.name)
    for (name, nodes) in objects.export.classes {
      guard Identifiers.isType(name) else {
        notes.append("\(name.debugDescription) cannot be the name of a class in Swift; its objects are left out")
        continue
      }
      classes.append(self.class(name, nodes.map { objects.export.nodes[$0] }, names))
    }
    natural = NaturalModel(classes: classes, notes: notes)
  }

  private mutating func `class`(
    _ name: String, _ rows: [[String: RealmExport.Value]], _ names: [String]
  ) -> NaturalClass {
    var properties = [NaturalProperty]()
    for field in Set(rows.flatMap(\.keys)).sorted() {
      let values = rows.map { $0[field] ?? .scalar(.null) }
      properties.append(property(field, values, "\(name).\(field)"))
    }
    return NaturalClass(
      name: name, entity: AppleEntity(name: name), superclass: nil, hasSubclasses: false,
      properties: properties.sorted { $0.name < $1.name }, uniqueness: [], indices: [])
  }

  // MARK: - Properties

  /// The kind of the values of a property.
  private enum Shape: Hashable {
    case bool, integer, real, decimal, date, uuid, text
    case link(String)
    case list([Shape])
    /// An embedded object, or values of several kinds.
    case json
  }

  private mutating func property(_ name: String, _ values: [RealmExport.Value], _ place: String) -> NaturalProperty {
    let filled = values.filter { if case .scalar(.null) = $0 { false } else { true } }
    let shapes = filled.map { shape(of: $0) }
    var attribute = AppleAttribute(name: name, type: .undefined)
    attribute.isOptional = filled.count < values.count
    func make(_ kind: NaturalProperty.Kind) -> NaturalProperty {
      NaturalProperty(
        name: Identifiers.property(name), originalName: name, kind: kind, isOptional: attribute.isOptional,
        attribute: attribute)
    }
    func link(_ destination: String, isToMany: Bool) -> NaturalProperty {
      var relationship = AppleRelationship(name: name, destination: destination)
      (relationship.isToMany, relationship.isOrdered, relationship.maximum) = (isToMany, isToMany, isToMany ? 0 : 1)
      return NaturalProperty(
        name: Identifiers.property(name), originalName: name,
        kind: isToMany ? .toMany(relationship) : .toOne(relationship),
        isOptional: !isToMany, attribute: nil)
    }
    switch Self.common(shapes) {
    case .bool: return make(.value(.bool))
    case .integer: return make(.value(.int64))
    case .real: return make(.value(.double))
    case .decimal: return make(.value(.decimal))
    case .date:
      notes.append("\(place): every value is a time in ISO 8601, so the property is a Date")
      return make(.value(.date))
    case .uuid: return make(.value(.uuid))
    case .text: return make(.value(.string))
    case .link(let destination) where Identifiers.isType(destination): return link(destination, isToMany: false)
    case .list(let members):
      let all = members
      switch Self.common(all) {
      case .link(let destination)? where Identifiers.isType(destination): return link(destination, isToMany: true)
      case .text?, .uuid?: return make(.array("String"))
      case .integer?: return make(.array("Int"))
      case .real?: return make(.array("Double"))
      case .bool?: return make(.array("Bool"))
      case .date?: return make(.array("Date"))
      default: break
      }
    case .link, .json, nil: break
    }
    notes.append(
      "\(place): \(filled.isEmpty ? "no object has a value" : "its values have no common type"); the property is JSON")
    return make(.json)
  }

  /// The kind that all values share. Nil without values, `.json` for values of several kinds.
  private static func common(_ shapes: [Shape]) -> Shape? {
    var lists = [Shape]()
    var isList = false
    var others = Set<Shape>()
    for shape in shapes {
      if case .list(let members) = shape { (isList, lists) = (true, lists + members) } else { others.insert(shape) }
    }
    if isList { return others.isEmpty ? .list(Array(Set(lists))) : .json }
    switch others.count {
    case 0: return nil
    case 1: return others.first
    default: break
    }
    // JavaScript writes 1.0 as 1.
    if others == [.integer, .real] { return .real }
    return others.isSubset(of: [.text, .date, .uuid]) ? .text : .json
  }

  private mutating func shape(of value: RealmExport.Value) -> Shape {
    switch value {
    case .object(let node):
      if RealmValues.decimal(objects.export.nodes[node]) != nil { return .decimal }
      return objects.object(of: node).map { .link($0.className) } ?? .json
    case .list(let members): return .list(Array(Set(members.map { shape(of: $0) })))
    case .scalar(let value):
      switch value {
      case .bool: return .bool
      case .integer: return .integer
      case .real: return .real
      case .string(let text):
        if RealmValues.date(text) != nil { return .date }
        return UUID(uuidString: text) == nil ? .text : .uuid
      default: return .json
      }
    }
  }
}

/// The decoding of values that JSON lacks and that Realm Studio writes as text.
enum RealmValues {
  /// A time as JavaScript's `toISOString` writes it.
  static func date(_ text: String) -> Date? {
    guard text.utf8.count == 24, text.hasSuffix("Z") else { return nil }
    return try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
  }

  static func decimal(_ fields: [String: RealmExport.Value]) -> Decimal? {
    guard fields.count == 1, case .scalar(.string(let text))? = fields["$numberDecimal"] else { return nil }
    return Decimal(string: text)
  }
}
