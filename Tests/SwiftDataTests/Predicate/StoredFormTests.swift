import Foundation
import SwiftData
import Testing

private enum Forms {
  /// Its JSON is not the list of its elements.
  struct Tags: Codable, RandomAccessCollection, Equatable {
    var items: [String]
    var startIndex: Int { 0 }
    var endIndex: Int { items.count }
    subscript(index: Int) -> String { items[index] }
  }

  /// Encoded by its name, and stored by its number.
  enum Level: Int, Codable {
    case low = 1
    case high = 2

    init(from decoder: any Decoder) throws {
      self = try decoder.singleValueContainer().decode(String.self) == "low" ? .low : .high
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self == .low ? "low" : "high")
    }
  }

  enum Plain: String, Codable { case one, two }

  /// `allCases` leaves out a case.
  enum Priority: Int, Codable, Comparable, CaseIterable {
    case low = 2
    case middle = 7
    case urgent = 9

    static let allCases: [Priority] = [.low, .middle]
    static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
  }

  @Model final class Plan {
    var number: Int
    var days: IndexSet
    var pages: Range<Int>
    var tags: Tags
    var levels: [Level]
    var level: Set<Level>
    var plain: [Plain?]
    var priority: Priority
    @Attribute(.codable) var title: String
    @Attribute(.codable) var size: Int
    @Attribute(.codable) var isOpen: Bool
    @Attribute(.codable) var note: String?
    @Attribute(.codable) var kind: Plain

    init(_ number: Int) {
      self.number = number
      days = IndexSet(number..<(number + 3))
      pages = number..<(2 * number)
      tags = Tags(items: (0..<number).map(String.init))
      levels = number % 2 == 0 ? [.low] : [.high, .low]
      level = number % 3 == 0 ? [] : [.high]
      plain = [[nil], [.one], [.two, nil], []][number % 4]
      priority = [.middle, .urgent, .low][number % 3]
      title = ["hello", "\"quoted\"", "", "caf\u{e9}", "cafe\u{301}"][number % 5]
      size = number - 2
      isOpen = number % 2 == 0
      note = [nil, "n", "note"][number % 3]
      kind = number % 2 == 0 ? .one : .two
    }
  }

  @Model final class Node {
    var number: Int
    var rank = 0
    var parent: Node?
    @Relationship(inverse: \Node.parent) var children: [Node] = []
    init(_ number: Int) { self.number = number }
  }
}

@Suite("What a row stores of a value need not be the value")
struct StoredFormTests {
  private let context: ModelContext

  init() throws {
    context = try memoryContext(Forms.Plan.self)
    for number in 0..<20 { context.insert(Forms.Plan(number)) }
    try context.save()
  }

  private func check(_ predicate: Predicate<Forms.Plan>, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = try context.fetch(FetchDescriptor<Forms.Plan>()).filter { try predicate.evaluate($0) }
    let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.number) == expected.map(\.number).sorted(), sourceLocation: sourceLocation)
    #expect(!expected.isEmpty && expected.count < 20, "the predicate decides nothing", sourceLocation: sourceLocation)
  }

  @Test("Elements are those of the collection, whatever its JSON is")
  func collections() throws {
    try check(#Predicate { $0.days.contains(4) })
    try check(#Predicate { $0.days.allSatisfy { $0 > 4 } })
    try check(#Predicate { $0.days.contains { $0 == 6 } })
    try check(#Predicate { $0.pages.contains(10) })
    try check(#Predicate { $0.pages.contains { $0 == 10 } })
    try check(#Predicate { $0.pages.isEmpty })
    try check(#Predicate { $0.tags.contains("5") })
    try check(#Predicate { $0.tags.count == 5 })
    try check(#Predicate { $0.tags.isEmpty })
    let captured = IndexSet([3, 5])
    try check(#Predicate { plan in captured.contains { $0 == plan.number } })
    try check(#Predicate { $0.plain.contains(.one) })
    try check(#Predicate { $0.plain.contains(nil) })
  }

  @Test("An element is compared as its type decodes it")
  func elements() throws {
    try check(#Predicate { $0.levels.contains(.high) })
    try check(#Predicate { $0.levels.contains { $0 != .low } })
    try check(#Predicate { $0.level.contains(.high) })
    try check(#Predicate { $0.level.isEmpty })
    try check(#Predicate { $0.levels.filter { $0 == .high }.count == 1 })
  }

  @Test("Text, numbers and truth that are stored as JSON answer like others")
  func codable() throws {
    try check(#Predicate { $0.title.starts(with: "he") })
    try check(#Predicate { $0.title.contains("\"") })
    try check(#Predicate { $0.title.isEmpty })
    try check(#Predicate { $0.title.count == 4 })
    try check(#Predicate { $0.title == "caf\u{e9}" })
    try check(#Predicate { $0.title < "d" })
    try check(#Predicate { $0.size + 1 == 4 })
    try check(#Predicate { $0.size > 4 })
    try check(#Predicate { $0.isOpen })
    try check(#Predicate { !$0.isOpen })
    try check(#Predicate { $0.isOpen == false })
    try check(#Predicate { $0.note == nil })
    try check(#Predicate { $0.note?.contains("ote") == true })
    try check(#Predicate { $0.note?.contains("ote") != true })
    try check(#Predicate { $0.kind == .two })
    let sorted = try context.fetch(
      FetchDescriptor<Forms.Plan>(sortBy: [SortDescriptor(\.title), SortDescriptor(\.number)]))
    #expect(sorted.map(\.number) == sorted.sorted { ($0.title, $0.number) < ($1.title, $1.number) }.map(\.number))
  }

  @Test("A sort by an enum knows the cases that allCases leaves out")
  func partialCases() throws {
    for order in [SortOrder.forward, .reverse] {
      let sort = [SortDescriptor(\Forms.Plan.priority, order: order), SortDescriptor(\.number)]
      let expected = try context.fetch(FetchDescriptor<Forms.Plan>()).sorted(using: sort)
      #expect(try context.fetch(FetchDescriptor(sortBy: sort)).map(\.number) == expected.map(\.number))
    }
  }

  @Test("A batch update computes each value from the rows as they were")
  func selfReadingUpdate() throws {
    let context = try memoryContext(Forms.Node.self)
    let nodes = (0..<4).map(Forms.Node.init)
    for (child, parent) in zip(nodes, nodes.dropFirst()) { child.parent = parent }
    for node in nodes { context.insert(node) }
    try context.save()
    try context.update(
      model: Forms.Node.self,
      set: .assign(\.rank, #Expression<Forms.Node, Int> { ($0.children.map(\.rank).max() ?? 0) + 1 }))
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Forms.Node>()).map(\.rank) == [1, 1, 1, 1])
  }

  @Test("A captured expression that returns a list can stand in a predicate twice")
  func capturedTwice() throws {
    let context = try memoryContext(Forms.Node.self)
    let nodes = (0..<12).map(Forms.Node.init)
    for (place, node) in nodes.enumerated() where place > 0 {
      node.parent = nodes[place / 2]
      node.rank = place % 3
    }
    for node in nodes { context.insert(node) }
    try context.save()
    let ranked = #Expression<Forms.Node, [Forms.Node]> { node in node.children.filter { $0.rank > node.rank } }
    let predicate = #Predicate<Forms.Node> { node in
      ranked.evaluate(node).count == ranked.evaluate(node.parent ?? node).filter { $0.rank >= node.rank }.count
    }
    let expected = try nodes.filter { try predicate.evaluate($0) }.map(\.number)
    #expect(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted() == expected)
  }
}
