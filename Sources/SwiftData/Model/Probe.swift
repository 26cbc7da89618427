import Foundation
import Synchronization

/// Instances of model classes that record which properties are read.
///
/// A key path that the class does not know (from a superclass, from a protocol's requirement, or with several
/// components) is evaluated on several probes with different values. It belongs to a property if it reads that property
/// and returns the property's value each time. This excludes computed properties.
package enum Probe {
  /// The properties that a key path reads: to-one relationships, then the last property.
  package struct Path {
    package let toOnes: [__Property]
    package let property: __Property
    /// Whether the key path continues into the property's value.
    package let goesOn: Bool
  }

  /// The property whose value a key path returns, or nil.
  package static func firstPropertyRead(by keyPath: AnyKeyPath, of entity: __Entity) -> Int? {
    guard let path = path(of: keyPath, from: entity), path.toOnes.isEmpty, !path.goesOn else { return nil }
    return path.property.index
  }

  /// The persisted properties that a key path goes through, or nil if it does not lead to one.
  package static func path(of keyPath: AnyKeyPath, from entity: __Entity) -> Path? {
    session.withLock { held in
      Probe.current = held.session
      defer { Probe.current = nil }
      return held.session.path(of: keyPath, from: entity)
    }
  }

  /// The to-one relationships to the object whose identifier a key path returns, or nil if it does not return one.
  package static func toOnes(toIdentityAt keyPath: AnyKeyPath, from entity: __Entity) -> [__Property]? {
    guard ScalarType.bare(type(of: keyPath).valueType) == PersistentIdentifier.self else { return nil }
    return session.withLock { held in
      Probe.current = held.session
      defer { Probe.current = nil }
      return held.session.toOnes(toIdentityAt: keyPath, from: entity)
    }
  }

  /// The JSON path of a key path's value within its property, or nil if the JSON does not contain that value.
  package static func jsonPath(of keyPath: AnyKeyPath, from entity: __Entity) -> String? {
    session.withLock { held in
      Probe.current = held.session
      defer { Probe.current = nil }
      return JSONPaths.find(held.session.samples(of: keyPath, from: entity))
    }
  }

  /// Records that a property of an object is to be loaded. Returns true if the object is a probe, which this call
  /// serves.
  package static func record(_ object: any PersistentModel, _ index: Int) -> Bool {
    guard object.__state.flags.contains(.probe) else { return false }
    current?.record(object, index)
    return true
  }

  /// Sample cells for an object of a class.
  package static func cells(of entity: __Entity) -> [SQLValue?] {
    entity.properties.map { property in
      guard property.isAttribute, property.isStored else { return nil }
      if let value = property.defaultValue { return ScalarType(of: property).cell(of: value) }
      return property.isOptional ? .null : ProbeSession.cell(of: property, SampleValues(index: 0, round: 2))
    }
  }

  /// An object with sample values and no context, for a key without a row.
  package static func placeholder(of entity: __Entity) -> any PersistentModel {
    do {
      return try entity.type.init(__row: CellsReader(cells(of: entity), entity: entity))
    } catch {
      preconditionFailure("\(entity.name) has no row of the asked key and no value can stand in: \(error)")
    }
  }

  /// Applies a key path to a value. Returns nil if the key path is for another type.
  package static func apply(_ keyPath: AnyKeyPath, to object: Any) -> Any? {
    func open<Root>(_: Root.Type) -> Any? {
      guard let root = object as? Root, let path = keyPath as? PartialKeyPath<Root> else { return nil }
      return root[keyPath: path]
    }
    return _openExistential(type(of: keyPath).rootType, do: open)
  }

  // @unchecked Sendable because it is only accessed under the mutex.
  private struct Held: @unchecked Sendable { let session = ProbeSession() }
  private static let session = Mutex(Held())
  // nonisolated(unsafe) because only the thread that holds the mutex sets it or accesses a probe.
  nonisolated(unsafe) private static var current: ProbeSession?
}

/// The probes made so far and the reads that they record.
private final class ProbeSession {
  /// The probes of one class, one per round, and their cells.
  struct Probes {
    let objects: [any PersistentModel]
    let cells: [[SQLValue?]]
  }

  // MARK: - Mutable State
  // The mutex of `Probe` guards this state.

