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
    var classes: [WireName: [Property]] = [:]
    var superclasses: [WireName: WireName] = [:]
    var unique = Set<UniqueSet>()
    for entity in schema.entities.values {
      let name = WireName(entity.name)
      superclasses[name] = entity.superentity.map { WireName($0) }
      classes[name] = entity.properties.values.sorted { $0.name < $1.name }.compactMap { Self.property($0, entity) }
      for set in entity.unique {
        unique.insert(UniqueSet(WireName(set.entity), set.properties.map { entity.wire(of: $0) }))
      }
    }
    self.init(
      classes, superclasses: superclasses,
      unique: unique.sorted { ($0.entity, $0.properties.description) < ($1.entity, $1.properties.description) })
  }

  private static func property(_ rule: SyncSchema.Property, _ entity: SyncSchema.Entity) -> Property? {
    guard !rule.isPersonal else { return nil }
    let target = WireName(rule.destination)
    let inverse = ExactText(rule.inverse ?? "")
    let kind: Property.Kind =
      switch rule.kind {
      case .attribute: .attribute(isUnique: false)
      case .reference: .toOne(target, isExclusive: rule.isExclusive)
      case .derivedReference: .holder(target, inverse: inverse, isCascade: rule.cascades)
      case .members: .members(target, isCascade: rule.cascades)
      case .derivedFromReference: .list(target, inverse: inverse, isCascade: rule.cascades)
      case .derivedFromMembers: .memberOf(target, inverse: inverse, isCascade: rule.cascades)
      }
    return Property(
      ExactText(rule.name), kind, wire: entity.wire(of: rule.name),
      ownsTarget: rule.kind == .reference && rule.cascades)
  }

  /// What the rows of a store depend on.
  var fingerprint: String {
    let lines = classes.sorted { $0.key < $1.key }.map { name, properties in
      let sets = uniqueSets(of: name).map { "\($0.entity):\($0.properties)" }
      return "\(name)\(properties.map { "\($0.name)=\($0.wire) \($0.kind) \($0.ownsTarget)" })\(sets)"
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
