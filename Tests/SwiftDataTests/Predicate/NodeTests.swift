import Foundation
import RegexBuilder
import SwiftData
import Testing

private typealias P = PredicateExpressions

/// Regular expressions, many as one, parts of arrays, ranges between properties.
@Suite
struct NodeTests {
  private let context: ModelContext

  init() throws {
    var data = RandomData(seed: 3)
    context = try SwiftDataTests.context(saving: data.objects(40))
  }

  private func check(_ predicate: Predicate<Specimen>, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectAgreement(predicate, in: context, sourceLocation: sourceLocation)
    let (found, all) = (
      try context.fetchCount(FetchDescriptor(predicate: predicate)), try context.fetchCount(FetchDescriptor<Specimen>())
    )
    #expect(found > 0 && found < all, "found \(found)", sourceLocation: sourceLocation)
  }

  private static func specimen(_ serial: Int, _ title: String) -> Specimen {
    let specimen = Specimen(serial: serial)
    specimen.title = title
    return specimen
  }

  private func matching(_ regex: Regex<some Any>) -> Predicate<Specimen> {
    let captured = P.build_Arg(regex)
    return Predicate { P.build_contains(P.build_KeyPath(root: $0, keyPath: \.title), captured) }
  }

  @Test("Regular expressions keep their options, and those of RegexBuilder match too")
  func regexes() throws {
    try check(matching(/CAF|K/.ignoresCase()))
    try check(matching(/^.[b-f]/))
    try check(
      matching(
        Regex {
          Anchor.startOfSubject
          OneOrMore(.word)
          Anchor.endOfSubject
        }
      )
    )
    try check(matching(Regex { Capture("a") { $0.uppercased() } }))
    try check(matching(try Regex("[ez]")))
  }

