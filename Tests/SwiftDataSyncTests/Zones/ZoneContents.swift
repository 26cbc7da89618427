#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

@testable import SwiftDataSync

/// What a node's store has, as texts that are equal on equal replicas.
struct ZoneContents {
  private(set) var objects: [String: [String]] = [:]
  private(set) var marks: [UUID: UUID?] = [:]
  private(set) var halves: [String: Int] = [:]

  /// - Parameter zone: the zone whose objects to look at; nil is all. References to others are left out.
  init(_ node: ZoneNode, of zone: ZoneName? = nil) throws {
    let context = ModelContext(node.container)
    for half in try context.fetch(FetchDescriptor<SimHalf>()) { halves[half.side] = half.value }
    for mark in try context.fetch(FetchDescriptor<SimMark>()) { marks[mark.id] = mark.after }
    for entity in node.replica.user.entities.values {
      let identifiers = try ModelCells.identifiers(of: entity, in: context)
      let found = try ModelCells.objects(identifiers, in: context)
      func name(_ object: any PersistentModel) throws -> String? {
        let text = UserStore.text(object.persistentModelID)
        guard let key = try node.replica.store.keys(of: [text])[0] else { return "unnamed \(text)" }
        return zone == nil || key.zone == zone ? "\(key.zone.text)/\(key.name)" : nil
      }
      for (_, object) in found {
        guard let own = try name(object) else { continue }
        var lines: [String] = []
        for property in entity.properties where property.isStored || property.isToMany {
          if property.isAttribute {
            lines.append("\(property.name) = \(try ModelCells.cell(of: object, property))")
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
  func differences(from other: ZoneContents) -> [String] {
    Set(objects.keys).union(other.objects.keys).sorted().compactMap { key in
      guard let own = objects[key] else { return "\(key) is missing here" }
      guard let theirs = other.objects[key] else { return "\(key) is missing there" }
      guard own != theirs else { return nil }
      let lines = zip(own, theirs).filter { $0 != $1 }.map { "\($0) / \($1)" }
      return "\(key): \(lines.joined(separator: "; "))"
    }
  }
}

extension ZoneReplica {
  /// All records that the replica shows.
  var states: ZoneStates {
    get throws {
      var states = ZoneStates()
      for zone in zones {
        states[zone] = ZoneState()
        for (name, record) in try store.records(of: zone, after: nil, limit: .max) {
          states[zone].records[name] = record.registers
        }
      }
      for (key, registers) in shown.changes { states[key.zone].records[key.name] = registers }
      return states
    }
  }

  /// The records of the log of a zone.
  func state(of zone: ZoneName) throws -> ZoneState {
    let records = try store.records(of: zone, after: nil, limit: .max).compactMap { name, record in
      record.registers.map { (name, $0) }
    }
    return ZoneState(Dictionary(uniqueKeysWithValues: records))
  }

  /// The whole view of what the replica shows.
  var view: View { get throws { View(try states, models) } }

  /// The objects of all rows.
  func shownRows() throws -> [RecordKey: String] {
    var rows: [RecordKey: String] = [:]
    for zone in store.allZones {
      for (name, record) in try store.records(of: zone, after: nil, limit: .max) {
        rows[RecordKey(zone, name)] = record.object
      }
    }
    return rows
  }
}

extension ZoneNode {
  /// Whether an object cannot have a value.
  private func isStrange(
    _ value: RegisterValue, of key: RecordKey, _ property: __Property, _ object: any PersistentModel
  ) -> Bool {
    switch value {
    case .asset: return false
    // No attribute holds a reference, and a date turns a whole number and a zero below zero into another number.
    case .reference, .integer, .real(bits: 0x8000_0000_0000_0000): return true
    case .real(let bits) where Double(bitPattern: bits).isNaN: return true
    case .null, .real, .text, .data, .sealed: break
    }
    guard let cell = try? replica.cell(value, of: key, property) else { return true }
    return (try? ModelCells.fits(cell, property, of: object)) != true
  }

  /// Where the replica's own store does not show its view.
  func unshown() throws -> [String] {
    let (view, context) = (try replica.view, ModelContext(container))
    let rows = replica.rows
    var problems: [String] = []
    for (key, row) in view.groups.row where try replica.shown.row(showing: key) != row {
      problems.append("\(key) is shown by another row than in the whole view")
    }
    var shown = try replica.shownRows()
    func names(_ keys: [RecordKey]) -> String { keys.map { "\($0.zone.text)/\($0.name)" }.joined(separator: " ") }
    for (key, row) in view.rows {
      guard let entity = replica.user.entities[row.entity.text] else { continue }
      guard let text = shown.removeValue(forKey: key), let identifier = replica.user.identifier(text),
        let object = try ModelCells.objects([identifier], in: context)[identifier]
      else {
        // A forger makes people without an address, which become no objects.
        if try row.entity != "SimPerson" || rows.write(view.models["SimPerson", "email"]!, of: key) != nil {
          problems.append("\(row.entity) \(names([key])) has no object")
        }
        continue
      }
      for property in entity.properties where property.isStored || property.isToMany {
        guard let model = view.models[row.entity, ExactText(property.name)] else { continue }
        if property.isAttribute {
          guard let known = try rows.write(model, of: key)?.value else { continue }
          let actual = try RegisterValue(ModelCells.cell(of: object, property)) { _, _ in }
          // A participant may write what the program has no value for.
          if actual.isSame(as: known) || isStrange(known, of: key, property, object) { continue }
          problems.append("\(row.entity) \(names([key])).\(property.name) is \(actual), not \(known)")
          continue
        }
        let value = row.values[model.name]
        // A person without an address has no object.
        let known = try (value?.target.map { [$0] } ?? value?.targets ?? []).filter {
          try replica.store.object(of: $0) != nil || view.rows[$0]?.entity != "SimPerson"
        }
        let targets = try ModelCells.targets(of: object, property).map { UserStore.text($0.persistentModelID) }
        let actual = try replica.store.keys(of: targets)
        if actual != known.map(Optional.some) {
          let found = actual.map { $0.map { names([$0]) } ?? "unnamed" }.joined(separator: " ")
          problems.append("\(row.entity) \(names([key])).\(property.name) is \(found), not \(names(known))")
        }
      }
    }
    for (key, text) in shown { problems.append("\(text) shows \(names([key])), which is no row") }
    for entity in replica.user.entities.values {
      for identifier in try ModelCells.identifiers(of: entity, in: context) {
        let text = UserStore.text(identifier)
        if try replica.store.keys(of: [text])[0] == nil { problems.append("\(text) has no record") }
      }
    }
    return problems.map { "replica \(index): \($0)" }
  }
}
#endif
