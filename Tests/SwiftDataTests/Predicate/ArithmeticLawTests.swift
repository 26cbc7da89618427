import Foundation
import SwiftData
import Testing

/// Random arithmetic over numbers at the ends of their types. A fetch of saved objects, of unsaved ones and of changed ones finds those
/// for which Swift's closure is true. An object for which Swift would stop the program is not found.
///
/// `PREDICATES=n` in the environment tries n/10 of them in all, `SEED=s` begins at another seed.
@Suite
struct ArithmeticLawTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let first = environment["SEED"].flatMap(UInt64.init) ?? 1
  private static let seeds: UInt64 = 10
  private static let share = (environment["PREDICATES"].flatMap(Int.init) ?? 3_000) / 10 / Int(seeds)

  @Test(
    "Saved, unsaved and changed objects are found if Swift's closure is true", arguments: first..<(first + seeds))
  func agreement(seed: UInt64) throws {
    let data = try ArithmeticData(seed: seed)
    for number in 0..<Self.share {
      for difference in data.differences(number) { Issue.record("seed \(seed), number \(number): \(difference)") }
    }
  }
}

/// The same objects in each state that a context knows.
struct ArithmeticData {
  private let seed: UInt64
  private let contexts: [(state: String, context: ModelContext)]
  private let all: [Extreme]

  /// - Parameter makeContext: makes a context over a new store.
  init(seed: UInt64, _ makeContext: () throws -> ModelContext = { try memoryContext(Extreme.self) }) throws {
    self.seed = seed
    func fill(_ context: ModelContext, _ seed: UInt64, _ objects: [Extreme]) {
      var source = RandomArithmetic(random: RandomSource(seed: seed))
      for object in objects {
        source.fill(object)
        context.insert(object)
      }
    }
    func objects() -> [Extreme] { (0..<24).map { Extreme(serial: $0) } }
    let writer = try makeContext()
    fill(writer, seed, objects())
    try writer.save()
    let unsaved = try makeContext()
    all = objects()
    fill(unsaved, seed, all)
    // The store has other values for half of the objects, and no row of the others.
    let changed = try makeContext()
    let early = Array(objects().prefix(12))
    fill(changed, seed &+ 1_000, early)
    try changed.save()
    fill(changed, seed, early + objects().dropFirst(12))
    contexts = [("saved", ModelContext(writer.container)), ("unsaved", unsaved), ("changed", changed)]
  }

  /// What fetches with a random predicate do differently from Swift.
  func differences(_ number: Int) -> [String] {
    var source = RandomArithmetic(random: RandomSource(seed: seed &* 1_000_003 &+ UInt64(number)))
    let condition = source.condition(2 + number % 4)
    return differences(condition)
  }

  func differences(_ condition: Term<Bool>) -> [String] {
    let expected = all.filter { (try? condition.value($0)) == true }.map(\.serial)
    let predicate = Predicate<Extreme> { condition.node($0) }
    return contexts.compactMap { state, context in
      do {
        let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.serial).sorted()
        return found == expected ? nil : "\(state): \(condition.text) finds \(found), not \(expected)"
      } catch {
        return "\(state): \(condition.text) throws \(String(reflecting: error))"
      }
    }
  }
}
