import AppleStoreTemplates
import Foundation
import SwiftData
import Testing

@testable import SwiftDataAppleStore

private enum Short {
  @Model final class Thing {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum Lists {
  @Model final class Thing {
    var words: [String]?
    var numbers: [String: Int]?
    var days: [Date]?
    init(words: [String]? = nil, numbers: [String: Int]? = nil, days: [Date]? = nil) {
      (self.words, self.numbers, self.days) = (words, numbers, days)
    }
  }
}

private enum Priced {
  @Model final class Thing {
    var price: Decimal?
    init(_ price: Decimal?) { self.price = price }
  }
}

private enum Preserved {
  @Model final class Parcel {
    @Attribute(.preserveValueOnDeletion) var area: Library.Size?
    @Attribute(.preserveValueOnDeletion) var title: String
    init(_ title: String) { self.title = title }
  }
}

@Suite("What a save writes into a file in Apple's format") struct LeftOutTests {
  private func open(_ file: URL, _ type: any PersistentModel.Type) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema([type]), configurations: [AppleStoreConfiguration(url: file, allowsSave: true)]))
  }

  @Test("A new object gets the file's default of each property that the class leaves out")
  func defaults() throws {
    let uuid = try #require(UUID(uuidString: "619F5BBC-799D-44E4-8B9F-49AC950CD416"))
    let stage = RareFileTests.attribute("stage", .composite) {
      ($0.isEnum, $0.isOptional, $0.defaultValue) = (true, false, .integer(2))
      $0.elements = [RareFileTests.attribute("level", .int64)]
    }
    let file = try RareFileTests.file(
      "Thing",
      [
        RareFileTests.attribute("name", .string) { $0.isOptional = false }, stage,
        RareFileTests.attribute("key", .uuid) { ($0.isOptional, $0.defaultValue) = (false, .uuid(uuid)) },
        RareFileTests.attribute("price", .decimal) { ($0.isOptional, $0.defaultValue) = (false, .real(1.5)) },
        RareFileTests.attribute("remark", .string),
      ])
    let context = try open(file, Short.Thing.self)
    context.insert(Short.Thing("a"))
    context.insert(Short.Thing("b"))
    try context.save()
    let rows = try AppleFile(file).rows("SELECT ZNAME, ZKEY, ZPRICE, ZLEVEL, ZREMARK FROM main.ZTHING ORDER BY ZNAME")
    let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
    let rest: [SQLValue] = [.blob(bytes), .real(1.5), .integer(2), .null]
    let expected: [[SQLValue]] = ["a", "b"].map { [.text($0)] + rest }
    #expect(rows == expected)
  }

  @Test("A new object that lacks a required value, because the class has no such property, is refused")
  func missing() throws {
    let file = try RareFileTests.file(
      "Thing",
      [
        RareFileTests.attribute("name", .string) { $0.isOptional = false },
        RareFileTests.attribute("price", .decimal) { $0.isOptional = false },
      ])
    let context = try open(file, Short.Thing.self)
    context.insert(Short.Thing("a"))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == SwiftDataError.modelValidationFailure.code)
    #expect(error?.entity == "Thing" && error?.property == "price")
    #expect(try AppleFile(file).rows("SELECT count(*) FROM main.ZTHING") == [[.integer(0)]])
  }

  @Test("A collection of a class of Foundation's is written as one")
  func collections() throws {
    func attribute(_ name: String, _ type: String) -> AppleAttribute {
      RareFileTests.attribute(name, .transformable) {
        ($0.valueClass, $0.transformer) = (type, "NSSecureUnarchiveFromData")
      }
    }
    let file = try RareFileTests.file(
      "Thing",
      [attribute("words", "NSArray"), attribute("numbers", "NSMutableDictionary"), attribute("days", "NSArray")])
    let context = try open(file, Lists.Thing.self)
    context.insert(Lists.Thing(words: ["a", "b"], numbers: ["x": 1, "y": -2]))
    try context.save()
    let rows = try AppleFile(file).rows("SELECT ZWORDS, ZNUMBERS FROM main.ZTHING")
    guard case .blob(let words)? = rows.first?[0], case .blob(let numbers)? = rows.first?[1] else {
      throw CocoaError(.coderInvalidValue)
    }
    let array = try KeyedArchive([UInt8](words))
    #expect(try array.instance(array.root)?.className == "NSArray")
    #expect(try array.plainValue() == .array([.string("a"), .string("b")]))
    let dictionary = try KeyedArchive([UInt8](numbers))
    #expect(try dictionary.instance(dictionary.root)?.className == "NSMutableDictionary")
    #expect(try dictionary.plainValue() == .dictionary(["x": .integer(1), "y": .integer(-2)]))
    let read = try #require(try open(file, Lists.Thing.self).fetch(FetchDescriptor<Lists.Thing>()).first)
    #expect(read.words == ["a", "b"] && read.numbers == ["x": 1, "y": -2] && read.days == nil)
    context.insert(Lists.Thing(days: [Date(timeIntervalSinceReferenceDate: 1)]))
    try context.save()
    let days = try open(file, Lists.Thing.self).fetch(FetchDescriptor<Lists.Thing>()).compactMap(\.days)
    #expect(days == [[Date(timeIntervalSinceReferenceDate: 1)]])
  }

  @Test("A decimal number that is NaN is refused")
  func decimalNaN() throws {
    let file = try RareFileTests.file("Thing", [RareFileTests.attribute("price", .decimal)])
    let context = try open(file, Priced.Thing.self)
    context.insert(Priced.Thing(Decimal.nan))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == SwiftDataError.unwritableValue.code && error?.property == "price")
    #expect(try AppleFile(file).rows("SELECT count(*) FROM main.ZTHING") == [[.integer(0)]])
  }

  @Test("The history keeps the preserved values of a deleted object under their own attributes beside a struct")
  func tombstones() throws {
    let file = try Library.folder().appendingPathComponent("parcels.store")
    try AppleStoreTemplate(for: [Preserved.Parcel.self]).make(at: file)
    let context = try open(file, Preserved.Parcel.self)
    let parcel = Preserved.Parcel("box")
    parcel.area = Library.Size(width: 1, height: 2, notes: nil)
    context.insert(parcel)
    try context.save()
    context.delete(parcel)
    try context.save()
    let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    guard case .delete(let change)? = last.changes.first,
      let deletion = change as? DefaultHistoryDelete<Preserved.Parcel>
    else { throw CocoaError(.coderInvalidValue) }
    #expect(deletion.tombstone[\.title] as? String == "box")
  }
}

