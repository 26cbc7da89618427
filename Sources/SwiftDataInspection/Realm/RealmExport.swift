import Foundation
import SwiftData
import SwiftDataAppleStore

/// The objects in a JSON file that Realm Studio wrote ("Save data, JSON").
///
/// Realm Studio has written three forms. From version 13 on, a file is "flatted": an array whose members name each other by
/// index. Before that, an object contains the objects that it links to. If there are cycles, `$refId` numbers the objects and
/// `$ref` names one that came before.
struct RealmExport {
  indirect enum Value {
    case scalar(PlainValue)
    /// The index of a node.
    case object(Int)
    case list([Value])
  }

  /// The classes that have a list in the file, with the nodes of their objects.
  private(set) var classes: [(name: String, nodes: [Int])] = []
  /// The fields of each object. An object that several others contain can be here several times.
  private(set) var nodes: [[String: Value]] = []
  /// The classes that `$refId` states, by node.
  private(set) var statedClasses: [Int: String] = [:]

  private static let depthLimit = 200
  /// The number of values that may still be read. A hostile file can name one list many times.
  private var budget = 0

  /// - Throws: `SwiftDataError` for a file that is not an export of Realm Studio.
  init(_ file: URL) throws {
    let root: PlainValue
    do {
      root = try JSONCoding.decode(PlainValue.self, from: try Data(contentsOf: file))
    } catch {
      throw SwiftDataError(
        .io, message: "\"\(file.path)\" cannot be read as JSON; name a file that Realm Studio saved as JSON",
        underlying: error)
    }
    do {
      switch root {
      case .array(let members): try readFlatted(members)
      case .dictionary(let members): try readNested(members)
      default: throw Failure(reason: "it holds neither an object nor an array")
      }
    } catch let failure as Failure {
      throw SwiftDataError(
        .io, message: "\"\(file.path)\" is not a JSON export of Realm Studio: \(failure.reason)")
    }
  }

  private struct Failure: Error { let reason: String }

  // MARK: - Flatted

  /// Each object and each text is a member of the outermost array. A text inside a member is the index of another member.
  private mutating func readFlatted(_ members: [PlainValue]) throws {
    guard case .dictionary(let lists)? = members.first else {
      throw Failure(reason: "it does not begin with its classes")
    }
    nodes = Array(repeating: [:], count: members.count)
    // A list belongs to one property, so that no value is read twice.
    budget = members.reduce(1_000) { $0 + 1 + ($1.array?.count ?? $1.dictionary?.count ?? 0) }
    for (index, member) in members.enumerated().dropFirst() {
      guard case .dictionary(let fields) = member else { continue }
      for (name, value) in fields { nodes[index][name] = try flatted(value, members, depth: 0) }
    }
    for (name, list) in lists.sorted(by: { $0.key < $1.key }) {
      guard case .list(let objects) = try flatted(list, members, depth: 0) else {
        throw Failure(reason: "\(name) is not a list of objects")
      }
      classes.append((name, objects.compactMap { if case .object(let node) = $0 { node } else { nil } }))
    }
  }

  private mutating func flatted(_ value: PlainValue, _ members: [PlainValue], depth: Int) throws -> Value {
    budget -= 1
    guard depth < Self.depthLimit, budget >= 0 else { throw Failure(reason: "its lists nest or repeat too much") }
    guard case .string(let text) = value else { return .scalar(value) }
    guard let index = Int(text), members.indices.contains(index) else {
      throw Failure(reason: "it names a member that it does not have")
    }
    switch members[index] {
    case .dictionary: return .object(index)
    case .array(let list): return .list(try list.map { try flatted($0, members, depth: depth + 1) })
    default: return .scalar(members[index])
    }
  }

  // MARK: - Nested

  private mutating func readNested(_ lists: [String: PlainValue]) throws {
    var references = [String: Int]()
    for (name, list) in lists.sorted(by: { $0.key < $1.key }) {
      guard case .array(let objects) = list else { throw Failure(reason: "\(name) is not a list of objects") }
      var found = [Int]()
      for object in objects {
        if case .object(let node) = try nested(object, &references, depth: 0) { found.append(node) }
      }
      classes.append((name, found))
    }
  }

  private mutating func nested(_ value: PlainValue, _ references: inout [String: Int], depth: Int) throws -> Value {
    guard depth < Self.depthLimit else { throw Failure(reason: "its objects nest too much") }
    switch value {
    case .array(let members): return .list(try members.map { try nested($0, &references, depth: depth + 1) })
    case .dictionary(var fields):
      if fields.count == 1, let reference = fields["$ref"]?.string {
        return .object(node(of: reference, &references))
      }
      let reference = fields.removeValue(forKey: "$refId")?.string
      let index: Int
      if let reference {
        index = node(of: reference, &references)
        statedClasses[index] = String(reference.prefix { $0 != "#" })
      } else {
        index = nodes.count
        nodes.append([:])
      }
      var members = [String: Value]()
      for (name, member) in fields { members[name] = try nested(member, &references, depth: depth + 1) }
      nodes[index] = members
      return .object(index)
    default: return .scalar(value)
    }
  }

  private mutating func node(of reference: String, _ references: inout [String: Int]) -> Int {
    if let known = references[reference] { return known }
    references[reference] = nodes.count
    nodes.append([:])
    return nodes.count - 1
  }
}
