import Foundation
import SwiftData

/// Random data of a pair: saves it with the old version, opens it with the new one, and checks each law.
struct DataSet {
  let pair: Pair
  let seed: UInt64
  /// The fetches of each class of each version.
  let questions: Int
  private(set) var failures: [String] = []
  private var random: Random

  init(_ pair: Pair, seed: UInt64, questions: Int) {
    (self.pair, self.seed, self.questions) = (pair, seed, questions)
    random = Random(seed: seed)
    random.hasNil = seed % 2 == 0
    random.hasExtremes = seed % 3 != 1
  }

  mutating func run(on type: any TestDatabase.Type) {
    do {
      let database = try type.init()
      let before = try saved(database)
      try reopened(database, before)
      try migrated(database, before)
    } catch {
      failures.append("throws \(error)")
    }
  }

  private mutating func note(_ what: String, _ differences: [String]) {
    if !differences.isEmpty { failures.append("\(what): \(differences.joined(separator: "; "))") }
  }

  // MARK: - Steps

  /// Saves random objects, changes some, and deletes some.
  /// - Returns: what the context has in memory after the last save.
  mutating func saved(_ database: any TestDatabase) throws -> World {
    let kinds = pair.old.kinds
    let context = ModelContext(try database.open(pair.old))
    var objects = newObjects(kinds)
    for object in objects { context.insert(object) }
    connect(objects, kinds)
    try context.save()
    note("after the first save", try World(context, kinds).differences(from: read(objects, kinds)))
    for object in objects where random.chance(30) { kind(of: object, kinds).change(object, &random) }
    for kind in kinds where random.chance(30) {
      let members = objects.filter { kind.isClass(of: $0) }
      guard members.count > 1, let object = members.last else { continue }
      context.delete(object)
      objects.removeAll { $0 === object }
    }
    try context.save()
    return try World(context, kinds)
  }

  /// Reads what was saved in another container.
  private mutating func reopened(_ database: any TestDatabase, _ before: World) throws {
    let kinds = pair.old.kinds
    let context = ModelContext(try database.open(pair.old))
    note("after opening it again", try World(context, kinds).differences(from: before))
    for kind in kinds {
      note("fetch", try kind.disagreements(context, &random, questions: questions))
    }
  }

  /// Opens the store with the new version.
  private mutating func migrated(_ database: any TestDatabase, _ before: World) throws {
    let isPlanned = random.chance(50)
    let expected = Result { try expectedWorld(before, isPlanned, Swift.type(of: database)) }
    let files = try database.files()
    do {
      let container = try database.openNew(pair.old, pair.new, isPlanned: isPlanned)
      switch expected {
      case .failure(let reason): failures.append("the store opens, expected a refusal: \(reason)")
      case .success(let world): try compare(ModelContext(container), world)
      }
    } catch {
      if case .success = expected {
        failures.append("opening with the new version throws \(error)")
        return
      }
      let others = try database.files()
      let changed = Set(files.keys).union(others.keys).filter { files[$0] != others[$0] }
      if !changed.isEmpty { failures.append("the refusal \(error) changes the files \(changed.sorted())") }
      let context = ModelContext(try database.open(pair.old))
      note("after the refusal", try World(context, pair.old.kinds).differences(from: before))
    }
  }

  private func expectedWorld(_ before: World, _ isPlanned: Bool, _ type: any TestDatabase.Type) throws -> World {
    if type.label == PostgresDatabase.label {
      if let reason = pair.refusedOnPostgres { throw Refused(reason) }
      // The namespace belongs to the models of its first program (Documentation/postgres.md).
      if !isPlanned, pair.replacesAllClasses { throw Refused("no class of the store is in the new version") }
    }
    return try pair.migrated(before, isPlanned: isPlanned)
  }

  private mutating func compare(_ context: ModelContext, _ expected: World) throws {
    let kinds = pair.new.kinds
    note("after the migration", try World(context, kinds).differences(from: expected))
    for kind in kinds {
      note("fetch after the migration", try kind.disagreements(context, &random, questions: questions))
    }
  }

  // MARK: - Objects

  private func kind(of object: any PersistentModel, _ kinds: [any AnyKind]) -> any AnyKind {
    kinds.first { $0.isClass(of: object) }!
  }

  private func read(_ objects: [any PersistentModel], _ kinds: [any AnyKind]) -> World {
    World(objects.map { kind(of: $0, kinds).read($0) })
  }

  /// Random objects of each class, without those whose unique values another one has.
  private mutating func newObjects(_ kinds: [any AnyKind]) -> [any PersistentModel] {
    var objects = [any PersistentModel]()
    var world = World()
    for kind in kinds {
      for _ in 0..<(2 + random.below(4)) {
        let serial = objects.count + 1
        let object = kind.make(serial, &random)
        world.objects[serial] = kind.read(object)
        do {
          try world.requireUniqueness(kinds)
          objects.append(object)
        } catch {
          world.objects[serial] = nil
        }
      }
    }
    return objects
  }

  private mutating func connect(_ objects: [any PersistentModel], _ kinds: [any AnyKind]) {
    for object in objects { kind(of: object, kinds).connect(object, to: objects, &random) }
  }
}