@Suite("Values of files in Apple's format") struct AppleValueTests {
  @Test("A struct inside another one may have no values at all, unless the file says that it is optional")
  func emptyStructs() throws {
    func place(isOptional: Bool, geoIsOptional: Bool) -> SwiftDataAppleStore.Conversion {
      let geo = RareFileTests.attribute("geo", .composite) {
        $0.isOptional = geoIsOptional
        $0.elements = [RareFileTests.attribute("lat", .double), RareFileTests.attribute("lon", .double)]
      }
      return SwiftDataAppleStore.Conversion.json(
        RareFileTests.attribute("place", .composite) {
          $0.isOptional = isOptional
          $0.elements = [RareFileTests.attribute("name", .string) { $0.isOptional = false }, geo]
        })
    }
    let cells: [SQLValue] = [.text("x"), .null, .null]
    #expect(place(isOptional: false, geoIsOptional: false).read?(cells) == .text("{\"geo\":{},\"name\":\"x\"}"))
    #expect(place(isOptional: false, geoIsOptional: true).read?(cells) == .text("{\"name\":\"x\"}"))
    #expect(place(isOptional: true, geoIsOptional: false).read?([.null, .null, .null]) == .null)
    #expect(try place(isOptional: false, geoIsOptional: false).write(.text("{\"geo\":{},\"name\":\"x\"}")) == cells)
  }

  @Test("An unsigned number above the greatest Int64 keeps its value")
  func unsignedNumbers() throws {
    func list(_ number: [UInt8]) throws -> PlainValue {
      // The number, the table of offsets, and the trailer: sizes, the number of objects, the top one, the table's place.
      let object = [0x14] + number
      let trailer: [UInt8] =
        [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 25]
      return try BinaryPropertyList(BinaryPropertyList.signature + object + [8] + trailer).plainValue()
    }
    let zeros = [UInt8](repeating: 0, count: 8)
    #expect(try list(zeros + [UInt8](repeating: 255, count: 8)) == .decimal("18446744073709551615"))
    #expect(try list(zeros + [0, 0, 0, 0, 0, 0, 1, 2]) == .integer(258))
    #expect(try list([UInt8](repeating: 255, count: 16)) == .integer(-1))
  }
}