  /// Probes by class. `.some(nil)` means that the class cannot have probes.
  private var known: [ObjectIdentifier: Probes?] = [:]
  private var reads: [(object: any PersistentModel, index: Int)] = []
  private var round = 0

  // MARK: - Making

  private func probes(of entity: __Entity) -> Probes? {
    if let known = known[ObjectIdentifier(entity)] { return known }
    let probes = Self.make(entity)
    known[ObjectIdentifier(entity)] = .some(probes)
    return probes
  }

  private static func make(_ entity: __Entity) -> Probes? {
    var (objects, cells) = ([any PersistentModel](), [[SQLValue?]]())
    for round in 0..<SampleValues.rounds {
      let row = entity.properties.map { property in
        property.isAttribute && property.isStored
          ? cell(of: property, SampleValues(index: property.index, round: round)) : nil
      }
      guard let object = probe(of: entity, row) else { return nil }
      objects.append(object)
      cells.append(row)
    }
    return Probes(objects: objects, cells: cells)
  }

  private static func probe(of entity: __Entity, _ row: [SQLValue?]) -> (any PersistentModel)? {
    guard let object = try? entity.type.init(__row: CellsReader(row, entity: entity)) else { return nil }
    object.__state.flags.insert(.probe)
    object.__state.unloaded = PropertySet(entity.properties.filter(\.isAttribute).map(\.index))
    for property in entity.properties where !property.isAttribute { refault(object, property) }
    return object
  }

  /// A sample cell, or nil to use the property's default.
  static func cell(of property: __Property, _ samples: SampleValues) -> SQLValue? {
    let type = ScalarType(of: property)
    if type.form == .opaque { return property.isOptional ? .null : nil }
    return samples.value(of: property.valueType).flatMap { type.cell(of: $0) }
  }

  private static func refault(_ object: any PersistentModel, _ property: __Property) {
    _ = object.__relationship(property.index, .fault(property.isToMany ? 0 : 1))
  }

  // MARK: - Reading

  func record(_ object: any PersistentModel, _ index: Int) {
    reads.append((object, index))
    guard let destination = type(of: object).__entity.properties[index].destination?.__entity else { return }
    let isToMany = type(of: object).__entity.properties[index].isToMany
    let chosen = isToMany ? targets(ofClass: destination) : target(ofClass: destination).map { [$0] } ?? []
    _ = object.__relationship(index, .load(chosen, positioned: false))
  }

  /// Two targets of a to-many, in a different order each round.
  private func targets(ofClass entity: __Entity) -> [any PersistentModel] {
    guard let targets = probes(of: entity)?.objects else { return [] }
    return [targets[round], targets[(round + 1) % targets.count]]
  }

  /// The target of a to-one: the probe of the class, or another if the key path went through that one already.
  ///
  /// An object that led to itself would record the first `parent` of `\.parent?.parent?.name` only.
  private func target(ofClass entity: __Entity) -> (any PersistentModel)? {
    guard let probes = probes(of: entity) else { return nil }
    let target = probes.objects[round]
    return reads.contains { $0.object === target } ? Self.probe(of: entity, probes.cells[round]) : target
  }

  func path(of keyPath: AnyKeyPath, from entity: __Entity) -> Probe.Path? {
    guard let probes = probes(of: entity) else { return nil }
    var result: Probe.Path?
    for round in probes.objects.indices {
      let object = probes.objects[round]
      self.round = round
      reads = []
      defer { forget() }
      guard let value = Probe.apply(keyPath, to: object) else { return nil }
      if reads.isEmpty { return round == 0 ? constant(keyPath, entity, probes) : nil }
      guard let path = path(to: value, keyPath), result == nil || Self.agree(result!, path) else { return nil }
      result = path
    }
    return result
  }

  func toOnes(toIdentityAt keyPath: AnyKeyPath, from entity: __Entity) -> [__Property]? {
    // Without a probe it is taken for the object's own.
    guard let object = probes(of: entity)?.objects.first else { return [] }
    round = 0
    reads = []
    defer { forget() }
    guard let value = Probe.apply(keyPath, to: object).flatMap(ScalarType.unwrapped) as? PersistentIdentifier else {
      return nil
    }
    var (toOnes, end) = ([__Property](), object)
    for read in reads {
      let property = type(of: read.object).__entity.properties[read.index]
      guard read.object === end, property.isToOne,
        case .targets(let targets, _) = end.__relationship(read.index, .read), let target = targets.first
      else { return nil }
      toOnes.append(property)
      end = target
    }
    return end.persistentModelID == value ? toOnes : nil
  }

