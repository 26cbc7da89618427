import Crypto
import Foundation
import SwiftData
import Testing

@testable import SwiftDataAppleStore

@Suite(
  "Real stores of Apple's frameworks",
  .enabled(if: Packs.isThere, "needs ../shared/data/apple-stores: real stores are no part of the repository"))
struct PackTests {
  @Test("has the entities, columns and relationships that were expected", arguments: Packs.stores)
  func structure(_ store: Packs.Store) throws {
    let expected = try #require(Packs.expectations(store.pack)?[store.file])
    let file = try AppleFile(store.url)
    #expect(file.columns.missing == [])
    for (name, entity) in expected["entities"] as? [String: [String: Any]] ?? [:] {
      #expect(file.numbers[name] == (entity["z_ent"] as? Int).map(Int64.init))
      #expect(file.columns.table(of: name) == entity["table"] as? String)
      for (attribute, description) in entity["columns"] as? [String: [String: Any]] ?? [:] {
        let columns = Set(file.columns.storage(attribute, of: name).columns)
        #expect(columns == Set(Self.names(in: description["column"])), "\(name).\(attribute)")
      }
      for (relationship, description) in entity["relationships"] as? [String: [String: Any]] ?? [:] {
        let storage = (description["storage"] as? [Any])?.map { $0 as? String }
        #expect(Self.text(file.columns.link(relationship, of: name)) == storage, "\(name).\(relationship)")
      }
    }
  }

  private static func names(in column: Any?) -> [String] {
    switch column {
    case let name as String: [name]
    case let members as [String: Any]: members.values.flatMap(names)
    default: []
    }
  }

  private static func text(_ link: AppleColumns.Link) -> [String?]? {
    switch link {
    case .toOne(let column, _): ["col", column]
    case .column(let table, let column, _, let position, _): ["fk", table, column, position]
    case .join(let table, let owner, let target, let position): ["join", table, owner, target, position]
    case .none: nil
    }
  }

  @Test("has the rows that were expected", arguments: Packs.stores)
  func rows(_ store: Packs.Store) throws {
    let expected = try #require(Packs.expectations(store.pack)?[store.file])
    let file = try AppleFile(store.url)
    let model = try file.naturalModel()
    let mapping = model.mapping(of: file)
    file.use(mapping)
    if let counts = expected["counts"] as? [String: Int] {
      for (name, count) in counts { try #expect(self.count(name, file, model) == count) }
    }
    for (name, entity) in expected["entities"] as? [String: [String: Any]] ?? [:] {
      try #expect(count(name, file, model) == entity["count"] as? Int ?? 0, "\(name)")
    }
    for (name, rows) in expected["rows"] as? [String: [[String: Any]]] ?? [:] {
      let member = try #require(model.class(named: name))
      for row in rows { try check(row, of: member, model, file) }
    }
    if let history = expected["history"] as? [String: Any] {
      let count = try file.rows("SELECT count(*) FROM main.ATRANSACTION")[0][0]
      #expect(count == .integer(Int64(try #require(history["transactions"] as? Int))))
    }
  }

  private func count(_ name: String, _ file: AppleFile, _ model: NaturalModel) throws -> Int {
    let root = model.root(of: name)
    let condition = model.family(of: root).count > 1 ? " WHERE _entity = \(name.quotedLiteral)" : ""
    let rows = try file.rows("SELECT count(*) FROM \(name: TableNames.table(ofClass: root))\(condition)")
    guard case .integer(let count) = rows[0][0] else { return -1 }
    return Int(count)
  }

  private func check(_ row: [String: Any], of member: NaturalClass, _ model: NaturalModel, _ file: AppleFile) throws {
    let key = try #require(row["pk"] as? Int)
    let properties = model.all(of: member)
    let stored = properties.filter { !$0.isToMany }
    let list = stored.map { model.column(of: $0, in: member).quotedIdentifier }.joined(separator: ", ")
    let cells = try #require(
      try file.rows(
        "SELECT _pk\(list.isEmpty ? "" : ", " + list) FROM \(name: TableNames.table(ofClass: model.root(of: member.name))) WHERE _pk = \(key)"
      ).first)
    let attributes = row["attributes"] as? [String: Any] ?? [:]
    for (property, cell) in zip(stored, cells.dropFirst()) {
      let place = Comment(rawValue: "\(member.name).\(property.name) of \(key)")
      if case .toOne = property.kind {
        let target = (row["toOne"] as? [String: Any])?[property.originalName] as? Int
        #expect(cell == target.map { .integer(Int64($0)) } ?? .null, place)
      } else if let value = attributes[property.originalName] {
        #expect(Expectation(value).agrees(cell, property), place)
      }
    }
    for property in properties where property.isToMany {
      guard let value = (row["toMany"] as? [String: Any])?[property.originalName] else { continue }
      let targets = try self.targets(of: property, in: member, key, model, file)
      let isOrdered = property.relationship?.isOrdered == true
      let place = Comment(rawValue: "\(member.name).\(property.name) of \(key)")
      if let expected = value as? [Int] {
        #expect(isOrdered ? targets == expected : targets.sorted() == expected.sorted(), place)
      } else if let summary = value as? [String: Any] {
        #expect(targets.count == summary["count"] as? Int, place)
      }
    }
  }

