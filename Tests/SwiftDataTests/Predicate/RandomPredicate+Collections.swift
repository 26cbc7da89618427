import Foundation
import SwiftData

private typealias P = PredicateExpressions

// Membership, and conditions over the elements of collections.
extension RandomPredicate {
  mutating func membership(_ depth: Int) -> Node<Bool> {
    switch random.int(0..<11) {
    case 0:
      return Node(
        P.build_contains(value((0..<random.int(0..<8)).map { _ in random.int(-3..<4) }), int(depth))
          as P.SequenceContains
      )
    case 1:
      return Node(
        P.build_contains(value((0..<random.int(0..<8)).map { _ in data.text() }), text(depth)) as P.SequenceContains
      )
    case 2:
      return Node(
        P.build_contains(value((0..<random.int(0..<8)).map { _ in data.maybe(data.text()) }), optionalText(depth))
          as P.SequenceContains
      )
    case 3:
      return Node(
        P.build_contains(value(Set([random.pick(RandomData.codes), random.pick(RandomData.codes)])), key(\.code))
          as P.SequenceContains
      )
    case 4:
      return Node(
        P.build_contains(value((0..<random.int(0..<8)).map { _ in random.pick(RandomData.doubles) }), real(depth))
          as P.SequenceContains
      )
    case 5:
      return Node(
        P.build_contains(value(Set(identifiers.filter { _ in random.chance(1, in: 3) })), key(\.persistentModelID))
          as P.SequenceContains
      )
    case 6: return Node(P.build_contains(value([random.pick(Rank.allCases)]), key(\.level)) as P.SequenceContains)
    case 7:
      return Node(P.build_contains(value([random.pick([Tint?.some(.red), nil])]), key(\.mood)) as P.SequenceContains)
    case 8:
      return Node(
        P.build_contains(
          value((0..<random.int(0..<8)).map { _ in data.place() }),
          Node(P.build_KeyPath(root: key(\.address), keyPath: \.place))
        ) as P.SequenceContains
      )
    case 9:
      return Node(
        P.build_contains(value((0..<random.int(0..<8)).map { _ in random.pick(RandomData.decimals) }), key(\.price))
          as P.SequenceContains
      )
    default:
      return Node(
        P.build_contains(value((0..<random.int(0..<8)).map { _ in random.pick(RandomData.hugeNumbers) }), key(\.huge))
          as P.SequenceContains
      )
    }
  }

  /// A test over a variable that only exists there.
  mutating func nested<T>(_ body: (inout RandomPredicate) -> T) -> T {
    var copy = self
    copy.isNested = true
    let result = body(&copy)
    random = copy.random
    data = copy.data
    return result
  }

  mutating func collection(_ depth: Int) -> Node<Bool> {
    switch random.int(0..<14) {
    case 0:
      return nested { g in
        Node(
          P.build_contains(
            g.key(\.stickers),
            where: { v in
              g.stickers.append(v); return g.bool(depth)
            }
          )
        )
      }
    case 1:
      return nested { g in
        Node(
          P.build_allSatisfy(
            g.key(\.stickers),
            { v in
              g.stickers.append(v); return g.bool(depth)
            }
          )
        )
      }
    case 2:
      return nested { g in
        let rows = P.build_filter(
          g.key(\.stickers),
          { v in
            g.stickers.append(v); return g.bool(depth)
          }
        )
        g.stickers = []
        return g.compare(Node(P.build_KeyPath(root: rows, keyPath: \.count)), g.int(0))
      }
    case 3:
      return nested { g in
        let test = P.build_flatMap(g.drawer()) { drawer in
          P.build_contains(
            P.build_KeyPath(root: drawer, keyPath: \.specimens),
            where: { v in
              g.specimens.append(v); return g.bool(depth)
            }
          )
        }
        return Node(P.build_Equal(lhs: test, rhs: g.value(Optional(g.random.chance(1, in: 2)))))
      }
    case 4:
      return nested { g in
        Node(P.build_contains(g.key(\.words), where: { v in g.compare(Node(v), g.text(depth)) }))
      }
    case 5: return Node(P.build_contains(key(\.words), text(depth)) as P.SequenceContains)
    case 6: return Node(P.build_contains(key(\.numbers), key(\.number)) as P.SequenceContains)
    case 7:
      return Node(P.build_contains(key(\.ranks), value(data.maybe(random.pick(Rank.allCases)))) as P.SequenceContains)
    case 8:
      return Node(
        P.build_contains(key(\.places), Node(P.build_KeyPath(root: key(\.address), keyPath: \.place)))
          as P.SequenceContains
      )
    case 9:
      return nested { g in
        Node(
          P.build_allSatisfy(
            g.key(\.places),
            { v in g.compare(Node(P.build_KeyPath(root: v, keyPath: \.x)), g.real(depth)) }
          )
        )
      }
    case 10:
      return nested { g in
        let values = g.value((0..<g.random.int(0..<4)).map { _ in g.data.text() })
        return Node(P.build_contains(values, where: { v in g.equal(Node(v), g.text(depth)) }))
      }
    case 11:
      return nested { g in Node(P.build_contains(g.key(\.title), where: { v in g.compare(Node(v), g.key(\.letter)) })) }
    case 12: return orEmpty(depth)
    default:
      return nested { g in
        let first = P.build_KeyPath(root: g.key(\.stickers), keyPath: \.first)
        return g.equal(
          Node(P.build_flatMap(first) { P.build_KeyPath(root: $0, keyPath: \.text) }),
          g.optionalText(depth)
        )
      }
    }
  }
}
