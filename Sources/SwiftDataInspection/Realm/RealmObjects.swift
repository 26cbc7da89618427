import Foundation
import SwiftData
import SwiftDataAppleStore

/// Finds out which objects of an export are the same.
///
/// Realm Studio writes an object once in the list of its class and again inside each object that links to it, without its
/// class. An inner object is the one of a list whose property names and plain values are the same.
struct RealmObjects {
  /// An object of a class. The key is its place in the list, from 1.
  struct Object: Hashable {
    let className: String
    let key: Int64
  }

  let export: RealmExport
  /// The objects of the lists by their nodes.
  private var known: [Int: Object] = [:]
  /// The objects with the same property names and plain values.
  private var equals: [String: [Object]] = [:]
  /// The number of links to one of several identical objects.
  private(set) var ambiguousLinks = 0

  init(_ export: RealmExport) {
    self.export = export
    for (name, nodes) in export.classes {
      for (index, node) in nodes.enumerated() where known[node] == nil {
        let object = Object(className: name, key: Int64(index + 1))
        known[node] = object
        equals[signature(of: node), default: []].append(object)
      }
    }
  }

  /// The object of a list that a node stands for. Nil for an embedded object.
  mutating func object(of node: Int) -> Object? {
    if let object = known[node] { return object }
    var candidates = equals[signature(of: node)] ?? []
    if let name = export.statedClasses[node] { candidates = candidates.filter { $0.className == name } }
    guard let first = candidates.first else { return nil }
    if candidates.count > 1 { ambiguousLinks += 1 }
    known[node] = first
    return first
  }

  /// The names of all properties, and the values of those without links.
  private func signature(of node: Int) -> String {
    let fields = export.nodes[node].sorted { $0.key < $1.key }
    return fields.map { "\($0.key.debugDescription)\(plain($0.value).map { "=\($0)" } ?? "")" }.joined(separator: ",")
  }

  private func plain(_ value: RealmExport.Value) -> String? {
    switch value {
    case .scalar(let value): return "\(value)"
    case .object: return nil
    case .list(let members):
      let plain = members.compactMap(plain)
      return plain.count == members.count ? "[\(plain.joined(separator: ","))]" : nil
    }
  }
}
