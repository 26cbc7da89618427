import AppleStoreTemplates
import Foundation
import SwiftData
import SwiftDataInspection
import Testing

@testable import SwiftDataAppleStore

@Suite("Files that are unlike most") struct OddStoreTests {
  /// Changes a file as another program would.
  private static func change(_ file: URL, _ statements: String...) throws {
    let raw = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    for statement in statements { try raw.execute(statement) }
  }

  private static func odd() throws -> URL {
    let file = try Library.folder().appendingPathComponent("odd.store")
    try OddStore.make(at: file)
    return file
  }

  // MARK: - Rare models

  @Test("A model with rare names, levels and relationships is read, checked, printed and imported")
  func oddModel() throws {
    let file = try Self.odd()
    let store = try InspectedStore(file.path)
    // The counts have the subentities too.
    let subentities = ["Base": ["Middle", "Leaf"], "Middle": ["Leaf"]]
    for (name, count) in OddStore.counts {
      let own = try ([name] + (subentities[name] ?? [])).map { try store.count(of: $0) }
      #expect(own.reduce(0, +) == count, "\(name)")
    }
    let model = try store.rows(of: "Model", limit: 10)
    #expect(model.map { $0.values["isOn"] } == [.bool(true), .bool(false), nil])
    #expect(model.map { $0.related["friends"] } == [[2], [1], nil])
    #expect(model[0].related["tags"] == [2, 1])
    #expect(try store.rows(of: "Set", limit: 10).map { $0.related["others"] } == [[2], [1]])
    #expect(try store.rows(of: "Set", limit: 10).map { $0.related["datas"] } == [[1, 2], nil])
    #expect(try store.rows(of: "Leaf", limit: 10)[0].related == ["owner": [2], "tag": [1], "tag2": [2]])
    #expect(try store.rows(of: "URL", limit: 10)[0].values["url"] == nil)
    let attribute = try store.rows(of: "Attribute", limit: 1)[0].values
    #expect(attribute["tag"] == .object(["second": .object([:])]))
    #expect(attribute["model"] == .object(["x": .number(1.5), "data": .integer(10), "list": .array([.integer(1)])]))
    let source = try store.source()
    for line in [
      "@SwiftData.Model", "  @SwiftData.Attribute(.unique, originalName: \"class\")",
      "  var date: Date? = nil", "  var data: Foundation.Data? = nil",
      "  var string: String? = \"Data \\\"Set\\\" Date\"",
      "  struct ModelValue: Codable {", "  enum TagValue: Codable { case first, second }",
      "  #Unique<Model>([\\.self_, \\._hidden])",
    ] { #expect(source.contains(line), "\(line)\n\(source)") }
    let copy = file.deletingLastPathComponent().appendingPathComponent("copy.store")
    _ = try store.copy(into: copy)
    #expect(try store.difference(to: InspectedStore(copy.path)).text == "the stores are equal")
  }

  @Test("Of two relationships that lead to each other and are no pair, one says so")
  func independentRelationships() throws {
    let source = try InspectedStore(try Self.odd().path).source()
    let marks = source.components(separatedBy: ".withoutInverse").count - 1
    // Data.mainSet with Set.others, and Middle.tag with Tag.middle.
    #expect(marks == 2, "\(source)")
    #expect(source.contains("import SwiftDataAppleStore"))
  }

  // MARK: - Files without a model

  @Model final class Pupil {
    var name: String
    var born: Date?
    var isNew: Bool
    var room: Room?
    var clubs: [Club] = []
    init(_ name: String, _ room: Room?) { (self.name, self.room, isNew) = (name, room, true) }
  }

  @Model final class Room {
    var number: Int
    @Relationship(inverse: \Pupil.room) var pupils: [Pupil] = []
    init(_ number: Int) { self.number = number }
  }

  @Model final class Club {
    var title: String
    @Relationship(inverse: \Pupil.clubs) var members: [Pupil] = []
    var chairs: [Chair] = []
    init(_ title: String) { self.title = title }
  }

  @Model final class Chair {
    var label: String
    init(_ label: String) { self.label = label }
  }

  @Test("Without a model inside, columns, keys, lists and tables of pairs tell most of it")
  func noModel() throws {
    let types: [any PersistentModel.Type] = [Pupil.self, Room.self, Club.self, Chair.self]
    let file = try Library.folder().appendingPathComponent("school.sqlite")
    try AppleStoreTemplate(for: types).make(at: file)
    do {
      let configuration = AppleStoreConfiguration(url: file, allowsSave: true)
      let context = ModelContext(try ModelContainer(for: Schema(types), configurations: [configuration]))
      let (room, club) = (Room(7), Club("chess"))
      let pupils = ["Ada", "Bob"].map { Pupil($0, room) }
      for model in pupils as [any PersistentModel] + [room, club] { context.insert(model) }
      club.members = pupils
      club.chairs = [Chair("red"), Chair("blue")]
      try context.save()
    }
    try Self.change(file, "DROP TABLE Z_MODELCACHE")
    let store = try AppleFile(file)
    #expect(store.model.isInferred)
    #expect(store.model.entity(named: "Pupil")?.attributes.map(\.name) == ["born", "isnew", "name"])
    #expect(store.model.entity(named: "Pupil")?.relationships.map(\.name) == ["clubs", "room"])
    #expect(store.model.entity(named: "Club")?.relationships.map(\.name) == ["chairs", "members"])
    let container = try ModelContainer(for: Schema(types), configurations: [AppleStoreConfiguration(url: file)])
    let context = ModelContext(container)
    let club = try #require(try context.fetch(FetchDescriptor<Club>()).first)
    #expect(Set(club.members.map(\.name)) == ["Ada", "Bob"])
    #expect(Set(club.chairs.map(\.label)) == ["red", "blue"])
    #expect(club.members[0].room?.number == 7)
    #expect(club.members[0].room?.pupils.count == 2)
    let copy = file.deletingLastPathComponent().appendingPathComponent("copy.store")
    let opened = try InspectedStore(file.path)
    _ = try opened.copy(into: copy)
    #expect(try opened.difference(to: InspectedStore(copy.path)).isEmpty)
    #expect(try opened.rows(of: "Club", limit: 1)[0].related == ["members": [1, 2], "chairs": [1, 2]])
  }

  @Test("A model that is empty or not compressed is read as what it is")
  func otherModelCaches() throws {
    let file = try Library.filled()
    let store = try AppleFile(file)
    guard case .blob(let content)? = try store.rows("SELECT Z_CONTENT FROM main.Z_MODELCACHE").first?.first else {
      throw CocoaError(.coderInvalidValue)
    }
    let plain = try Inflate.decompress([UInt8](content), limit: 1 << 24)
    let hex = { (bytes: [UInt8]) in bytes.map { String(format: "%02x", $0) }.joined() }
    try Self.change(file, "UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(hex(plain))'")
    #expect(try !AppleFile(file).model.isInferred)
    try Self.change(file, "UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(hex([0x78, 0x9C] + content))'")
    #expect(try AppleFile(file).model.entity(named: "Book") != nil)
    for value in ["NULL", "x''"] {
      try Self.change(file, "UPDATE Z_MODELCACHE SET Z_CONTENT = \(value)")
      #expect(try AppleFile(file).model.isInferred)
    }
    try Self.change(file, "DELETE FROM Z_MODELCACHE", "UPDATE Z_METADATA SET Z_PLIST = NULL")
    #expect(try AppleFile(file).model.isInferred)
  }

  @Test("An indexed integer whose name is no entity's stays an attribute")
  func indexedIntegers() {
    let model = InferredModel.model(
      numbers: ["Message": 1, "User": 2], parents: [:],
      tables: [
        "ZMESSAGE": [
          "Z_PK": "INTEGER", "Z_ENT": "INTEGER", "ZFLAGS": "INTEGER", "ZUSER": "INTEGER", "ZFROM": "INTEGER",
          "Z2_FROM": "INTEGER", "Z_FOK_USER": "INTEGER",
        ], "ZUSER": ["ZNAME": "VARCHAR", "Z1READ": "INTEGER"], "Z_1LIKES": ["Z_1LIKED": "", "Z_2LIKES": ""],
      ], indices: ["ZMESSAGE_ZFLAGS_INDEX", "ZMESSAGE_ZUSER_INDEX", "ZMESSAGE_ZFROM_INDEX"])
    let message = model.entity(named: "Message")
    #expect(message?.attributes.map(\.name) == ["flags"])
    #expect(message?.relationships.map(\.name) == ["from", "likes", "read", "user"])
    #expect(message?.relationships.map(\.destination) == ["User", "User", "User", "User"])
    #expect(model.entity(named: "User")?.relationships.map(\.name) == ["liked"])
  }

  // MARK: - Databases

  @Test("Text in UTF-16 is read, searched and imported", arguments: ["UTF-16le", "UTF-16be"])
  func encodings(_ encoding: String) throws {
    let file = try Library.folder().appendingPathComponent("default.store")
    var template = AppleStoreTemplate(for: Library.all, enums: Library.enums)
    template.encoding = encoding
    try template.make(at: file)
    let writer = ModelContext(try Library.container(file))
    for title in ["Zoë 🦊", "日本語", "Cafe\u{301}", ""] { writer.insert(Library.Book(title, pages: title.count)) }
    try writer.save()
    let context = ModelContext(try Library.container(file, allowsSave: false))
    let titles = try context.fetch(FetchDescriptor<Library.Book>(sortBy: [SortDescriptor(\.title)])).map(\.title)
    #expect(titles == ["", "Cafe\u{301}", "Zoë 🦊", "日本語"])
    let cafe = "Café"
    #expect(try context.fetchCount(FetchDescriptor<Library.Book>(predicate: #Predicate { $0.title == cafe })) == 1)
    let copy = file.deletingLastPathComponent().appendingPathComponent("copy.store")
    for isRepeated in [false, true] {
      #expect(try InspectedStore(file.path).copy(into: copy).isRepeated == isRepeated)
    }
    #expect(try InspectedStore(file.path).difference(to: InspectedStore(copy.path)).isEmpty)
    let own = try ModelContainer(for: Schema(Library.all), configurations: [ModelConfiguration(url: copy)])
    #expect(try ModelContext(own).fetchCount(FetchDescriptor<Library.Book>()) == 4)
  }

  @Test("Every journal mode is read", arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
  func journalModes(_ mode: String) throws {
    let file = try Library.filled()
    try Self.change(file, "PRAGMA journal_mode = \(mode)", "UPDATE ZBOOK SET ZPAGES = 7 WHERE ZPAGES = 0")
    let context = ModelContext(try Library.container(file, allowsSave: false))
    let seven = #Predicate<Library.Book> { $0.pages == 7 }
    #expect(try context.fetchCount(FetchDescriptor(predicate: seven)) == 1)
  }

  @Test("Tables of a CloudKit sync and of the app itself are left alone, and inspect warns")
  func otherTables() throws {
    let file = try Library.filled()
    try Self.change(
      file,
      "CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITYID INTEGER)",
      "INSERT INTO Z_PRIMARYKEY VALUES (16004, 'NSCKRecordMetadata', 0, 1)", "CREATE TABLE \"own \"\" table\" (a)",
      "CREATE VIEW ZVIEW AS SELECT 1", "ALTER TABLE ZBOOK ADD COLUMN ZUNKNOWN INTEGER")
    let inspection = try InspectedStore(file.path).inspection()
    #expect(inspection.warnings.contains { $0.contains("CloudKit") })
    #expect(inspection.entities.map(\.name) == ["Author", "Book", "Film", "Medium", "Shelf", "Tag"])
    #expect(try InspectedStore(file.path).faults() == [])
  }

  // MARK: - Values

  @Test("Metadata in XML is read, and a list that nests without end is not")
  func metadataInXML() throws {
    let list: [String: Any] = [
      "NSPersistenceFrameworkVersion": 186, "NSStoreModelVersionIdentifiers": ["3.1"],
      "saved": Date(timeIntervalSince1970: 0), "hashes": Data([1, 2, 3]),
    ]
    let xml = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    let file = try Self.odd()
    try Self.change(file, "UPDATE Z_METADATA SET Z_PLIST = X'\(xml.map { String(format: "%02x", $0) }.joined())'")
    let metadata = try AppleFile(file).metadata
    #expect(metadata.frameworkVersion == 186)
    #expect(metadata.modelIdentifiers == ["3.1"])
    #expect(metadata.values["saved"] == .date(-978_307_200))
    #expect(metadata.values["hashes"] == .data(Data([1, 2, 3])))
    let deep = "<plist>" + String(repeating: "<array>", count: 100_000)
    #expect(Archives.propertyList(Data(deep.utf8)) == nil)
    #expect(Archives.propertyList(Data("<plist><dict><key>a</key>".utf8)) == nil)
  }

  @Test("Numbers other than 0 and 1 are true, and an empty text is no URL")
  func looseValues() throws {
    let file = try Library.filled()
    try Self.change(file, "UPDATE ZBOOK SET ZISLENT = -1", "UPDATE ZBOOK SET ZLINK = '' WHERE ZPAGES = 0")
    let context = ModelContext(try Library.container(file, allowsSave: false))
    #expect(try context.fetchCount(FetchDescriptor<Library.Book>(predicate: #Predicate { $0.isLent })) == 4)
    #expect(try context.fetchCount(FetchDescriptor<Library.Book>(predicate: #Predicate { !$0.isLent })) == 0)
    let books = try context.fetch(FetchDescriptor<Library.Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(books.map { $0.link == nil } == [true, false, false, false])
  }

  @Test("Dates and decimal numbers keep their value at any distance from 2001")
  func extremes() throws {
    let file = try Library.filled()
    for (seconds, text) in [(-3_419_777.0, "-3419777"), (-1e300, "-1e300"), (1e300, "1e300"), (0.1, "0.1")] {
      try Self.change(file, "UPDATE ZAUTHOR SET ZBORN = \(text)")
      let context = ModelContext(try Library.container(file, allowsSave: false))
      let author = try #require(try context.fetch(FetchDescriptor<Library.Author>()).first)
      #expect(author.born?.timeIntervalSinceReferenceDate == seconds)
      #expect(try InspectedStore(file.path).rows(of: "Author", limit: 1)[0].values["born"] != nil)
    }
    for text in ["0.1", "-12345678901234567", "19.99", "1e20"] {
      try Self.change(file, "UPDATE ZBOOK SET ZPRICE = \(text)")
      let context = ModelContext(try Library.container(file, allowsSave: false))
      let book = try #require(try context.fetch(FetchDescriptor<Library.Book>()).first)
      #expect(book.price == Decimal(string: text))
    }
  }

  @Test("The associated values of an enum are read from the columns of the case, and written there")
  func associatedValues() throws {
    var pair = AppleAttribute(name: "pair", type: .composite)
    pair.elements = [AppleAttribute(name: "_0", type: .int64), AppleAttribute(name: "name", type: .string)]
    var attribute = AppleAttribute(name: "value", type: .composite)
    (attribute.isEnum, attribute.enumCases) = (true, ["none", "number", "pair"])
    attribute.elements = [
      AppleAttribute(name: "none", type: .string), AppleAttribute(name: "number", type: .double), pair,
    ]
    let conversion = Conversion.json(attribute)
    for (cells, json) in [
      ([.text("none"), .null, .null, .null], "{\"none\":{}}"),
      ([.null, .real(1.5), .null, .null], "{\"number\":{\"_0\":1.5}}"),
      ([.null, .null, .integer(3), .text("x")], "{\"pair\":{\"_0\":3,\"name\":\"x\"}}"),
    ] as [([SQLValue], String)] {
      #expect(conversion.read?(cells) == .text(json))
      #expect(try conversion.write(.text(json)) == cells)
    }
    #expect(conversion.read?([.null, .null, .null, .null]) == .null)
  }

  @Test("A value that does not fit is an error that names the property; others are read")
  func unfittingValues() throws {
    let file = try Library.filled()
    try Self.change(file, "UPDATE ZBOOK SET ZRATING = 99 WHERE ZPAGES = 100")
    let context = ModelContext(try Library.container(file, allowsSave: false))
    #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Library.Book>()) }
    #expect(try context.fetchCount(FetchDescriptor<Library.Book>()) == 4)
    let others = #Predicate<Library.Book> { $0.pages != 100 }
    #expect(try context.fetch(FetchDescriptor(predicate: others)).count == 3)
  }

  @Test("A missing external file is a fault of the store and a loss of the import; the rest is imported")
  func missingExternalFile() throws {
    let file = try Library.filled()
    try FileManager.default.removeItem(at: AppleFile.externalFolder(of: file))
    #expect(try InspectedStore(file.path).faults().map(\.area) == ["externalData"])
    let copy = file.deletingLastPathComponent().appendingPathComponent("copy.store")
    let report = try InspectedStore(file.path).copy(into: copy)
    #expect(report.losses.contains { $0.contains("is missing from") && $0.hasSuffix("; the value is nil") })
    let own = try ModelContainer(for: Schema(Library.all), configurations: [ModelConfiguration(url: copy)])
    let books = try ModelContext(own).fetch(FetchDescriptor<Library.Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(books.map { $0.scan?.count } == [1, 1, nil, 1])
  }
}
