import Foundation
import SwiftData
import Testing

/// Nodes that random predicates do not make, and what random predicates found.
@Suite
struct ExpressionTests {
  private let context: ModelContext
  private let all: [Specimen]

  init() throws {
    var data = RandomData(seed: 5)
    context = ModelContext(try SwiftDataTests.context(saving: data.objects(40)).container)
    all = try context.fetch(FetchDescriptor<Specimen>())
  }

  /// Expects agreement, and that the predicate tells some objects from others.
  private func check(_ predicate: Predicate<Specimen>, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectAgreement(predicate, in: context, sourceLocation: sourceLocation)
    let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
    #expect(count > 0 && count < all.count, "found \(count)", sourceLocation: sourceLocation)
  }

  @Test("A captured #Expression is part of the condition")
  func expression() throws {
    // Foundation's macro has the node on Linux, but not the call.
    let length = #Expression<Specimen, Int> { $0.title.count + $0.words.count }
    try check(
      Predicate { specimen in
        PredicateExpressions.build_Comparison(
          lhs: PredicateExpressions.build_evaluate(Node(PredicateExpressions.build_Arg(length)), specimen),
          rhs: PredicateExpressions.build_Arg(2), op: .greaterThan)
      })
  }

  @Test("Regular expressions match as Swift's")
  func regex() throws {
    let regex = try #require(PredicateExpressions.PredicateRegex(Regex("^.[b-f]")))
    try check(
      Predicate { specimen in
        PredicateExpressions.build_contains(
          PredicateExpressions.build_KeyPath(root: specimen, keyPath: \.title),
          PredicateExpressions.build_Arg(regex))
      })
  }

