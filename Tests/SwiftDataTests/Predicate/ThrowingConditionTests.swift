import Foundation
import SwiftData
import Testing

@Model private final class Gate {
  var a: Bool
  var b: Bool
  var c: Bool
  var d: Bool
  var x: Int?
  init(_ bits: Int, _ x: Int?) {
    (a, b, c, d) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0)
    self.x = x
  }
}

@Suite("Conditions of which a part throws")
struct ThrowingConditionTests {
  private let context: ModelContext

  /// All values of four properties and an optional.
  init() throws {
    context = try memoryContext(Gate.self)
    for bits in 0..<16 { for x in [nil, 0, 2] { context.insert(Gate(bits, x)) } }
    try context.save()
  }

  private func check(_ predicate: Predicate<Gate>, _ comment: Comment) throws {
    let all = try context.fetch(FetchDescriptor<Gate>())
    let expected = Set(all.filter { (try? predicate.evaluate($0)) == true }.map(\.persistentModelID))
    let found = Set(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.persistentModelID))
    #expect(found == expected, comment)
  }

  @Test("are evaluated in Swift's order")
  func order() throws {
    let predicates: [Predicate<Gate>] = [
      #Predicate { ($0.a && $0.b && $0.x! > 1 && $0.c) || $0.d },
      #Predicate { !($0.a && $0.b && $0.x! > 1 && $0.c) },
      #Predicate { ($0.a || $0.b || $0.x! > 1 || $0.c) && $0.d },
      #Predicate { !($0.a || $0.b || $0.x! > 1 || $0.c) },
      #Predicate { !($0.a && !$0.b && $0.c && $0.x! > 1 && $0.d) },
      #Predicate { $0.d == ($0.a && $0.b && $0.x! > 1 && $0.c) },
      #Predicate { ($0.a && $0.b && $0.x! > 1 && $0.c) ? $0.d : !$0.d },
    ]
    for (place, predicate) in predicates.enumerated() { try check(predicate, "predicate \(place)") }
  }

  @Test("equal evaluate in random compositions", arguments: 0..<300)
  func random(seed: Int) throws {
    var random = LawRandom(seed: UInt64(seed))
    try check(Self.composition(&random, size: 2 + random.below(12)), "seed \(seed)")
  }

  private static func composition(_ random: inout LawRandom, size: Int) -> Predicate<Gate> {
    if size == 1 {
      switch random.below(7) {
      case 0: return #Predicate { $0.a }
      case 1: return #Predicate { $0.b }
      case 2: return #Predicate { $0.c }
      case 3: return #Predicate { !$0.d }
      case 4: return #Predicate { ($0.x ?? 2) > 1 }
      case 5: return #Predicate { $0.x! > 1 }
      default: return #Predicate { $0.x! == 0 }
      }
    }
    // Half of the compositions are chains, which become one condition with many parts.
    let left = random.chance(50) ? size - 1 : 1 + random.below(size - 1)
    let (one, other) = (composition(&random, size: left), composition(&random, size: size - left))
    switch random.below(8) {
    case 0...2: return #Predicate { one.evaluate($0) && other.evaluate($0) }
    case 3...5: return #Predicate { one.evaluate($0) || other.evaluate($0) }
    case 6: return #Predicate { !(one.evaluate($0) && other.evaluate($0)) }
    default: return #Predicate { !(one.evaluate($0) || other.evaluate($0)) }
    }
  }
}
