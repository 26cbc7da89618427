#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

extension SyncModels {
  /// The classes of a program as a view needs them.
  ///
  /// Attributes that only the devices of an account share are not among them: they are in records of their own.
  init(_ schema: SyncSchema) {
    self.init(
      Dictionary(uniqueKeysWithValues: schema.entities.values.map { (WireName($0.name), Self.modelClass($0, schema)) }))
  }

  private static func modelClass(_ entity: SyncSchema.Entity, _ schema: SyncSchema) -> ModelClass {
    let inherited = entity.superentity.flatMap { schema[$0] }?.properties ?? [:]
    let properties = entity.properties.values.filter { inherited[$0.name] == nil && !$0.isPersonal }
    return ModelClass(
      properties.sorted { $0.name < $1.name }.map { property($0, entity) },
      unique: entity.unique.filter { $0.entity == entity.name }.map { $0.properties.map { ExactText($0) } },
      superclass: entity.superentity.map { WireName($0) })
  }

  private static func property(_ rule: SyncSchema.Property, _ entity: SyncSchema.Entity) -> Property {
    let target = WireName(rule.destination)
    let inverse = ExactText(rule.inverse ?? "")
    let kind: Property.Kind =
      switch rule.kind {
      case .attribute: .attribute
      case .reference: .toOne(target, isExclusive: rule.isExclusive, isCascade: rule.cascades)
      case .derivedReference: .inverseToOne(target, inverse: inverse, isCascade: rule.cascades)
      case .members: .members(target, isCascade: rule.cascades)
      case .derivedFromReference: .list(target, inverse: inverse, isCascade: rule.cascades)
      case .derivedFromMembers: .inverseMembers(target, inverse: inverse, isCascade: rule.cascades)
      }
    return Property(ExactText(rule.name), kind, wire: entity.wire(of: rule.name))
  }

  /// A text that changes with the models on which the rows of a store depend.
  var fingerprint: String {
    let lines = classes.sorted { $0.key < $1.key }.map { name, properties in
      "\(name) \(uniqueProperties(of: name)) "
        + properties.map { "\($0.name)=\($0.wire) \($0.kind) \($0.isOwnedByTarget)" }.joined(separator: ";")
    }
    return UserStore.sha256(Data(lines.joined(separator: "\n").utf8))
  }
}

extension SyncSchema.Entity {
  /// The name of a property on the wire: the one that it had in older models.
  func wire(of property: String) -> WireName {
    WireName(renamed.first { $0.value == property }?.key ?? property)
  }
}
#endif
