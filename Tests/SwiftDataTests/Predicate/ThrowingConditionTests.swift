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
  @Test("are evaluated in Swift's order, for all values of four properties and an optional")
  func order() throws {
    let context = try memoryContext(Gate.self)
    for bits in 0..<16 { for x in [nil, 0, 2] { context.insert(Gate(bits, x)) } }
    try context.save()
    let predicates: [Predicate<Gate>] = [
      #Predicate { ($0.a && $0.b && $0.x! > 1 && $0.c) || $0.d },
      #Predicate { !($0.a && $0.b && $0.x! > 1 && $0.c) },
      #Predicate { ($0.a || $0.b || $0.x! > 1 || $0.c) && $0.d },
      #Predicate { !($0.a || $0.b || $0.x! > 1 || $0.c) },
      #Predicate { !($0.a && !$0.b && $0.c && $0.x! > 1 && $0.d) },
      #Predicate { $0.d == ($0.a && $0.b && $0.x! > 1 && $0.c) },
      #Predicate { ($0.a && $0.b && $0.x! > 1 && $0.c) ? $0.d : !$0.d },
    ]
    let all = try context.fetch(FetchDescriptor<Gate>())
    for (place, predicate) in predicates.enumerated() {
      let expected = Set(all.filter { (try? predicate.evaluate($0)) == true }.map(\.persistentModelID))
      let found = Set(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.persistentModelID))
      #expect(found == expected, "predicate \(place)")
    }
  }
}
