import Foundation
import Synchronization

/// Instances of model classes that note which properties are read.
///
/// A key path that the class does not know (formed on a superclass or on a protocol's requirement, or of several
/// components) is evaluated on several of them, which hold different values. It is a property's where it reads that
/// property and returns the property's value each time; a computed property is told apart by that.
package enum Probe {
  /// What a key path reads: to-one relationships and, at their end, a property.
  package struct Path {
    package let toOnes: [__Property]
    package let property: __Property
    /// Whether the key path goes on into the property's value.
    package let goesOn: Bool
  }

  /// The property whose value a key path returns, or nil where it is none's.
  package static func firstPropertyRead(by keyPath: AnyKeyPath, of entity: __Entity) -> Int? {
    guard let path = path(of: keyPath, from: entity), path.toOnes.isEmpty, !path.goesOn else { return nil }
    return path.property.index
  }

  /// The path that a key path takes along persisted properties, or nil where it takes none.
  package static func path(of keyPath: AnyKeyPath, from entity: __Entity) -> Path? {
    session.withLock { held in
      Probe.current = held.session
      defer { Probe.current = nil }
      return held.session.path(of: keyPath, from: entity)
    }
  }

  /// Where in the JSON of the property that a key path leads to its value stands; nil where it does not stand there as
  /// it is.
  package static func jsonPath(of keyPath: AnyKeyPath, from entity: __Entity) -> String? {
    session.withLock { held in
      Probe.current = held.session
      defer { Probe.current = nil }
      return JSONPaths.find(held.session.samples(of: keyPath, from: entity))
    }
  }

  /// Called when a property of an object is to be loaded. True where the object is a probe, which is served here.
  package static func record(_ object: any PersistentModel, _ index: Int) -> Bool {
    guard object.__state.flags.contains(.probe) else { return false }
    current?.record(object, index)
    return true
  }

  /// Made-up cells for an object of a class.
  package static func cells(of entity: __Entity) -> [SQLValue?] {
    entity.properties.map { property in
      guard property.isAttribute, property.isStored else { return nil }
      if let value = property.defaultValue { return ScalarType(of: property).cell(of: value) }
      return property.isOptional ? .null : ProbeSession.cell(of: property, SampleValues(index: 0, round: 2))
    }
  }

  /// An object with made-up values and no context, for a key that has no row.
  package static func placeholder(of entity: __Entity) -> any PersistentModel {
    do {
      return try entity.type.init(__row: CellsReader(cells(of: entity), entity: entity))
    } catch {
      preconditionFailure("\(entity.name) has no row of the asked key and no value can stand in: \(error)")
    }
  }

  /// What a key path returns for a value; nil where it is not of the value's type.
  package static func apply(_ keyPath: AnyKeyPath, to object: Any) -> Any? {
    func open<Root>(_: Root.Type) -> Any? {
      guard let root = object as? Root, let path = keyPath as? PartialKeyPath<Root> else { return nil }
      return root[keyPath: path]
    }
    return _openExistential(type(of: keyPath).rootType, do: open)
  }

  // @unchecked Sendable because it is only touched under the mutex.
  private struct Held: @unchecked Sendable { let session = ProbeSession() }
  private static let session = Mutex(Held())
  // nonisolated(unsafe) because only the thread that holds the mutex sets it or touches a probe.
  nonisolated(unsafe) private static var current: ProbeSession?
}

/// The probes made so far, and what is read of them.
private final class ProbeSession {
  /// The probes of one class, one for each round, and the cells that they were made from.
  struct Probes {
    let objects: [any PersistentModel]
    let cells: [[SQLValue?]]
  }

  // MARK: - Mutable State
  // Touched only under the mutex of `Probe`.

  /// By class; `.some(nil)` where none can be made.
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
      guard let object = try? entity.type.init(__row: CellsReader(row, entity: entity)) else { return nil }
      object.__state.flags.insert(.probe)
      object.__state.unloaded = PropertySet(entity.properties.filter(\.isAttribute).map(\.index))
      for property in entity.properties where !property.isAttribute { refault(object, property) }
      objects.append(object)
      cells.append(row)
    }
    return Probes(objects: objects, cells: cells)
  }

  /// A sample's cell; nil where there is none, so that the property's default stands in.
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
    let targets = probes(of: destination)?.objects ?? []
    let isToMany = type(of: object).__entity.properties[index].isToMany
    // Two for a to-many, whose order by any value is another in another round.
    let chosen =
      targets.isEmpty ? [] : isToMany ? [targets[round], targets[(round + 1) % targets.count]] : [targets[round]]
    _ = object.__relationship(index, .load(chosen, positioned: false))
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

  /// The JSON of the property that a key path leads to, in each round, with the JSON of what the key path finds in it.
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

  /// The path that the noted reads make, where the value is what stands at its end.
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

  /// Whether a key path that ends at a property goes on into its value; nil where it returns something else.
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
    // A path into the value names its type first: `\Trip.<computed (Address)>.city`.
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

  /// The `let` property whose value a key path returns in every round: reading one leaves no trace.
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
