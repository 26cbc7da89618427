import Foundation
import SwiftData

/// Two versions of a program that open one store in turn: the old one makes it, then the new one, the old one again, and so on. Each saves.
struct OlderProgram {
  let pair: Pair
  private(set) var failures: [String] = []
  /// The openings after the first that were not refused.
  private(set) var turns = 0
  private var data: DataSet
  private var random: Random
  private let back: Pair.Change
  private let again: Pair.Change
  private let isServer: Bool

  /// Returns nil if a version lacks a class of the other.
  init?(_ pair: Pair, seed: UInt64, on type: any TestDatabase.Type) {
    guard let back = pair.back, let again = pair.again else { return nil }
    (self.pair, self.back, self.again) = (pair, back, again)
    data = DataSet(pair, seed: seed, questions: 0)
    random = Random(seed: seed &+ 1_000_000)
    (random.hasNil, random.hasExtremes) = (seed % 2 == 0, seed % 3 != 1)
    isServer = type == PostgresDatabase.self
  }

  mutating func run(on type: any TestDatabase.Type) {
    do {
      let database = try type.init()
      var state = State(known: try data.saved(database))
      guard try turn(database, from: pair.old, to: pair.new, pair.change, &state) else { return }
      for _ in 0..<2 {
        guard try turn(database, from: pair.new, to: pair.old, back, &state),
          try turn(database, from: pair.old, to: pair.new, again, &state)
        else { return }
      }
    } catch {
      failures.append("throws \(error)")
    }
  }

  /// What the programs saved.
  private struct State {
    /// The objects as the last program knows them.
    var known: World
    /// The objects as the program before it knew them.
    var former: World?
  }

  /// The next program opens the store, and saves.
  /// - Returns: whether it opens the store. It may refuse, and the former program then finds its objects.
  private mutating func turn(
    _ database: any TestDatabase, from old: any RandomVersion.Type, to new: any RandomVersion.Type,
    _ change: Pair.Change, _ state: inout State
  ) throws -> Bool {
    let way = "from \(old) to \(new)"
    let expected = Result { try self.expected(state, new, change) }
    let context: ModelContext
    do {
      context = ModelContext(try database.open(new))
    } catch {
      if case .success = expected, !isServer { failures.append("\(way): throws \(error)") }
      let found = try World(ModelContext(database.open(old)), old.kinds)
      note("\(way), after the refusal", found.differences(from: state.known))
      return false
    }
    switch expected {
    case .failure(let reason):
      if !isServer { failures.append("\(way): the store opens, expected a refusal: \(reason)") }
      return false
    case .success(let world):
      let found = try World(context, new.kinds)
      note(way, found.differences(from: isServer ? onServer(world, found, state, old) : world))
    }
    turns += 1
    try save(context, new.kinds)
    (state.known, state.former) = (try World(context, new.kinds), state.known)
    return failures.isEmpty
  }

  private mutating func note(_ what: String, _ differences: [String]) {
    if !differences.isEmpty { failures.append("\(what): \(differences.joined(separator: "; "))") }
  }

  // MARK: - Saving

  /// Changes attributes and relationships of some objects, and adds one.
  private mutating func save(_ context: ModelContext, _ kinds: [any AnyKind]) throws {
    var objects = try kinds.flatMap { try $0.models(in: context) }
    var world = try World(context, kinds)
    func kind(of object: any PersistentModel) -> any AnyKind { kinds.first { $0.isClass(of: object) }! }
    for object in objects where random.chance(30) { kind(of: object).change(object, &random) }
    for object in objects where random.chance(20) { kind(of: object).connect(object, to: objects, &random) }
    let serial = (world.objects.keys.max() ?? 0) + 1
    let kind = random.pick(kinds)
    let added = kind.make(serial, &random)
    world.objects[serial] = kind.read(added)
    if (try? world.requireUniqueness(kinds)) != nil {
      context.insert(added)
      objects.append(added)
      kind.connect(added, to: objects, &random)
    }
    try context.save()
  }

  // MARK: - The law

  private func expected(_ state: State, _ new: any RandomVersion.Type, _ change: Pair.Change) throws -> World {
    var result = World()
    for object in state.known.objects.values {
      guard let values = try change(object, state.known, false) else { continue }
      result.objects[object.serial] = Object(kind: object.kind, serial: object.serial, values: values)
    }
    try result.requireUniqueness(new.kinds)
    return result.arranged(new.kinds)
  }

  /// What a server should have. It keeps the values of properties that a program does not know, for the programs that do.
  private func onServer(_ changed: World, _ found: World, _ state: State, _ old: any RandomVersion.Type) -> World {
    guard let former = state.former else { return changed }
    var result = changed
    for object in changed.objects.values {
      let (serial, known) = (object.serial, old.kinds.kind(named: object.kind)?.properties ?? [])
      for (name, value) in object.values {
        let got = found.objects[serial]?.values[name]
        if known.contains(name) {
          // In a file the property may take over another's values, because its own went when the other program opened it.
          if got == state.known.objects[serial]?.values[name] { result.objects[serial]?.values[name] = got }
        } else if let kept = former.objects[serial]?.values[name] {
          let isTaken = pair.taken.contains("\(object.kind).\(name)") || old == pair.new
          if !isTaken || got != value { result.objects[serial]?.values[name] = kept }
        } else {
          // The default of the program that made the object differs.
          result.objects[serial]?.values[name] = got
        }
      }
    }
    return result
  }
}
