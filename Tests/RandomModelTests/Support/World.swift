import SwiftData

/// An object without its class: what is compared across versions.
struct Object: Equatable, Sendable {
  let kind: String
  let serial: Int
  var values: [String: Value]

  /// - Precondition: the class of the object has the property. The generator sees to it.
  subscript(name: String) -> Value { values[name]! }

  /// The only object whose list contains this one.
  func owner(_ kind: String, _ list: String, in world: World) throws -> Value {
    let owners = world.objects.values.filter { other in
      guard other.kind == kind, case .objects(let serials)? = other.values[list] else { return false }
      return serials.contains(serial)
    }
    guard owners.count <= 1 else { throw Refused("an object is in more than one list") }
    return owners.first.map { .object($0.serial) } ?? .null
  }
}

extension Value {
  /// The objects of a relationship whose target is a subclass from now on.
  func narrowed(to kinds: [String], in world: World) throws -> Value {
    let serials: [Int] =
      switch self {
      case .object(let serial): [serial]
      case .objects(let serials): serials
      default: []
      }
    for serial in serials where !kinds.contains(world.objects[serial]?.kind ?? "") {
      throw Refused("the relationship has an object that is none of \(kinds)")
    }
    return self
  }
}

/// All objects of a store, by serial number.
struct World: Equatable, Sendable {
  var objects: [Int: Object] = [:]

  init(_ objects: [Object] = []) { for object in objects { self.objects[object.serial] = object } }

  /// Reads the objects of all classes.
  init(_ context: ModelContext, _ kinds: [any AnyKind]) throws {
    for kind in kinds {
      for model in try kind.models(in: context) {
        let object = kind.read(model)
        objects[object.serial] = object
      }
    }
  }

  /// The differences from what it should be, at most five.
  func differences(from expected: World) -> [String] {
    var result = [String]()
    for serial in Set(objects.keys).union(expected.objects.keys).sorted() {
      let (got, wanted) = (objects[serial], expected.objects[serial])
      if got?.kind != wanted?.kind {
        result.append("object \(serial) is \(got?.kind ?? "missing"), expected \(wanted?.kind ?? "none")")
        continue
      }
      let names = Set(got?.values.keys.map { $0 } ?? []).union(wanted?.values.keys.map { $0 } ?? [])
      for name in names.sorted() where got?.values[name] != wanted?.values[name] {
        let (value, other) = (got?.values[name], wanted?.values[name])
        result.append("\(got?.kind ?? "") \(serial).\(name) is \(text(value)), expected \(text(other))")
      }
    }
    return Array(result.prefix(5))
  }

  private func text(_ value: Value?) -> String { value.map { "\($0)" } ?? "missing" }

  /// - Throws: ``Refused`` if two objects share the values of a set of unique properties.
  func requireUniqueness(_ kinds: [any AnyKind]) throws {
    for kind in kinds where !kind.uniques.isEmpty {
      let members = objects.values.filter { kinds.is($0.kind, kind.name) }
      for names in kind.uniques {
        let tuples = members.map { object in names.map { object[$0] } }
        if Set(tuples).count < tuples.count { throw Refused("two \(kind.name) share \(names)") }
      }
    }
  }
}

extension [any AnyKind] {
  func kind(named name: String) -> (any AnyKind)? { first { $0.name == name } }

  /// Whether a class is another one or inherits from it.
  func `is`(_ name: String, _ ancestor: String) -> Bool {
    var current: String? = name
    while let name = current {
      if name == ancestor { return true }
      current = kind(named: name)?.superclass
    }
    return false
  }
}

/// A version of random models.
protocol RandomVersion: VersionedSchema {
  static var kinds: [any AnyKind] { get }
}

extension RandomVersion {
  static var models: [any PersistentModel.Type] { kinds.map(\.type) }
}

/// A version that stores have, a version that opens them, and what the change means.
struct Pair {
  typealias Change = @Sendable (_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]?

  let name: String
  let old: any RandomVersion.Type
  let new: any RandomVersion.Type
  /// What becomes of an object: its values in the new version, or nil if the object goes.
  let change: Change
  /// The new names of classes whose name changes.
  var renamedClasses: [String: String] = [:]
  /// Why PostgreSQL refuses the change while SQLite makes it.
  var refusedOnPostgres: String?
  /// What becomes of an object when the old version opens a store that the new one migrated, and when the new one opens it again then.
  /// Nil if a version lacks a class of the other.
  var back: Change?
  var again: Change?
  /// The properties of the new version that others take over when the old version opens the store, as `Class.property`.
  var taken: Set<String> = []
  /// Whether the new version has no class of the old one under its name.
  var replacesAllClasses: Bool { Set(old.kinds.map(\.name)).isDisjoint(with: new.kinds.map(\.name)) }

  /// All objects after the change, by plain Swift alone.
  func migrated(_ world: World, isPlanned: Bool) throws -> World {
    var result = World()
    for object in world.objects.values {
      guard let values = try change(object, world, isPlanned) else { continue }
      let kind = renamedClasses[object.kind] ?? object.kind
      result.objects[object.serial] = Object(kind: kind, serial: object.serial, values: values)
    }
    try result.requireUniqueness(new.kinds)
    return result.arranged(new.kinds)
  }

  /// - Throws: an error that the change of an unchanged value cannot have.
  static func unknown(_ object: Object) -> any Error { Refused("the generator knows no class \(object.kind)") }
}

extension World {
  /// The lists whose order the program did not set, sorted.
  func arranged(_ kinds: [any AnyKind]) -> World {
    var result = self
    for (serial, object) in objects {
      for name in kinds.kind(named: object.kind)?.unorderedLists ?? [] {
        if case .objects(let serials)? = object.values[name] {
          result.objects[serial]?.values[name] = .objects(serials.sorted())
        }
      }
    }
    return result
  }
}
