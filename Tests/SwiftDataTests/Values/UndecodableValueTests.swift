import Foundation
import SwiftData
import Testing

private enum Depot {
  struct Size: Codable, Comparable {
    var width = 1
    var height = 1
    var area: Int { width * height }
    static func < (left: Size, right: Size) -> Bool { left.area < right.area }
  }

  @Composite struct Label: Codable {
    var text = "t"
    var rank = 1
    var note: String?
  }

  enum Grade: String, Codable { case fine }

  /// Equal by its first letter, so that Swift compares.
  enum Brand: String, Codable {
    case acme, ace
    static func == (left: Brand, right: Brand) -> Bool { left.rawValue.first == right.rawValue.first }
  }

  @Model final class Box {
    var number: Int
    var size = Size()
    var spare: Size?
    var sizes = [Size()]
    var numbers = [1]
    var label = Label()
    var grade: Grade?
    var brand = Brand.acme
    var price = Decimal(1)
    var prices = [Decimal(1)]
    init(_ number: Int) { self.number = number }
  }

  static func store() throws -> TemporaryStore {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Box.self))
    for number in 1...3 {
      let box = Box(number)
      (box.spare, box.grade) = (Size(), .fine)
      context.insert(box)
    }
    try context.save()
    return store
  }
}

@Suite("A stored value that Swift cannot decode")
struct UndecodableValueTests {
  private typealias Box = Depot.Box
  private typealias Question = (column: String, cell: String, ask: (ModelContext) throws -> Void)

  private static func counting(_ predicate: Predicate<Box>) -> (ModelContext) throws -> Void {
    { _ = try $0.fetchCount(FetchDescriptor(predicate: predicate)) }
  }

