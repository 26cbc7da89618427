import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

private enum WriterModels {
  enum Rank: Int, Codable { case low, high }
  struct Size: Codable {
    var width: Double
    var name: String
  }

  @Model final class Everything {
    var flag = true
    var whole = -5
    var unsigned = UInt64.max
    var real = 1.5
    var single: Float = -0.25
    var date = Date(timeIntervalSinceReferenceDate: 12.5)
    var text = ""
    var letter: Character = "é"
    var decimal = Decimal(string: "1.50")!
    var url = URL(string: "https://example.com")!
    var id = UUID()
    var data = Data([0, 1, 255])
    @Attribute(.externalStorage) var large = Data(count: 200_000)
    var rank = Rank.high
    var size = Size(width: -0.0, name: "\u{0}")
    var list: [String] = []
    var empty: String?
    var other: Everything?
    init() {}
  }
}
private typealias Everything = WriterModels.Everything

@Suite("Rows for PostgreSQL") struct CellWriterTests {
  private let table = EntityTable.tables(of: Schema([Everything.self])) { _ in 0 }[0]
  private var layout: RowLayout {
    RowLayout(table, table.stored, isNew: true, StoreLayout(tables: [table]))
  }

  /// The parameters of one row, as the cells of its values are.
  private func expected(_ object: Everything) throws -> [PostgresParameter] {
    var given = [String: String]()
    var parameters = [PostgresParameter.keys([object.__state.key])]
    for (property, column) in zip(layout.properties, layout.columns) {
      var cell = SQLValue.null
      if property.isAttribute {
        let made = try ServerCell(of: object.__value(at: property.index), property)
        given[column.name] = made.given
        cell = made.value
      } else if let target = object.other {
        cell = .integer(target.__state.key)
      }
      parameters.append(.array([cell], column.type))
    }
    return parameters + [.array([ServerCell.encode(given: given)], .jsonb)]
  }

  @Test(
    "have the same bytes as the cells of the values, of every type (issue 21)",
    arguments: [
      "", "plain", "exactly8", "longer than eight bytes", "é", "e\u{301}", "日本語", "Привет", "a\u{0}b", "a\u{1}b",
      "12345678\u{1}", "\u{2}", "🇩🇪", "eight by\u{301}",
    ])
  func cells(_ text: String) throws {
    let container = try ModelContainer(
      for: Everything.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let object = Everything()
    context.insert(object)
    object.__state.key = 7
    object.text = text
    object.list = text.isEmpty ? [] : [text, "-0"]
    object.real = text.isEmpty ? .nan : -0.0
    if !text.isEmpty {
      let other = Everything()
      context.insert(other)
      other.__state.key = 9
      object.other = other
    }
    let writer = PostgresCellWriter(layout)
    try writer.append(object)
    let parameters = writer.rows.parameters
    let cells = try expected(object)
    #expect(parameters.count == cells.count)
    for ((parameter, cell), column) in zip(zip(parameters, cells), layout.all) {
      #expect(parameter.type == cell.type, "\(column.0)")
      #expect(parameter.bytes == cell.bytes, "\(column.0)")
    }
  }

  @Test("are cut into statements of a reasonable size, all rows once and in order (issue 21)")
  func parts() {
    let rows = RowBuffer([("a", .bigint), ("b", .text)])
    for number in 0..<25 { rows.append([.integer(Int64(number)), number % 3 == 0 ? .null : .text("\(number)")]) }
    let parts = rows.parts(10)
    #expect(parts.map(\.count) == [10, 10, 5])
    var start = 0
    for part in parts {
      let numbers = start..<start + part.count
      #expect(part.parameters[0].bytes == PostgresParameter.keys(numbers.map { Int64($0) }).bytes)
      let texts = numbers.map { $0 % 3 == 0 ? SQLValue.null : .text("\($0)") }
      #expect(part.parameters[1].bytes == PostgresParameter.array(texts, .text).bytes)
      start += part.count
    }
    rows.removeAll()
    #expect(rows.parts().isEmpty)
    #expect(
      rows.parameters.map(\.bytes) == [PostgresParameter.keys([]).bytes, PostgresParameter.array([], .text).bytes])
  }

  @Test("compare numbers that are equal as equal bytes (issue 21)")
  func comparing() throws {
    let real = table.stored.filter { $0.name == "real" }
    let layout = RowLayout(table, real, isNew: false, StoreLayout(tables: [table]))
    func bytes(_ value: Double) throws -> [UInt8] {
      let object = Everything()
      object.real = value
      let writer = PostgresCellWriter(comparing: layout, number: "place")
      writer.rows.beginRow()
      try writer.encode(object)
      return Array(writer.rows.cells.bytes)
    }
    #expect(try bytes(0) == bytes(-0.0))
    #expect(try bytes(.nan) == bytes(-.nan))
    #expect(try bytes(0) != bytes(1))
  }

  @Test("JSON has no NUL, whatever follows it")
  func json() { #expect(StoredText.json("[\"\\u0000\u{301}\"]") == "[\"\\ufffd\u{301}\"]") }
}
