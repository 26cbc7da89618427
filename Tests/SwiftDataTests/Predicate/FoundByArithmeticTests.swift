import Foundation
import SwiftData
import Testing

/// What ``ArithmeticLawTests`` found, in its smallest form.
@Suite("Saved and unsaved objects")
struct FoundByArithmeticTests {
  /// The serial numbers of the objects that a fetch finds.
  private func serials(_ predicate: Predicate<Extreme>, isSaved: Bool, _ fill: (Extreme) -> Void) throws -> [Int] {
    let context = try memoryContext(Extreme.self)
    for serial in 0..<3 {
      let object = Extreme(serial: serial)
      fill(object)
      context.insert(object)
    }
    if isSaved { try context.save() }
    let reader = isSaved ? ModelContext(context.container) : context
    return try reader.fetch(FetchDescriptor(predicate: predicate)).map(\.serial).sorted()
  }

  @Test(
    "do not match if a product is too small for a Decimal, which ends a program of Swift's", arguments: [true, false])
  func smallProducts(isSaved: Bool) throws {
    let small = Decimal(string: "1e-100")!
    func expect(_ numbers: [Int], _ predicate: Predicate<Extreme>) throws {
      // 0, 1e-100 and -2e-100.
      let found = try serials(predicate, isSaved: isSaved) {
        $0.decimal = $0.serial == 2 ? -2 * small : Decimal($0.serial) * small
        $0.flag = $0.serial == 1
      }
      #expect(found == numbers, "\(predicate)")
    }
    try expect([0], #Predicate { $0.decimal * small >= 0 || $0.flag })
    try expect([0], #Predicate { !($0.decimal * $0.decimal > 0) })
    try expect([0, 1, 2], #Predicate { $0.flag || $0.decimal * 3 != 1 })
    // The digits of the product are rounded to as many as a Decimal has, and then its exponent fits.
    let long = Decimal(string: "1.2345678901234567890123456789012345678e-33")!
    let found = try serials(#Predicate { $0.decimal * $0.decimal == long * long }, isSaved: isSaved) {
      $0.decimal = $0.serial == 0 ? 1 : $0.serial == 1 ? long : -long
    }
    #expect(found == [1, 2])
  }

  @Test("match a closure over a list without the elements for which Swift would stop", arguments: [true, false])
  func failingElements(isSaved: Bool) throws {
    func expect(_ numbers: [Int], _ predicate: Predicate<Extreme>) throws {
      let found = try serials(predicate, isSaved: isSaved) { $0.numbers = [[], [0], [0, 2]][$0.serial] }
      #expect(found == numbers, "\(predicate)")
    }
    let list = [7]
    try expect([2], #Predicate { $0.numbers.contains { 6 / $0 == 3 } })
    try expect([0, 1], #Predicate { !$0.numbers.contains { 6 / $0 == 3 } })
    try expect([0], #Predicate { $0.numbers.allSatisfy { 6 / $0 == 3 } })
    try expect([1, 2], #Predicate { !$0.numbers.allSatisfy { 6 / $0 == 3 } })
    try expect([0, 1], #Predicate { $0.numbers.filter { 6 / $0 == 3 }.isEmpty })
    // What throws, too.
    try expect([1, 2], #Predicate { $0.numbers.contains { list[$0] == 7 } })
    try expect([0, 1, 2], #Predicate { !$0.numbers.contains { list[$0 + 1] == 7 } })
    try expect([1, 2], #Predicate { object in object.numbers.contains { object.numbers[$0] == 0 } })
  }
}