  private func targets(
    of property: NaturalProperty, in member: NaturalClass, _ key: Int, _ model: NaturalModel, _ file: AppleFile
  ) throws -> [Int] {
    let statement: SQLFragment
    if let (name, isForward) = model.pairTable(of: property, in: member) {
      let (own, other) = isForward ? ("source", "target") : ("target", "source")
      statement = "SELECT \(other) FROM \(name: name) WHERE \(own) = \(key) ORDER BY \(own)_position, \(other)"
    } else {
      let relationship = try #require(property.relationship)
      let inverse = try #require(model.inverse(of: relationship))
      let target = try #require(model.class(named: relationship.destination))
      let column = model.column(of: inverse, in: target)
      let table = TableNames.table(ofClass: model.root(of: relationship.destination))
      statement =
        "SELECT _pk FROM \(name: table) WHERE \(name: column) = \(key) ORDER BY \(name: TableNames.position(of: column)), _pk"
    }
    return try file.rows(statement).compactMap { if case .integer(let key) = $0[0] { Int(key) } else { nil } }
  }
}

/// A value as an expectation has it.
struct Expectation {
  private let value: Any

  init(_ value: Any) { self.value = value }

  /// Whether a cell of our layout has the value.
  func agrees(_ cell: SQLValue, _ property: NaturalProperty) -> Bool {
    if value is NSNull { return cell == .null }
    switch property.kind {
    case .structure, .cases: return agreesComposite(cell, property.attribute)
    case .json where property.attribute?.type == .composite: return agreesComposite(cell, property.attribute)
    case .array, .json: return agreesArchive(cell)
    case .value: break
    case .toOne, .toMany: return false
    }
    // An enum by its raw value is a composite of one element.
    if property.attribute?.type == .composite, let members = value as? [String: Any], let raw = members.values.first {
      return Expectation(raw).agrees(cell, property)
    }
    switch cell {
    case .integer(let stored): return (value as? NSNumber)?.int64Value == stored || seconds == Double(stored)
    case .real(let stored): return (value as? NSNumber)?.doubleValue == stored || seconds == stored
    case .text(let text):
      if let decimal = (value as? [String: Any])?["decimal"] as? String {
        return Decimal(string: decimal) == Decimal(string: text)
      }
      return value as? String == text
    case .blob(let data):
      if let text = value as? String { return data.count == 16 && Self.uuid(data) == text }
      return agrees(data)
    case .null: return false
    }
  }

  private var seconds: Double? { ((value as? [String: Any])?["sinceReferenceDate"] as? NSNumber)?.doubleValue }

  private static func uuid(_ data: Data) -> String {
    data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString
  }

  private func agrees(_ data: Data) -> Bool {
    guard let bytes = value as? [String: Any], bytes["bytes"] as? Int == data.count else { return false }
    let digest = SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
    return bytes["sha256"] as? String == String(digest.prefix(16))
  }

  private func agreesArchive(_ cell: SQLValue) -> Bool {
    guard case .text(let text) = cell, let bytes = value as? [String: Any] else { return false }
    guard let json = bytes["rootData"] as? String else { return true }
    return text == json
  }

  private func agreesComposite(_ cell: SQLValue, _ attribute: AppleAttribute?) -> Bool {
    guard let attribute else { return false }
    guard let expected = Self.json(value, attribute) else { return cell == .null }
    guard case .text(let text) = cell,
      let stored = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    else { return false }
    return Self.agrees(expected, stored)
  }

  /// Bytes that are not JSON agree with everything, because the expectation has only their hash.
  private static func agrees(_ expected: Any, _ stored: Any) -> Bool {
    if expected is Unknown { return true }
    guard let members = expected as? [String: Any] else { return NSArray(object: expected).isEqual(to: [stored]) }
    guard let known = stored as? [String: Any], Set(known.keys) == Set(members.keys) else { return false }
    return members.allSatisfy { name, member in known[name].map { agrees(member, $0) } ?? false }
  }

  private struct Unknown {}

  /// The JSON that Swift makes of a composite, or nil if all its columns are empty. A struct has a member for each filled
  /// column. An enum has its case with the associated values.
  private static func json(_ value: Any, _ attribute: AppleAttribute) -> Any? {
    if value is NSNull { return nil }
    guard attribute.type == .composite, attribute.rawValue == nil, let members = value as? [String: Any] else {
      guard let object = value as? [String: Any] else { return value }
      if attribute.rawValue != nil, object.count == 1 { return object.values.first.flatMap { $0 is NSNull ? nil : $0 } }
      if let seconds = object["sinceReferenceDate"] { return seconds }
      return object["json"].flatMap { $0 is String ? nil : $0 } ?? Unknown()
    }
    var result = [String: Any]()
    for element in attribute.elements {
      guard let member = members[element.name].flatMap({ json($0, element) }) else { continue }
      result[element.name] = attribute.isPlainCase(element) ? [String: Any]() : member
    }
    return result.isEmpty ? nil : result
  }
}
