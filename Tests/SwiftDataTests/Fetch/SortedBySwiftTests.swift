import Foundation
import SwiftData
import Testing

/// A type whose order only Swift knows.
private struct Length: Codable, Comparable {
  var metres: Int

  static func < (left: Length, right: Length) -> Bool { left.metres > right.metres }
}

@Model private final class Crate {
  var name: String
  var width: CGFloat
  var depth: CGFloat?
  var length: Length
  init(_ name: String, _ width: CGFloat, _ depth: CGFloat?, _ length: Int) {
    (self.name, self.width, self.depth) = (name, width, depth)
    self.length = Length(metres: length)
  }
}

@Suite("A sort by a type whose order the database does not know is done by Swift")
struct SortedBySwiftTests {
  private let context: ModelContext

  init() throws {
    context = try memoryContext(Crate.self)
    for (index, width) in [10.5, 9, 100, -1, 9].enumerated() {
      context.insert(Crate("c\(index)", width, index == 2 ? nil : width * 2, index % 3))
    }
    try context.save()
    context.insert(Crate("unsaved", 20, 1, 1))
  }

  @Test("for CGFloat, optional CGFloat and a Comparable struct, with unsaved objects and bounds")
  func sorted() throws {
    let orders: [SortDescriptor<Crate>] = [
      SortDescriptor(\.width), SortDescriptor(\.width, order: .reverse), SortDescriptor(\.depth),
      SortDescriptor(\.length), SortDescriptor(\.length, order: .reverse),
    ]
    let all = try context.fetch(FetchDescriptor<Crate>())
    #expect(all.count == 6)
    for order in orders {
      let both = [order, SortDescriptor(\Crate.name)]
      let expected = all.sorted(using: both)
      #expect(try context.fetch(FetchDescriptor(sortBy: both)) == expected)
      var page = FetchDescriptor(sortBy: both)
      (page.fetchOffset, page.fetchLimit) = (1, 3)
      #expect(try context.fetch(page) == Array(expected[1..<4]))
    }
  }

  @Test("and explain says so")
  func explained() throws {
    let findings = try context.explain(FetchDescriptor(sortBy: [SortDescriptor(\Crate.width)])).findings
    #expect(findings.contains { $0.description.contains("memory") })
  }
}
