import Foundation
import SwiftData
import Testing

private enum Odd {
  /// More properties than the bits of a word.
  @Model final class Wide {
    var p0: Int = 0
    var p1: String = ""
    var p2: Double = 0
    var p3: Bool = false
    var p4: Date? = nil
    var p5: String? = nil
    var p6: Int? = nil
    var p7: Int = 0
    var p8: String = ""
    var p9: Double = 0
    var p10: Bool = false
    var p11: Date? = nil
    var p12: String? = nil
    var p13: Int? = nil
    var p14: Int = 0
    var p15: String = ""
    var p16: Double = 0
    var p17: Bool = false
    var p18: Date? = nil
    var p19: String? = nil
    var p20: Int? = nil
    var p21: Int = 0
    var p22: String = ""
    var p23: Double = 0
    var p24: Bool = false
    var p25: Date? = nil
    var p26: String? = nil
    var p27: Int? = nil
    var p28: Int = 0
    var p29: String = ""
    var p30: Double = 0
    var p31: Bool = false
    var p32: Date? = nil
    var p33: String? = nil
    var p34: Int? = nil
    var p35: Int = 0
    var p36: String = ""
    var p37: Double = 0
    var p38: Bool = false
    var p39: Date? = nil
    var p40: String? = nil
    var p41: Int? = nil
    var p42: Int = 0
    var p43: String = ""
    var p44: Double = 0
    var p45: Bool = false
    var p46: Date? = nil
    var p47: String? = nil
    var p48: Int? = nil
    var p49: Int = 0
    var p50: String = ""
    var p51: Double = 0
    var p52: Bool = false
    var p53: Date? = nil
    var p54: String? = nil
    var p55: Int? = nil
    var p56: Int = 0
    var p57: String = ""
    var p58: Double = 0
    var p59: Bool = false
    var p60: Date? = nil
    var p61: String? = nil
    var p62: Int? = nil
    var p63: Int = 0
    var p64: String = ""
    var p65: Double = 0
    var p66: Bool = false
    var p67: Date? = nil
    var p68: String? = nil
    var p69: Int? = nil
    @Relationship(inverse: \Table.wide) var rows: [Table] = []
    init() {}
  }

  @Model final class Table {
    var select: String
    var order: Int = 0
    var wide: Wide?
    @Relationship(inverse: \Index.tables) var group: [Index] = []
    init(select: String) { self.select = select }
  }

  @Model final class Index {
    @Attribute(.unique) var unique: String
    var tables: [Table] = []
    init(unique: String) { self.unique = unique }
  }

  @Model final class Order {
    var rowid: Int = 1
    var oid: String = ""
    var isNull: Bool = false
    var `default`: String = "d"
    init() {}
  }
}

@Suite struct OddModelTests {
  @Test("A model of more than 64 properties tracks, saves, fetches and rolls back each of them")
  func wide() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Odd.Wide.self))
    let wide = Odd.Wide()
    (wide.p0, wide.p1, wide.p63, wide.p64, wide.p69) = (1, "one", 63, "64", nil)
    context.insert(wide)
    try context.save()
    (wide.p64, wide.p66, wide.p69) = ("sixty-four", true, 69)
    #expect(wide.hasChanges)
    context.rollback()
    #expect(wide.p64 == "64" && wide.p66 == false && wide.p69 == nil)
    (wide.p64, wide.p66, wide.p69) = ("sixty-four", true, 69)
    wide.rows.append(Odd.Table(select: "s"))
    try context.save()
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<Odd.Wide>(
        predicate: #Predicate { $0.p64 == "sixty-four" && $0.p69 == 69 && $0.p1 == "one" },
        sortBy: [SortDescriptor(\.p65), SortDescriptor(\.p63)]))
    #expect(found.map { $0.p66 } == [true])
    #expect(found.first?.rows.map { $0.select } == ["s"])
    var partial = FetchDescriptor<Odd.Wide>()
    partial.propertiesToFetch = [\.p64, \.p69]
    let part = try #require(try ModelContext(context.container).fetch(partial).first)
    #expect(part.p64 == "sixty-four" && part.p69 == 69 && part.p63 == 63)
  }

  @Test("Classes and properties may be named by SQL words")
  func words() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Odd.Table.self, Odd.Order.self))
    let table = Odd.Table(select: "from")
    table.group = [Odd.Index(unique: "x"), Odd.Index(unique: "y")]
    context.insert(table)
    let order = Odd.Order()
    (order.rowid, order.oid) = (42, "o")
    context.insert(order)
    try context.save()
    let reader = ModelContext(context.container)
    let tables = try reader.fetch(
      FetchDescriptor<Odd.Table>(
        predicate: #Predicate { $0.select == "from" && $0.group.contains { $0.unique == "y" } },
        sortBy: [SortDescriptor(\.order)]))
    #expect(tables.first?.group.map { $0.unique } == ["x", "y"])
    let orders = try reader.fetch(
      FetchDescriptor<Odd.Order>(predicate: #Predicate { $0.rowid == 42 && $0.isNull == false && $0.default == "d" }))
    #expect(orders.map { $0.oid } == ["o"])
    #expect(orders.first?.rowid == 42)
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }
}
