#if Sync
import Foundation
import SwiftData
import SyncProtocol

@testable import SwiftDataSync

extension SimulatedNode {
  /// Whether the program saved what the replica did not look at.
  var hasUnseenSaves: Bool {
    get throws {
      try replica.isScanning || replica.user.newestTransaction() != replica.ledger.replica.seenTransaction
    }
  }

  /// Where the replica's own store does not show what the replica knows, between two steps; empty where it is about to.
  func unshownNow() throws -> [String] {
    try hasUnseenSaves || replica.ledger.replica.recordsToShow != nil ? [] : unshown()
  }

  /// Where the replica's own store does not show what the replica knows.
  func unshown() throws -> [String] {
    let (ledger, context) = (replica.ledger, ModelContext(container))
    var problems: [String] = []
    for (entityName, entity) in replica.user.entities {
      for name in try ledger.records(of: [entityName]) where try ledger.object(of: name) == nil {
        if try replica.view.state(name)?.isAlive == true { problems.append("\(entityName) \(name) has no object") }
      }
      for identifier in try ModelCells.identifiers(of: entity, in: context) {
        let text = UserStore.text(identifier)
        if try ledger.names(of: [text])[0] == nil { problems.append("\(entityName) \(text) has no record") }
      }
      for (name, text) in try ledger.objects(of: entityName) {
        guard let identifier = replica.user.identifier(text),
          let object = try ModelCells.objects([identifier], in: context)[identifier],
          let state = try replica.view.state(name), state.isAlive
        else {
          problems.append("\(entityName) \(name) has no object, or is not alive")
          continue
        }
        for property in entity.properties where property.isStored || property.isToMany {
          guard let (actual, known) = try comparison(of: property, object, name, state), actual != known else {
            continue
          }
          problems.append("\(entityName) \(name).\(property.name) is \(actual), not \(known)")
        }
      }
    }
    return problems.map { "replica \(index): \($0)" }
  }

  /// What the store has and what the replica knows; nil if the property is not to be compared.
  private func comparison(
    of property: __Property, _ object: any PersistentModel, _ name: RecordName, _ state: RecordState
  ) throws -> (actual: String, known: String)? {
    let ledger = replica.ledger
    guard let rule = replica.user.schema[type(of: object).__entity.name]?.properties[property.name] else { return nil }
    let known: [RecordName]
    switch rule.kind {
    case .attribute:
      guard let field = state.fields[property.name] else { return nil }
      return ("\(try UserStore.value(of: object, property))", "\(field.value)")
    case .derivedReference: return nil
    case .reference: known = try replica.view.effectiveTarget(of: name, rule).map { [$0] } ?? []
    case .members, .derivedFromReference, .derivedFromMembers:
      known = try ListView(replica.view, name, rule).members
    }
    let targets = try ModelCells.targets(of: object, property).map { UserStore.text($0.persistentModelID) }
    let names = try ledger.names(of: targets)
    return (
      names.map { $0?.text ?? "unnamed" }.joined(separator: " "),
      try known.filter { try ledger.object(of: $0) != nil }.map(\.text).joined(separator: " ")
    )
  }
}
#endif