  private static var questions: [Question] {
    let (size, acme) = (Depot.Size(), Depot.Brand.acme)
    let all = FetchDescriptor<Box>()
    let old = #"'{"width":1}'"#
    return [
      ("size", old, counting(#Predicate { $0.size.width == 1 })),
      ("size", old, counting(#Predicate { $0.size.area != 1 })),
      ("size", old, counting(#Predicate { $0.size == size })),
      ("size", old, counting(#Predicate { $0.size >= size })),
      ("size", old, counting(#Predicate { [size].contains($0.size) })),
      ("spare", old, counting(#Predicate { $0.spare?.width == 1 })),
      ("spare", old, counting(#Predicate { $0.spare == size })),
      ("brand", "'none'", counting(#Predicate { $0.brand == acme })),
      ("sizes", #"'[{"width":1}]'"#, counting(#Predicate { $0.sizes.contains { $0.width == 1 } })),
      ("sizes", #"'[{"width":1}]'"#, counting(#Predicate { $0.sizes.first?.width == 1 })),
      ("numbers", "'[1.5]'", counting(#Predicate { $0.numbers.contains { $0 > 0 } })),
      ("size", old, { _ = try $0.fetchIdentifiers(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.size.area)])) }),
      ("size", old, { _ = try $0.fetch(all, computing: .minimum(\.size)) }),
      ("size", old, { _ = try $0.fetch(all, computing: .sum(\.size.area)) }),
      ("price", "'12abc'", counting(#Predicate { $0.price > 11 })),
      ("price", "'12abc'", { _ = try $0.fetchIdentifiers(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.price)])) }),
      ("price", "'12abc'", { _ = try $0.fetch(all, computing: .sum(\.price)) }),
      ("prices", #"'["12abc"]'"#, counting(#Predicate { $0.prices.contains { $0 > 11 } })),
      ("size", old, { _ = try $0.fetch(all, selecting: \.size) }),
      ("spare", old, { _ = try $0.fetch(all, selecting: \.spare) }),
      ("grade", "'poor'", { _ = try $0.fetch(all, selecting: \.grade) }),
    ]
  }

  @Test("fails each query that needs it, and the error names entity and property", arguments: 0..<questions.count)
  func failing(index: Int) throws {
    let (column, cell, ask) = Self.questions[index]
    let store = try Depot.store()
    let context = ModelContext(try store.container(Box.self))
    try ask(context)
    _ = try store.shell("UPDATE Box SET \(column) = \(cell) WHERE number = 2")
    let error = #expect(throws: SwiftDataError.unreadableValue) { try ask(context) }
    #expect(error?.message?.isEmpty == false, "\(error as Any)")
    #expect(error?.entity == "Box")
    #expect(error?.property == column)
  }

  @Test("fails arithmetic with decimal numbers, which has no result then")
  func arithmetic() throws {
    let store = try Depot.store()
    let context = ModelContext(try store.container(Box.self))
    let questions: [(ModelContext) throws -> Void] = [
      Self.counting(#Predicate { $0.price + 1 > 1 }), Self.counting(#Predicate { -$0.price < 1 }),
      { _ = try $0.fetch(FetchDescriptor<Box>(), computing: .sum(#Expression<Box, Decimal> { $0.price * 2 })) },
    ]
    for ask in questions { try ask(context) }
    _ = try store.shell("UPDATE Box SET price = '12abc' WHERE number = 2")
    for ask in questions { #expect(throws: SwiftDataError.unreadableValue) { try ask(context) } }
  }

  @Test("does not fail a query that does not read it")
  func unread() throws {
    let store = try Depot.store()
    _ = try store.shell(#"UPDATE Box SET size = '{"width":1}' WHERE number = 2"#)
    let context = ModelContext(try store.container(Box.self))
    #expect(try context.fetchCount(FetchDescriptor<Box>(predicate: #Predicate { $0.number > 1 })) == 2)
    let size = Depot.Size()
    #expect(try context.fetchCount(FetchDescriptor<Box>(predicate: #Predicate { $0.spare == size })) == 3)
  }
}

@Suite("A struct of the same name with another member")
struct ChangedStructTests {
  /// A store whose description says that no value has some members.
  private func store(of property: String, without members: [String], _ cell: String) throws -> TemporaryStore {
    let store = try Depot.store()
    let paths = members.map { ", '$.\($0)'" }.joined()
    _ = try store.shell(
      """
      UPDATE _swiftdata SET value = json_set(value, '$.tables[0].columns', json((
        SELECT json_group_array(json(CASE WHEN value ->> 'name' = '\(property)'
          THEN json_set(value, '$.parts', json_remove(value -> 'parts'\(paths))) ELSE value END))
        FROM json_each(_swiftdata.value -> '$.tables[0].columns')))) WHERE key = 'layout';
      DELETE FROM _swiftdata WHERE key = 'fingerprint';
      UPDATE Box SET \(property) = '\(cell)';
      """)
    return store
  }

  @Test(
    "is refused at the opening if a value lacks a member that is not optional",
    arguments: [
      ("size", "height", #"{"width":1}"#), ("spare", "height", #"{"width":1}"#),
      ("sizes", "height", #"[{"width":1}]"#), ("label", "rank", #"{"text":"t"}"#),
    ])
  func refused(property: String, member: String, cell: String) throws {
    let store = try store(of: property, without: [member], cell)
    let before = try store.shell(".dump")
    let error = #expect(throws: SwiftDataError.unreadableValue) { _ = try store.container(Depot.Box.self) }
    #expect(error?.property == property)
    #expect(error?.message?.contains(#"it has no "\#(member)"; make that member optional"#) == true, "\(error as Any)")
    #expect(try store.shell(".dump") == before)
  }

  @Test("is opened if all values have the member, or if it is optional, and the description is written")
  func opened() throws {
    for (property, member, cell) in [
      ("label", "note", #"{"rank":1,"text":"t"}"#), ("label", "rank", #"{"rank":1,"text":"t"}"#),
      ("size", "height", #"{"height":1,"width":1}"#),
    ] {
      let store = try store(of: property, without: [member], cell)
      let context = ModelContext(try store.container(Depot.Box.self))
      #expect(try context.fetch(FetchDescriptor<Depot.Box>()).map(\.label.rank) == [1, 1, 1])
      #expect(try store.shell("SELECT DISTINCT \(property) FROM Box") == cell)
      #expect(try store.shell("SELECT value FROM _swiftdata WHERE key = 'layout'").contains(#""\#(member)":"#))
    }
  }

  @Test("that has a member less takes it out of the description, because rows that it saves lack the member")
  func shorter() throws {
    let store = try Depot.store()
    _ = try store.shell(
      """
      UPDATE _swiftdata SET value = replace(value, '"rank":"Int"', '"former":"Int","rank":"Int"') WHERE key = 'layout';
      DELETE FROM _swiftdata WHERE key = 'fingerprint';
      """)
    let layout = "SELECT value FROM _swiftdata WHERE key = 'layout'"
    #expect(try store.shell(layout).contains(#""former":"Int""#))
    _ = try store.container(Depot.Box.self)
    #expect(try !store.shell(layout).contains(#""former":"Int""#))
  }
}