  @Test("A regular expression is written to the store's log as its type and can be encoded when it has a pattern")
  func regexText() throws {
    let captured = P.build_Arg(/a+/).value
    #expect("\(captured)" == "Regex")
    let copy = try JSONDecoder().decode([__CapturedRegex].self, from: JSONEncoder().encode([captured]))
    #expect("baa".firstMatch(of: copy[0])?.range == "baa".firstMatch(of: /a+/)?.range)
    let built = P.build_Arg(Regex { Capture("a") { $0.uppercased() } }).value
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([built]) }
  }

  @Test("The least and the greatest of a to-many's properties, and the properties as an array")
  func mapping() throws {
    try check(
      Predicate {
        P.build_Equal(
          lhs: P.build_max(P.build_map(P.build_KeyPath(root: $0, keyPath: \.stickers), \.text)),
          rhs: P.build_min(P.build_map(P.build_KeyPath(root: $0, keyPath: \.stickers), \.text))
        )
      }
    )
    let text = try #require(try context.fetch(FetchDescriptor<Sticker>()).first).text
    try check(
      Predicate {
        P.build_contains(P.build_map(P.build_KeyPath(root: $0, keyPath: \.stickers), \.text), P.build_Arg(text))
          as P.SequenceContains
      }
    )
    try check(
      Predicate {
        P.build_Comparison(
          lhs: P.build_KeyPath(
            root: P.build_map(P.build_KeyPath(root: $0, keyPath: \.stickers), \.weight), keyPath: \.count),
          rhs: P.build_Arg(1),
          op: .greaterThan
        )
      }
    )
    try check(
      Predicate {
        P.build_NotEqual(
          lhs: P.build_flatMap(P.build_KeyPath(root: $0, keyPath: \.drawer)) { drawer in
            P.build_max(P.build_map(P.build_KeyPath(root: drawer, keyPath: \.specimens), \.small))
          },
          rhs: P.build_flatMap(P.build_KeyPath(root: $0, keyPath: \.drawer)) { drawer in
            P.build_min(P.build_map(P.build_KeyPath(root: drawer, keyPath: \.specimens), \.small))
          }
        )
      }
    )
  }

  @Test("The macro asks each element once where a transform names a property")
  func mappedByMacro() throws {
    let texts: Predicate<Specimen> = #Predicate { $0.stickers.map(\.text).max() == $0.stickers.map { $0.text }.min() }
    #expect(String(reflecting: texts).contains("__Mapped"))
    try check(texts)
    try check(#Predicate { ($0.places.map(\.y).max() ?? -9) > 0 })
    try check(#Predicate { ($0.drawer?.specimens.map(\.title.count).max() ?? 0) > 2 })
    let captured = ["a", "bc"]
    try check(#Predicate { $0.title.count <= captured.map(\.count).max() ?? 0 })
  }

  @Test("A part of an array is counted, searched and compared; where there is none the row does not match")
  func slices() throws {
    func part(_ bounds: Range<Int>, _ specimen: P.Variable<Specimen>)
      -> P.CollectionRangeSubscript<P.KeyPath<P.Variable<Specimen>, [String]>, P.Value<Range<Int>>>
    {
      P.build_subscript(P.build_KeyPath(root: specimen, keyPath: \.words), P.build_Arg(bounds))
    }
    try check(
      Predicate { P.build_Equal(lhs: P.build_KeyPath(root: part(0..<2, $0), keyPath: \.count), rhs: P.build_Arg(2)) })
    try check(
      Predicate {
        P.build_Equal(
          lhs: P.build_KeyPath(root: part(1..<2, $0), keyPath: \.first),
          rhs: P.build_KeyPath(root: P.build_KeyPath(root: $0, keyPath: \.words), keyPath: \.last)
        )
      }
    )
    try check(
      Predicate {
        P.build_Negation(
          P.build_contains(part(0..<1, $0), P.build_KeyPath(root: $0, keyPath: \.title)) as P.SequenceContains)
      }
    )
  }

  @Test("The index of a slice is refused rather than counted from the wrong end")
  func sliceIndex() throws {
    let predicate = Predicate<Specimen> {
      P.build_Equal(
        lhs: P.build_subscript(
          P.build_subscript(P.build_KeyPath(root: $0, keyPath: \.words), P.build_Arg(1..<2)), P.build_Arg(1)),
        rhs: P.build_Arg("a")
      )
    }
    let error = #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor(predicate: predicate)) }
    #expect(error?.code == .unsupportedPredicate)
  }

  @Test("A range between properties that Swift cannot make matches nothing, negated or not, and nothing traps")
  func ranges() throws {
    let other = 3
    let predicates: [Predicate<Specimen>] = [
      #Predicate { ($0.small...$0.number).contains(2) },
      #Predicate { !($0.small...$0.number).contains(2) },
      #Predicate { ($0.small..<$0.number).contains(2) },
      #Predicate { !($0.small..<$0.number).contains(2) },
      #Predicate { $0.small...$0.number ~= $0.serial },
      #Predicate { !($0.small...$0.number ~= $0.serial) },
      #Predicate { $0.small..<$0.number ~= $0.serial },
      #Predicate { !($0.small..<$0.number ~= $0.serial) },
      #Predicate { ($0.small...$0.number).contains(2) == false || $0.serial == 1 },
      #Predicate { specimen in
        switch 2 {
        case specimen.small...specimen.number: return false
        default: return true
        }
      },
      #Predicate { specimen in
        let range = specimen.small...specimen.number
        return !range.contains(2) && !(range ~= 3)
      },
    ]
    let ofOneProperty: [Predicate<Specimen>] = [
      #Predicate { ($0.small...other).contains($0.number) },
      #Predicate { !(other...$0.small).contains($0.number) },
      #Predicate { !(other...$0.small ~= $0.number) },
    ]
    func check() throws {
      for predicate in predicates {
        try expectAgreement(predicate, in: context)
        let found = try context.fetch(FetchDescriptor(predicate: predicate))
        #expect(!found.contains { $0.small > $0.number }, "\(predicate)")
      }
      for predicate in ofOneProperty { try expectAgreement(predicate, in: context) }
    }
    try check()
    let unsaved = Specimen(serial: 500)
    (unsaved.small, unsaved.number) = (3, 1)
    context.insert(unsaved)
    try check()
  }

  @Test("A forced cast finds only the objects that are of the class")
  func forcedCast() throws {
    try check(
      Predicate {
        P.build_Comparison(
          lhs: P.build_KeyPath(
            root: P.ForceCast<_, StrongBox>(P.build_KeyPath(root: $0, keyPath: \.drawer)), keyPath: \.combination),
          rhs: P.build_Arg(-9),
          op: .greaterThan
        )
      }
    )
  }

  @Test("Predicates with these nodes can be printed")
  func printing() throws {
    let predicate = Predicate<Specimen> {
      P.build_Conjunction(
        lhs: P.build_contains(P.build_KeyPath(root: $0, keyPath: \.title), P.build_Arg(/a/.ignoresCase())),
        rhs: P.build_Conjunction(
          lhs: P.build_Equal(
            lhs: P.build_max(P.build_map(P.build_KeyPath(root: $0, keyPath: \.stickers), \.text)),
            rhs: P.build_Arg("z")
          ),
          rhs: P.build_Comparison(
            lhs: P.build_KeyPath(root: $0, keyPath: \.letter), rhs: P.build_Arg("c" as Character), op: .lessThan)
        )
      )
    }
    #expect("\(predicate)".contains("max() == capture1"))
    #expect(String(reflecting: predicate).contains("__Mapped"))
    let text = ExpressionText.describe(predicate.expression)
    #expect(text.contains("$0.letter < \"c\""))
    #expect(text.contains("$0.stickers.map { $0.text }.max()"))
    try expectAgreement(predicate, in: context)
  }

  // MARK: - Found by random predicates

  @Test("The default of a dictionary does not stand in for a key that throws")
  func dictionaryDefault() throws {
    try expectAgreement(
      #Predicate { $0.scores[$0.words[2], default: $0.small] != $0.small + 1 }, in: context)
    try expectAgreement(
      #Predicate { !($0.scores[$0.note!, default: 0] == 9) }, in: context)
  }

  @Test("Texts that Swift takes for equal keep their scalars on the way to a comparison in a locale")
  func equalTextsThatDiffer() throws {
    let (kelvin, cafe) = ("\u{212A}", "cafe\u{301}")
    try expectAgreement(
      #Predicate { ($0.flag ? kelvin : "a").localizedStandardCompare($0.title) != .orderedSame }, in: context)
    try expectAgreement(
      #Predicate { ($0.note ?? cafe).localizedStandardCompare($0.title) == .orderedDescending }, in: context)
  }

  @Test("Of texts that Swift takes for equal the first is the least and the greatest")
  func firstOfEqualTexts() throws {
    let drawer = Drawer(name: "equal")
    let specimens = ["K", "\u{212A}", "K"].enumerated().map { Self.specimen(700 + $0.offset, $0.element) }
    for specimen in specimens { specimen.drawer = drawer }
    let context = try SwiftDataTests.context(saving: specimens)
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
      drawer.specimens = order.map { specimens[$0] }
      try context.save()
      let reader = ModelContext(context.container)
      try expectAgreement(
        #Predicate { $0.drawer?.specimens.map(\.title).min()?.localizedStandardCompare("K") == .orderedSame },
        in: reader)
      try expectAgreement(
        #Predicate { $0.drawer?.specimens.map(\.title).max()?.localizedStandardCompare("K") == .orderedSame },
        in: reader)
    }
  }

  @Test("An object that an inner row chooses is found where that row is in sight")
  func objectOfInnerRow() throws {
    try expectAgreement(
      #Predicate { outer in
        outer.drawer?.specimens.contains { inner in
          (outer.stickers.first { $0.text < inner.title }?.text ?? "K") == "K"
        } == true
      }, in: context)
    try expectAgreement(
      #Predicate { outer in
        outer.drawer?.specimens.contains { inner in (inner.flag ? outer.drawer : nil)?.isLocked == true } == true
      }, in: context)
    try expectAgreement(
      #Predicate { outer in
        outer.drawer?.specimens.contains { inner in
          inner.note.flatMap { _ in outer.drawer }?.isLocked == true
        } == true
      }, in: context)
  }

  @Test("A number that cannot be computed is not made false by the other being NaN")
  func failureBesideNaN() throws {
    try expectAgreement(#Predicate { $0.real != Double($0.maybe!) }, in: context)
    try expectAgreement(#Predicate { Double($0.maybe!) != $0.real }, in: context)
    try expectAgreement(#Predicate { !(Double($0.maybe!) < $0.real) }, in: context)
    try expectAgreement(#Predicate { !($0.real >= Double($0.maybe!)) }, in: context)
    let none = Double.nan
    try expectAgreement(#Predicate { !(none <= Double($0.maybe!)) }, in: context)
    try expectAgreement(#Predicate { Double($0.maybe!) != none }, in: context)
  }
}