  /// For each round, the JSON of the property that a key path leads to, with the JSON of the key path's value.
  func samples(of keyPath: AnyKeyPath, from entity: __Entity) -> [JSONPaths.Sample?] {
    guard let probes = probes(of: entity) else { return [nil] }
    return probes.objects.indices.map { round in
      self.round = round
      reads = []
      defer { forget() }
      guard let value = Probe.apply(keyPath, to: probes.objects[round]).flatMap(JSONPaths.text), let end = reads.last,
        let cells = known[ObjectIdentifier(type(of: end.object).__entity)]??.cells[round],
        case .text(let json) = cells[end.index]
      else { return nil }
      return JSONPaths.Sample(json: json, value: value)
    }
  }

  private func forget() {
    for (object, index) in reads {
      let property = type(of: object).__entity.properties[index]
      if !property.isAttribute { Self.refault(object, property) }
    }
    reads = []
  }

  private static func agree(_ one: Probe.Path, _ other: Probe.Path) -> Bool {
    one.property === other.property && one.goesOn == other.goesOn && one.toOnes.elementsEqual(other.toOnes, by: ===)
  }

  /// The path of the recorded reads, if `value` is the value at its end.
  private func path(to value: Any, _ keyPath: AnyKeyPath) -> Probe.Path? {
    var toOnes = [__Property]()
    for (position, read) in reads.enumerated() {
      let entity = type(of: read.object).__entity
      let property = entity.properties[read.index]
      if position == reads.count - 1 {
        guard let end = end(read.object, property, value, keyPath, isDirect: toOnes.isEmpty) else { return nil }
        return Probe.Path(toOnes: toOnes, property: property, goesOn: end)
      }
      guard property.isToOne, case .targets(let targets, _) = read.object.__relationship(read.index, .read),
        targets.first === reads[position + 1].object
      else { return nil }
      toOnes.append(property)
    }
    return nil
  }

  /// Whether a key path that ends at a property continues into its value, or nil if it returns another value.
  private func end(
    _ object: any PersistentModel,
    _ property: __Property,
    _ value: Any,
    _ keyPath: AnyKeyPath,
    isDirect: Bool
  ) -> Bool? {
    let valueType = type(of: keyPath).valueType
    let isSameType =
      isDirect ? valueType == property.valueType : ScalarType.bare(valueType) == ScalarType.bare(property.valueType)
    if isSameType, returns(value, property, of: object) { return false }
    // A key path into the value prints its type first: `\Trip.<computed (Address)>.city`.
    let text = "\(keyPath)"
    let component = "(\(property.valueType))>"
    return text.contains(component + ".") || text.contains(component + "?") ? true : nil
  }

  private func returns(_ value: Any, _ property: __Property, of object: any PersistentModel) -> Bool {
    if property.isAttribute {
      let cells = known[ObjectIdentifier(type(of: object).__entity)]??.cells[round]
      guard let cell = cells?[property.index] else { return true }
      return ScalarType(of: property).cell(of: value) == cell
    }
    guard case .targets(let targets, _) = object.__relationship(property.index, .read) else { return false }
    let returned =
      (ScalarType.unwrapped(value) as? [any PersistentModel])
      ?? [ScalarType.unwrapped(value) as? any PersistentModel].compactMap { $0 }
    return targets.elementsEqual(returned) { $0 === $1 }
  }

  /// The `let` property whose value a key path returns in every round. Reading a `let` records nothing.
  private func constant(_ keyPath: AnyKeyPath, _ entity: __Entity, _ probes: Probes) -> Probe.Path? {
    let valueType = type(of: keyPath).valueType
    let found = entity.properties.first { property in
      guard property.isAttribute, property.isConstant, property.valueType == valueType else { return false }
      return probes.objects.indices.allSatisfy { round in
        guard let value = Probe.apply(keyPath, to: probes.objects[round]),
          let cell = probes.cells[round][property.index]
        else { return false }
        return ScalarType(of: property).cell(of: value) == cell
      }
    }
    return found.map { Probe.Path(toOnes: [], property: $0, goesOn: false) }
  }
}
