import Foundation
import SwiftData

private typealias P = PredicateExpressions

// What our own `#Predicate` makes and Foundation's does not.

extension RandomPredicate {
  /// Values that are promoted to optionals, and patterns.
  mutating func promoted(_ depth: Int) -> Node<Bool> {
    switch random.int(0..<10) {
    case 0: return Node(__Build.equal(optionalInt(depth), int(depth)))
    case 1: return Node(__Build.notEqual(text(depth), optionalText(depth)))
    case 2: return Node(__Build.equal(bool(depth), optionalBool(depth)))
    case 3: return Node(__Build.isNil(drawer()))
    case 4: return Node(__Build.isPresent(optionalText(depth)))
    case 5: return Node(__Build.matches(value(-1...2), int(depth)))
    case 6: return Node(__Build.matches(text(depth), optionalText(depth)))
    case 7: return Node(__Build.containsElement(value(["a", "e", data.text()]), text(depth)))
    case 8:
      let bounds = P.build_ClosedRange(lower: int(depth), upper: int(depth))
      return Node(__Build.matches(bounds, int(depth)))
    default: return Node(__Build.equal(optionalReal(depth), real(depth)))
    }
  }

  mutating func promotedInt(_ depth: Int) -> Node<Int?> {
    switch random.int(0..<3) {
    case 0: return Node(__Build.coalesce(optionalInt(depth), optionalInt(depth)))
    case 1: return Node(__Build.conditional(bool(depth), optionalInt(depth), int(depth)))
    default: return Node(__Build.conditional(bool(depth), int(depth), optionalInt(depth)))
    }
  }

  /// `(drawer?.specimens ?? [])`
  mutating func orEmpty(_ depth: Int) -> Node<Bool> {
    nested { g in
      let rows = __Build.orEmpty(__Build.flatMap(g.drawer()) { __Build.member($0, \.specimens) })
      if g.random.chance(1, in: 2) { return g.compare(Node(__Build.member(rows, \.count)), g.int(depth)) }
      return Node(
        P.build_contains(
          rows,
          where: { v in
            g.specimens.append(v); return g.bool(depth)
          }
        )
      )
    }
  }

  /// The text of one of several stickers.
  mutating func chosenText(_ depth: Int) -> Node<String?> {
    nested { g in
      let all = g.key(\.stickers)
      let rows: any PredicateExpression<[Sticker]> & Sendable
      if g.random.chance(1, in: 2) {
        // `first(where:)`
        rows = P.build_filter(
          all,
          { v in
            g.stickers.append(v); return g.bool(depth)
          }
        )
      } else {
        // `min(by:)`
        rows = P.build_filter(
          all,
          { one in
            P.build_allSatisfy(
              all,
              { other in
                P.build_Negation(
                  P.build_Comparison(
                    lhs: __Build.member(other, \.text), rhs: __Build.member(one, \.text), op: .lessThan)
                )
              }
            )
          }
        )
      }
      g.stickers = []
      func first(_ rows: some PredicateExpression<[Sticker]> & Sendable) -> Node<Sticker?> {
        Node(P.build_KeyPath(root: rows, keyPath: \.first))
      }
      return Node(__Build.map(first(rows)) { __Build.member($0, \.text) })
    }
  }
}
