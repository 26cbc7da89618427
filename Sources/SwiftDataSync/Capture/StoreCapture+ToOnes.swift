#if Sync
import SwiftData
import SyncCore
import SyncProtocol

// To-ones: the side that stores the reference, and the side that does not.

extension StoreCapture {
  func captureReference(
    of object: any PersistentModel, _ key: RecordKey, _ property: __Property, _ model: SyncModels.Property
  ) throws {
    let target = try ModelCells.targets(of: object, property).first
    let targetKey = try target.map(self.key)
    let shown = try view.value(model, of: key)?.target
    let written = try changes[key]?.fields[model.wire] ?? view.write(model, of: key)
    if targetKey == nil {
      // The deletion of the target says it already.
      if let shown, deleted.contains(shown), !model.isOwnedByTarget { return }
      guard written?.value.reference != nil else { return }
    } else if changes[key]?.fields[model.wire] == nil, shown == targetKey {
      if changed.isRepeated(object.persistentModelID, property.name) { try noteInverse(of: property, at: target) }
      return
    }
    if case .toOne(_, isExclusive: true, _) = model.kind, let shown { released.append((model, shown)) }
    let value = try targetKey.map { RegisterValue.reference(try link(key.zone, $0)) } ?? .null
    try write(key) { $0.fields[model.wire] = Stamped(self.time, value) }
    guard let target, let targetKey, inverse(of: property, at: target) != nil else { return }
    // It comes to the end of its new list, unless the list says otherwise.
    let place = try arrive(at: target, targetKey, property)
    try write(key) { $0.fields[model.placeField] = Stamped(self.time, .text(place)) }
    if try view.registers(of: key) != nil { try noteInverse(of: property, at: target) }
  }

  /// The end of a one-to-one that stores nothing: the other ends are compared.
  func captureHolder(
    of object: any PersistentModel, _ key: RecordKey, _ property: __Property, _ model: SyncModels.Property
  ) throws {
    guard case .inverseToOne(_, let inverse, _) = model.kind else { return }
    var holders = try ModelCells.targets(of: object, property)
    if let former = try view.value(model, of: key)?.target, let former = try self.object(of: former) {
      holders.append(former)
    }
    for holder in holders {
      let entity = type(of: holder).__entity
      let holderKey = try self.key(of: holder)
      // A new one is captured with all that it has.
      guard try view.registers(of: holderKey) != nil, let end = entity.property(named: inverse.text),
        let rule = models[WireName(entity.name), inverse]
      else { continue }
      try captureReference(of: holder, holderKey, end, rule)
    }
  }

  /// The source that lost a target to another one does not get it back when that one gives it up: the program saw it without.
  func releaseLosers() throws {
    for key in deleted {
      for model in try view.entity(of: key).flatMap({ models.classes[$0] }) ?? [] {
        guard case .toOne(_, isExclusive: true, _) = model.kind, let target = try view.value(model, of: key)?.target
        else { continue }
        released.append((model, target))
      }
    }
    for (property, target) in released {
      for loser in try view.losers(of: target, by: property) where !deleted.contains(loser) {
        guard changes[loser]?.fields[property.wire] == nil else { continue }
        try write(loser) { $0.fields[property.wire] = Stamped(self.time, .null) }
      }
    }
  }
}
#endif
