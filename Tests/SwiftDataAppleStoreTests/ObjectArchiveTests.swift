import AppleStoreTemplates
import Foundation
import SwiftData
import SwiftDataInspection
import Testing

@testable import SwiftDataAppleStore

private enum Kept {
  @Model final class Thing {
    var name: String
    var day: Date?
    var key: UUID?
    var link: URL?
    var note: String?
    var bytes: Data?
    var days: [Date]?
    var words: Set<String>?
    var keys: [UUID]?
    var links: [String: URL]?
    var gaps: [Int?]?
    var parts: [[Data]]?
    init(_ name: String) { self.name = name }
  }
}

private enum Foreign {
  @Model final class Thing {
    var name: String
    var colors: [String]?
    var shades: [String]?
    var prices: [Decimal]?
    init(_ name: String) { self.name = name }
  }
}

private enum Bytes {
  @Model final class Thing {
    var name: String
    var day: Data?
    init(_ name: String) { self.name = name }
  }
}

/// Foundation's own archiver writes what is read, and its unarchiver reads what is written.
@Suite("Attributes that the app keeps as archives of Foundation's classes") struct ObjectArchiveTests {
  private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
  private static let uuid = UUID(uuidString: "619F5BBC-799D-44E4-8B9F-49AC950CD416")!
  private static let url = URL(string: "https://example.com/a?b=c")!

  private static let classes = [
    "day": "NSDate", "key": "NSUUID", "link": "NSURL", "note": "NSMutableString", "bytes": "NSData", "days": "NSArray",
    "words": "NSSet", "keys": "NSOrderedSet", "links": "NSDictionary", "gaps": "NSMutableArray", "parts": "NSArray",
  ]

  private func file(
    _ classes: [String: String], transformer: String? = "NSSecureUnarchiveFromData"
  ) throws -> URL {
    let attributes = classes.map { name, type in
      RareFileTests.attribute(name, .transformable) { ($0.valueClass, $0.transformer) = (type, transformer) }
    }
    return try RareFileTests.file(
      "Thing", [RareFileTests.attribute("name", .string) { $0.isOptional = false }] + attributes)
  }

  private func open<T: PersistentModel>(_ file: URL, _ type: T.Type, allowsSave: Bool = true) throws -> ModelContext {
    let configuration = AppleStoreConfiguration(url: file, allowsSave: allowsSave)
    return ModelContext(try ModelContainer(for: Schema([type]), configurations: [configuration]))
  }

  private func filled() -> Kept.Thing {
    let thing = Kept.Thing("a")
    (thing.day, thing.key, thing.link, thing.note, thing.bytes) = (Self.date, Self.uuid, Self.url, "n", Data([1, 2]))
    (thing.days, thing.words, thing.keys) = ([Self.date, .distantPast], ["x", "y"], [Self.uuid, UUID()])
    (thing.links, thing.gaps, thing.parts) = (["u": Self.url], [1, nil, 3], [[Data([7])], []])
    return thing
  }

  @Test("are written so that Foundation reads the same objects, and are read again")
  func written() throws {
    let file = try file(Self.classes)
    let thing = filled()
    let context = try open(file, Kept.Thing.self)
    context.insert(thing)
    try context.save()
    func object<T: NSObject>(_ name: String, _ type: T.Type) throws -> T {
      let cells = try AppleFile(file).rows("SELECT \(name: "Z" + name.uppercased()) FROM main.ZTHING")
      guard case .blob(let data)? = cells.first?.first else { throw CocoaError(.coderInvalidValue) }
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
      unarchiver.requiresSecureCoding = false
      return try #require(unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? T)
    }
    #expect(try object("day", NSDate.self).isEqual(to: Self.date))
    #expect(try object("key", NSUUID.self).uuidString == Self.uuid.uuidString)
    #expect(try object("link", NSURL.self).absoluteString == Self.url.absoluteString)
    #expect(try object("note", NSMutableString.self).isEqual(to: "n"))
    #expect(try object("bytes", NSData.self).isEqual(to: Data([1, 2])))
    #expect(try object("days", NSArray.self).compactMap { $0 as? Date } == [Self.date, .distantPast])
    #expect(try object("words", NSSet.self).isEqual(to: ["x", "y"]))
    #expect(try object("keys", NSOrderedSet.self).array.compactMap { $0 as? UUID } == thing.keys)
    #expect(try object("links", NSDictionary.self)["u"] as? URL == Self.url)
    #expect(try object("gaps", NSArray.self).map { $0 is NSNull } == [false, true, false])
    try expectFilled(file, keys: thing.keys)
  }

