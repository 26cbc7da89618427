#if Sync
import Foundation
import SwiftData
import SyncProtocol

@testable import SwiftDataSync

/// What a node's store has, as texts that are equal on equal replicas.
struct SimulatedContents {
  private(set) var objects: [String: [String]] = [:]
  private(set) var marks: [UUID: UUID?] = [:]
  private(set) var halves: [String: Int] = [:]

  /// - Parameter records: the records to look at; nil is all. References to others are left out.
  init(_ node: SimulatedNode, of records: Set<RecordName>? = nil) throws {
    let context = ModelContext(node.container)
    let ledger = node.replica.ledger
    for half in try context.fetch(FetchDescriptor<SimHalf>()) { halves[half.side] = half.value }
    for mark in try context.fetch(FetchDescriptor<SimMark>()) { marks[mark.id] = mark.after }
    for entity in node.replica.user.entities.values {
      let identifiers = try ModelCells.identifiers(of: entity, in: context)
      let found = try ModelCells.objects(identifiers, in: context)
      func name(_ object: any PersistentModel) throws -> String? {
        let text = UserStore.text(object.persistentModelID)
        guard let name = try ledger.names(of: [text])[0] else { return "unnamed \(text)" }
        return records?.contains(name) ?? true ? name.text : nil
      }
      for (_, object) in found {
        guard let own = try name(object) else { continue }
        var lines: [String] = []
        for property in entity.properties where property.isStored || property.isToMany {
          if property.isAttribute {
            lines.append("\(property.name) = \(try UserStore.value(of: object, property))")
          } else {
            let targets = try ModelCells.targets(of: object, property).compactMap(name)
            lines.append("\(property.name) -> \(targets.joined(separator: ", "))")
          }
        }
        objects["\(entity.name) \(own)"] = lines
      }
    }
  }

  /// What is not the same in two stores.
  func differences(from other: SimulatedContents) -> [String] {
    Set(objects.keys).union(other.objects.keys).sorted().compactMap { key in
      guard let own = objects[key] else { return "\(key) is missing here" }
      guard let theirs = other.objects[key] else { return "\(key) is missing there" }
      guard own != theirs else { return nil }
      let lines = zip(own, theirs).filter { $0 != $1 }.map { "\($0) / \($1)" }
      return "\(key): \(lines.joined(separator: "; "))"
    }
  }
}
#endif