  @Test("if-let, optional chains and ternaries")
  func conditionals() throws {
    try check(#Predicate { if let note = $0.note { note.count > 1 } else { $0.flag } })
    try check(#Predicate { $0.flag ? $0.small > 0 : $0.small < 0 })
    try check(#Predicate { ($0.drawer?.cabinet?.sticker.weight ?? -1) > 0 })
    try check(#Predicate { $0.drawer != nil && $0.drawer!.isLocked })
    try check(#Predicate { $0.drawer == nil || $0.drawer!.name.count < 2 })
  }

  @Test("Dictionaries, arrays and sets are looked into")
  func containers() throws {
    try check(#Predicate { $0.scores["a", default: $0.small] > 0 })
    try check(#Predicate { $0.scores["a"] != nil || $0.scores["b"] != nil })
    try check(#Predicate { $0.words.starts(with: ["a"]) || $0.words.count > 2 })
    try check(#Predicate { $0.words.filter { $0.count > 1 }.count > 1 })
    try check(#Predicate { $0.numbers.max() == $0.numbers.min() })
    try check(#Predicate { $0.places.contains { $0.y > 0 && $0.x > 0 } })
    try check(#Predicate { $0.stickers[0].text > "b" })
    try check(
      #Predicate { specimen in specimen.stickers.contains { $0.specimens.count > 15 && $0.text != specimen.title } })
  }

  @Test("Values of one type may be asked for another")
  func casts() throws {
    func isCast<T: Equatable & Codable>(to _: T.Type) -> Predicate<Specimen> {
      #Predicate { $0.small > 0 && ($0.small as? T) != nil && $0.small is T }
    }
    try check(isCast(to: Int.self))
    try expectAgreement(isCast(to: String.self), in: context)
  }

  @Test("What is captured decides before the row does")
  func captured() throws {
    let none: Int? = nil
    let limit: Int? = 2
    try expectAgreement(#Predicate { none == nil || $0.small == none! }, in: context)
    try expectAgreement(#Predicate { none != nil && $0.small == none! }, in: context)
    try check(#Predicate { limit == nil || $0.small > limit! })
    try expectAgreement(#Predicate { $0.small == none! }, in: context)
    try expectAgreement(.true, in: context)
    try expectAgreement(.false, in: context)
  }

  @Test("Where Swift traps on overflow or division by zero, the row does not match")
  func traps() throws {
    let step = 1
    #expect(try context.fetchCount(FetchDescriptor<Specimen>(predicate: #Predicate { $0.number + step > 0 })) < 40)
    let found = try context.fetch(FetchDescriptor<Specimen>(predicate: #Predicate { 12 / $0.small == 3 }))
    #expect(Set(found.map(\.small)) == [4])
    #expect(try context.fetchCount(FetchDescriptor<Specimen>(predicate: #Predicate { !(12 / $0.small == 3) })) < 40)
  }

  @Test("Where Swift traps, an unsaved object does not match either")
  func unsavedTraps() throws {
    let context = try memoryContext(Specimen.self)
    context.insert(Specimen(serial: 1))
    try context.save()
    let (great, small) = (Specimen(serial: 2), Specimen(serial: 3))
    (great.number, great.small, great.maybe) = (.max, 0, .min)
    (small.number, small.small, small.maybe) = (4, 4, -1)
    for object in [great, small] { context.insert(object) }
    let (step, none) = (1, 0)
    func found(_ predicate: Predicate<Specimen>) throws -> [Int] {
      let descriptor = FetchDescriptor<Specimen>(predicate: predicate, sortBy: [SortDescriptor(\.serial)])
      return try context.fetch(descriptor).map(\.serial)
    }
    let sum = #Expression<Specimen, Int> { $0.number + step }
    let positive = #Predicate<Specimen> { $0.number + step > 0 }
    #expect(try found(positive) == [1, 3])
    #expect(try found(#Predicate { $0.flag || ($0.number + step) * 2 > 2 }) == [3])
    #expect(try found(#Predicate { sum.evaluate($0) > 0 }) == [1, 3])
    #expect(try found(#Predicate { !positive.evaluate($0) || $0.serial == 1 }) == [1])
    #expect(try found(#Predicate { 12 / $0.small == 3 }) == [3])
    #expect(try found(#Predicate { $0.small == none ? $0.serial > 1 : 12 / $0.small == 3 }) == [2, 3])
    #expect(try found(#Predicate { 12 % $0.small == 0 && $0.serial > 0 }) == [3])
    #expect(try found(#Predicate { specimen in specimen.maybe.map { -$0 > 0 } ?? true }) == [1, 3])
    #expect(try found(#Predicate { $0.serial...$0.small ~= 4 }) == [3])
    #expect(try found(#Predicate { [1, 4].contains($0.number - 3 - ($0.maybe ?? 0) + 2) }) == [3])
    #expect(throws: SwiftDataError.unreadableValue) {
      try context.fetch(FetchDescriptor<Specimen>(), computing: .sum(sum))
    }
    #expect(throws: SwiftDataError.unreadableValue) {
      try context.update(model: Specimen.self, set: .assign(\.number, sum))
    }
    context.delete(great)
    #expect(try context.fetch(FetchDescriptor<Specimen>(), computing: .sum(sum)) == 6)
  }

  @Test("Identifiers of another store and of unsaved objects match nothing")
  func foreignIdentifiers() throws {
    let other = try SwiftDataTests.context(saving: [Specimen(serial: 1)])
    let foreign = try other.fetch(FetchDescriptor<Specimen>())[0].persistentModelID
    try expectAgreement(#Predicate { $0.persistentModelID == foreign }, in: context)
    try expectAgreement(#Predicate { $0.persistentModelID != foreign }, in: context)
    try expectAgreement(#Predicate { $0.drawer?.persistentModelID == foreign }, in: context)
    let none: PersistentIdentifier? = nil
    try check(#Predicate { $0.drawer?.persistentModelID == none })
  }

  // MARK: - Found by random predicates

  @Test("A date that is not a number is not after anything, so it is before or the same")
  func dateNaN() throws {
    let now = Date(timeIntervalSinceReferenceDate: 1)
    try check(#Predicate { $0.stamp <= now })
    try check(#Predicate { $0.stamp > now })
    try check(#Predicate { !($0.stamp >= now) })
  }

  @Test("A failure inside an optional chain is no nil")
  func failureInChain() throws {
    try expectAgreement(
      #Predicate { specimen in (specimen.note.flatMap { $0.count < specimen.maybe! }) ?? true }, in: context)
    try expectAgreement(#Predicate { $0.maybe == $0.scores[$0.words[0]] }, in: context)
    try expectAgreement(#Predicate { $0.words.contains($0.home!.city) ? $0.flag : true }, in: context)
  }

  @Test("An optional of an optional has two values that are nil")
  func optionalOfOptional() throws {
    try check(#Predicate { $0.ranks.first == .some(nil) })
    try check(#Predicate { $0.ranks.first == nil })
    try check(#Predicate { $0.ranks.last! == nil })
    try check(#Predicate { ($0.ranks.first ?? .low) == nil })
    try check(#Predicate { specimen in specimen.maybe.map { _ in specimen.ratio } == nil })
    try check(#Predicate { $0.flag && $0.ranks.first == .some(nil) })
  }

  @Test("A range whose bounds are in the wrong order fails")
  func invertedRange() throws {
    try expectAgreement(#Predicate { ($0.small..<0).contains(-1) }, in: context)
    try expectAgreement(#Predicate { !(($0.small..<0).contains(-1)) }, in: context)
  }
}
