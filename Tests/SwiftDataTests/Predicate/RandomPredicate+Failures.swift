import Foundation
import SwiftData

private typealias P = PredicateExpressions

extension RandomPredicate {
  /// A condition behind `!` or `as!`, which throw for some specimens. Its result is nil, empty or false for others.
  mutating func forced(_ depth: Int) -> Node<Bool> {
    // The macro's own nodes on Linux, and Foundation's.
    let drawer = Node(P.build_ForcedUnwrap(self.drawer()))
    switch random.int(0..<9) {
    case 0:
      let first = P.build_KeyPath(root: P.build_KeyPath(root: drawer, keyPath: \.specimens), keyPath: \.last)
      return equal(Node(P.build_flatMap(first) { P.build_KeyPath(root: $0, keyPath: \.title) }), optionalText(depth))
    case 1:
      let drawers = __Build.orEmpty(
        __Build.flatMap(P.build_KeyPath(root: drawer, keyPath: \.cabinet)) { __Build.member($0, \.drawers) })
      return Node(P.build_KeyPath(root: drawers, keyPath: \.isEmpty))
    case 2: return Node(P.build_Negation(P.TypeCheck<_, StrongBox>(drawer)))
    case 3: return Node(__Build.isNil(Node(P.ConditionalCast<_, StrongBox>(drawer))))
    case 4: return Node(P.build_KeyPath(root: P.ForceCast<_, StrongBox>(self.drawer()), keyPath: \.isLocked))
    case 5:
      let box = P.build_ForcedUnwrap(P.build_flatMap(self.drawer()) { P.ConditionalCast<_, StrongBox>($0) })
      return equal(Node(P.build_KeyPath(root: box, keyPath: \.size)), optionalInt(depth))
    case 6:
      let box = P.ForceCast<_, StrongBox>(self.drawer())
      return Node(__Build.isNil(Node(P.build_KeyPath(root: box, keyPath: \.cabinet))))
    case 7:
      let low = value(Rank?.some(.low))
      let others = P.build_filter(key(\.ranks)) { P.build_NotEqual(lhs: $0, rhs: low) }
      return Node(__Build.isNil(Node(P.build_subscript(others, value(random.int(0..<3))))))
    default:
      let first = P.build_KeyPath(root: P.build_KeyPath(root: drawer, keyPath: \.specimens), keyPath: \.first)
      return Node(__Build.isNil(Node(P.build_flatMap(first) { P.build_KeyPath(root: $0, keyPath: \.drawer) })))
    }
  }
}