  private func expectFilled(_ file: URL, keys: [UUID]?) throws {
    let read = try #require(
      try open(file, Kept.Thing.self, allowsSave: false).fetch(FetchDescriptor<Kept.Thing>()).first)
    #expect(read.day == Self.date && read.key == Self.uuid && read.link == Self.url && read.note == "n")
    #expect(read.bytes == Data([1, 2]) && read.days == [Self.date, .distantPast] && read.words == ["x", "y"])
    #expect(read.keys == keys && read.links == ["u": Self.url] && read.gaps == [1, nil, 3])
    #expect(read.parts == [[Data([7])], []])
  }

  @Test("are read as Foundation writes them, imported, and printed with their types")
  func read() throws {
    let file = try file(Self.classes)
    let objects: [(String, Any)] = [
      ("day", Self.date as NSDate), ("key", Self.uuid as NSUUID), ("link", Self.url as NSURL),
      ("note", NSMutableString(string: "n")), ("bytes", NSData(data: Data([1, 2]))),
      ("days", [Self.date, Date.distantPast] as NSArray), ("words", NSSet(array: ["x", "y"])),
      ("keys", NSOrderedSet(array: [Self.uuid as NSUUID])), ("links", ["u": Self.url as NSURL] as NSDictionary),
      ("gaps", NSMutableArray(array: [NSNumber(value: 1), NSNull(), NSNumber(value: 3)])),
      ("parts", [[NSData(data: Data([7]))] as NSArray, NSArray()] as NSArray),
    ]
    let cells = try objects.map { name, object in
      let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
      return "Z\(name.uppercased()) = x'\(data.map { String(format: "%02x", $0) }.joined())'"
    }
    try RareFileTests.change(
      file,
      [
        "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'a')",
        "UPDATE ZTHING SET \(cells.joined(separator: ", "))",
      ])
    try expectFilled(file, keys: [Self.uuid])
    let store = try InspectedStore(file.path)
    let source = try store.source()
    for line in ["var day: Date?", "var key: UUID?", "var link: URL?", "var note: String?", "var bytes: Data?"] {
      #expect(source.contains(line), "\(line)\n\(source)")
    }
    let (copy, report) = try RareFileTests.copy(file)
    #expect(report.losses == [])
    #expect(try store.difference(to: copy).isEmpty)
  }

  @Test("are refused by the name of another class, of a transformer of the app, or of values that they do not have")
  func refused() throws {
    func refusal(_ classes: [String: String], _ transformer: String?, _ change: (Foreign.Thing) -> Void) throws
      -> SwiftDataError?
    {
      let context = try open(try file(classes, transformer: transformer), Foreign.Thing.self)
      let thing = Foreign.Thing("a")
      change(thing)
      context.insert(thing)
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error?.code == SwiftDataError.unwritableValue.code)
      return error
    }
    let classes = ["colors": "NSColor", "shades": "NSArray", "prices": "NSArray"]
    let color = try refusal(classes, nil) { $0.colors = ["red"] }
    #expect(color?.property == "colors" && color?.message?.contains("archived NSColor") == true)
    let shade = try refusal(classes, "ShadeTransformer") { $0.shades = ["red"] }
    #expect(shade?.property == "shades" && shade?.message?.contains("(by: ShadeTransformer.self)") == true)
    let price = try refusal(classes, nil) { $0.prices = [1] }
    #expect(price?.property == "prices" && price?.message?.contains("archived NSArray") == true)
  }

  @Test("are read and written as they are by a property of type Data")
  func bytes() throws {
    let file = try file(["day": "NSDate"])
    let context = try open(file, Bytes.Thing.self)
    let thing = Bytes.Thing("a")
    thing.day = Data([9, 9])
    context.insert(thing)
    try context.save()
    #expect(try AppleFile(file).rows("SELECT ZDAY FROM main.ZTHING") == [[.blob(Data([9, 9]))]])
    #expect(try open(file, Bytes.Thing.self).fetch(FetchDescriptor<Bytes.Thing>()).map(\.day) == [Data([9, 9])])
  }
}
