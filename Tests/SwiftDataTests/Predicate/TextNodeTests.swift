import Foundation
import SwiftData
import Testing

private typealias P = PredicateExpressions

/// The nodes that Foundation lacks on Linux.
@Suite
struct TextNodeTests {
  private let context: ModelContext

  init() throws {
    var data = RandomData(seed: 3)
    context = try SwiftDataTests.context(saving: data.objects(40))
  }

  private func predicate<E: StandardPredicateExpression<Bool>>(
    _ body: (P.KeyPath<P.Variable<Specimen>, String>) -> E
  ) -> Predicate<Specimen> {
    Predicate { body(P.build_KeyPath(root: $0, keyPath: \.title)) }
  }

  @Test("Prefixes, suffixes and searches find what their methods say", arguments: nastyTexts)
  func questions(part: String) throws {
    let argument = P.build_Arg(part)
    try expectAgreement(predicate { P.build_hasPrefix($0, argument) }, in: context, "hasPrefix \(part)")
    try expectAgreement(predicate { P.build_hasSuffix($0, argument) }, in: context, "hasSuffix \(part)")
    try expectAgreement(
      predicate { P.build_localizedStandardContains($0, argument) }, in: context, "standardContains \(part)")
    try expectAgreement(
      predicate { P.build_localizedCaseInsensitiveContains($0, argument) }, in: context, "contains \(part)")
  }

  @Test("A searched text that stays the same from row to row gives each row its own answer")
  func sameSearch() throws {
    let titles = try context.fetch(FetchDescriptor<Specimen>()).map(\.title)
    // Parts whose bytes decide, parts that have to be compared as characters, and parts that no row has.
    let letters = titles.flatMap { title in title.prefix(3).map(String.init) }
    let parts = Set(letters + nastyTexts + ["", "a", "e\u{301}", "zz"])
    for part in parts {
      try expectAgreement(
        predicate { P.build_contains($0, P.build_Arg(part)) }, in: context, "contains \(part.debugDescription)")
      try expectAgreement(#Predicate<Specimen> { $0.note?.contains(part) ?? false }, in: context)
    }
    try expectAgreement(#Predicate<Specimen> { $0.title.contains($0.note ?? "a") }, in: context)
  }

  @Test("Comparisons and letter cases find what their methods say", arguments: nastyTexts)
  func comparisons(other: String) throws {
    let argument = P.build_Arg(other)
    for result in [ComparisonResult.orderedAscending, .orderedSame, .orderedDescending] {
      func check(
        _ question: (P.KeyPath<P.Variable<Specimen>, String>) -> some StandardPredicateExpression<
          ComparisonResult
        >
      ) throws {
        try expectAgreement(
          predicate { P.build_Equal(lhs: question($0), rhs: P.build_Arg(result)) }, in: context, "\(result) \(other)")
      }
      try check { P.build_compare($0, argument) }
      try check { P.build_caseInsensitiveCompare($0, argument) }
      try check { P.build_localizedCompare($0, argument) }
      try check { P.build_localizedCaseInsensitiveCompare($0, argument) }
      try check { P.build_localizedStandardCompare($0, argument) }
    }
    try expectAgreement(
      predicate { P.build_Equal(lhs: P.build_lowercased($0), rhs: argument) }, in: context, "lowercased \(other)")
    try expectAgreement(
      predicate { P.build_Equal(lhs: P.build_uppercased($0), rhs: argument) }, in: context, "uppercased \(other)")
    try expectAgreement(
      predicate { P.build_Equal(lhs: P.build_capitalized($0), rhs: argument) }, in: context, "capitalized \(other)")
  }

  @Test("A captured predicate is asked of a row, and of a row's relationship")
  func evaluate() throws {
    let large = #Predicate<Specimen> { $0.small > 0 }
    try expectAgreement(Predicate { P.build_evaluate(P.build_Arg(large), $0) }, in: context)
    let locked = #Predicate<Drawer> { $0.isLocked }
    try expectAgreement(
      Predicate {
        P.build_NilCoalesce(
          lhs: P.build_flatMap(P.build_KeyPath(root: $0, keyPath: \.drawer)) { drawer in
            P.build_evaluate(P.build_Arg(locked), drawer)
          },
          rhs: P.build_Arg(false)
        )
      },
      in: context
    )
  }

  @Test("A predicate with these nodes can be printed")
  func printing() throws {
    let locked = #Predicate<Specimen> { $0.flag }
    let predicate = Predicate<Specimen> { specimen in
      P.build_Conjunction(
        lhs: P.build_hasSuffix(
          P.build_lowercased(P.build_KeyPath(root: specimen, keyPath: \.title)), P.build_Arg(".jpg" as Substring)),
        rhs: P.build_evaluate(P.build_Arg(locked), specimen)
      )
    }
    #expect("\(predicate)".contains("\".jpg\""))
    #expect(String(reflecting: predicate).contains("__HasSuffix"))
    #expect(
      ExpressionText.describe(predicate.expression)
        == "$0.title.lowercased().hasSuffix(\".jpg\") && <Predicate<Specimen>>.evaluate($0)")
    try expectAgreement(predicate, in: context)
  }
}

private enum ComparedText {
  @Model final class Line {
    var text: String
    var part: String
    init(_ text: String, _ part: String) { (self.text, self.part) = (text, part) }
  }
}

@Suite struct RowPartTests {
  // The function keeps what it found out about a constant part from row to row.
  @Test("A part or prefix that differs from row to row is judged for each row")
  func parts() throws {
    let context = try memoryContext(ComparedText.Line.self)
    for text in nastyTexts { for part in nastyTexts { context.insert(ComparedText.Line(text + "x", part)) } }
    try context.save()
    let all = try context.fetch(FetchDescriptor<ComparedText.Line>())
    func check(_ predicate: Predicate<ComparedText.Line>) throws {
      let found = Set(try context.fetch(FetchDescriptor(predicate: predicate)))
      let expected = Set(try all.filter { try predicate.evaluate($0) })
      let wrong = found.symmetricDifference(expected).map { "\($0.text.debugDescription) \($0.part.debugDescription)" }
      #expect(wrong.sorted() == [])
    }
    try check(#Predicate { (line: ComparedText.Line) in line.text.contains(line.part) })
    try check(#Predicate { (line: ComparedText.Line) in line.text.starts(with: line.part) })
  }
}
