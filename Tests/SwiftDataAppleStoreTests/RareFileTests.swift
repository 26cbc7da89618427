import AppleStoreTemplates
import Foundation
import SwiftData
import SwiftDataInspection
import Testing

@testable import SwiftDataAppleStore

// A class can have this name. A member of a type cannot, so these two are no members of an enum.
@Model final class Type {
  var name: String
  @Relationship(inverse: \Dish.type) var dishes: [Dish] = []
  init(_ name: String) { self.name = name }
}

@Model final class Dish {
  var name: String
  var type: Type?
  init(_ name: String, _ type: Type?) { (self.name, self.type) = (name, type) }
}

@Model final class Wide {
  var name: String?
  var parts: JSONValue?
  init(_ name: String, _ parts: JSONValue?) { (self.name, self.parts) = (name, parts) }
}

/// The findings F2 to F13 of a review with 64 real files.
@Suite("Files with what is rare") struct RareFileTests {
  static func attribute(
    _ name: String, _ type: AppleType, _ change: (inout AppleAttribute) -> Void = { _ in }
  ) -> AppleAttribute {
    var result = AppleAttribute(name: name, type: type)
    change(&result)
    return result
  }

  /// A file with one entity, and rows that SQL makes.
  static func file(_ name: String, _ attributes: [AppleAttribute], _ statements: String...) throws
    -> URL
  {
    var entity = AppleEntity(name: name)
    entity.attributes = attributes.sorted { $0.name < $1.name }
    let file = try Library.folder().appendingPathComponent("rare.store")
    try AppleStoreTemplate(AppleModel(versionIdentifiers: ["1.0.0"], entities: [entity])).make(
      at: file)
    try change(file, statements)
    return file
  }

  static func change(_ file: URL, _ statements: [String]) throws {
    let raw = try FileConnection(
      uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    for statement in statements { try raw.execute(statement) }
  }

  static func copy(_ file: URL) throws -> (store: InspectedStore, report: StoreImport) {
    let copy = try Library.folder().appendingPathComponent("copy.store")
    let report = try InspectedStore(file.path).copy(into: copy)
    return (try InspectedStore(copy.path), report)
  }

  // MARK: - F2

  @Test(
    "F2: a table of any width is imported, and its checksum has every column",
    arguments: [1, 125, 126, 127, 301])
  func wideTables(_ width: Int) throws {
    let attributes = (0..<width).map { Self.attribute("a\($0)", .int32) }
    var sums = Set<String>()
    for changed in ["Z_PK", "ZA0", "ZA\(width / 2)", "ZA\(width - 1)"] {
      let file = try Self.file(
        "Wide", attributes,
        "INSERT INTO ZWIDE (Z_PK, Z_ENT, Z_OPT, ZA0) VALUES (1, 1, 1, 1), (2, 1, 1, 2)",
        "UPDATE ZWIDE SET \(changed) = 77 WHERE Z_PK = 2")
      let (copy, report) = try Self.copy(file)
      #expect(report.losses == [])
      #expect(try InspectedStore(file.path).difference(to: copy).isEmpty)
      sums.insert(report.tables[0].checksum)
    }
    #expect(sums.count == Set(["Z_PK", "ZA0", "ZA\(width / 2)", "ZA\(width - 1)"]).count)
  }

  private static func wide(_ file: URL, allowsSave: Bool = false) throws -> ModelContext {
    let configuration = AppleStoreConfiguration(url: file, allowsSave: allowsSave)
    return ModelContext(try ModelContainer(for: Schema([Wide.self]), configurations: [configuration]))
  }

  @Test("F2: a composite of any width is read, imported and saved", arguments: [1, 99, 126, 127, 301])
  func wideComposites(_ width: Int) throws {
    let parts = Self.attribute("parts", .composite) {
      $0.elements = (0..<width).map { Self.attribute("p\($0)", $0 % 3 == 1 ? .string : $0 % 3 == 2 ? .double : .int64) }
    }
    let file = try Self.file(
      "Wide", [Self.attribute("name", .string), parts],
      "INSERT INTO ZWIDE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZP0) VALUES (1, 1, 1, 'a', 7), (2, 1, 1, 'b', NULL)",
      "UPDATE ZWIDE SET ZP\(width - 1) = 9 WHERE Z_PK = 1", "UPDATE Z_PRIMARYKEY SET Z_MAX = 2")
    func value(_ number: Int, _ value: Int) -> JSONValue {
      number % 3 == 1 ? .string("\(value)") : .integer(Int64(value))
    }
    var expected = ["p0": value(0, 7)]
    expected["p\(width - 1)"] = value(width - 1, 9)
    func values(_ file: URL) throws -> [JSONValue?] {
      try Self.wide(file).fetch(FetchDescriptor<Wide>(sortBy: [SortDescriptor(\.name)])).map(\.parts)
    }
    #expect(try values(file) == [.object(expected), nil])
    let (copy, report) = try Self.copy(file)
    #expect(report.losses == [])
    #expect(try InspectedStore(file.path).difference(to: copy).isEmpty)
    let all = Dictionary(uniqueKeysWithValues: (0..<width).map { ("p\($0)", value($0, $0 + 1)) })
    do {
      let writer = try Self.wide(file, allowsSave: true)
      writer.insert(Wide("c", .object(all)))
      try writer.save()
    }
    #expect(try values(file) == [.object(expected), nil, .object(all)])
    #expect(try InspectedStore(file.path).faults() == [])
  }

  // MARK: - F3

  @Test("F3: properties that subentities have as proxies are read, saved and imported")
  func proxies() throws {
    let file = try Library.folder().appendingPathComponent("default.store")
    var template = AppleStoreTemplate(for: Library.all, enums: Library.enums)
    template.hasProxies = true
    try template.make(at: file)
    let writer = ModelContext(try Library.container(file))
    writer.insert(Library.Film(year: 1972, director: "Tarkovsky"))
    try writer.save()
    for film in try writer.fetch(FetchDescriptor<Library.Film>()) {
      (film.year, film.director) = (1979, "T.")
    }
    try writer.save()
    let reader = ModelContext(try Library.container(file, allowsSave: false))
    #expect(try reader.fetch(FetchDescriptor<Library.Film>()).map(\.year) == [1979])
    let store = try InspectedStore(file.path)
    #expect(try store.faults() == [])
    #expect(try store.inspection().warnings.filter { $0.contains("Proxy") } == [])
    let (copy, report) = try Self.copy(file)
    #expect(report.losses == [])
    #expect(try store.difference(to: copy).isEmpty)
  }

  // MARK: - F6

  @Test("F6: an entity named Type is dumped, imported and printed as a class")
  func type() throws {
    let file = try Library.folder().appendingPathComponent("type.store")
    try AppleStoreTemplate(for: [Type.self, Dish.self]).make(at: file)
    let schema = Schema([Type.self, Dish.self])
    do {
      let configuration = AppleStoreConfiguration(url: file, allowsSave: true)
      let context = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
      context.insert(Dish("soup", Type("starter")))
      try context.save()
    }
    let store = try InspectedStore(file.path)
    #expect(try store.source().contains("final class Type {"))
    #expect(try store.source().contains("  var type: Type? = nil\n"))
    #expect(try store.source().contains("Not expressed") == false)
    let (copy, report) = try Self.copy(file)
    #expect(report.losses == [])
    #expect(report.tables.map(\.rows) == [1, 1])
    #expect(try store.difference(to: copy).isEmpty)
    #expect(try copy.rows(of: "Type", limit: 9).map(\.related) == [["dishes": [1]]])
    for configuration in [
      AppleStoreConfiguration(url: file),
      ModelConfiguration(url: URL(fileURLWithPath: copy.location)),
    ]
      as [any DataStoreConfiguration]
    {
      let context = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
      #expect(try context.fetch(FetchDescriptor<Dish>()).map { $0.type?.name } == ["starter"])
    }
  }

  @Test(
    "F6: an entity whose name no class can have is dumped and imported, and the printed classes say that they lack it"
  )
  func keyword() throws {
    var (own, other) = (AppleEntity(name: "Self"), AppleEntity(name: "Other"))
    own.attributes = [Self.attribute("name", .string)]
    other.attributes = [Self.attribute("name", .string)]
    var link = AppleRelationship(name: "link", destination: "Self")
    (link.maximum, link.inverse) = (1, "others")
    other.relationships = [link]
    var list = AppleRelationship(name: "others", destination: "Other")
    (list.isToMany, list.inverse) = (true, "link")
    own.relationships = [list]
    let file = try Library.folder().appendingPathComponent("self.store")
    try AppleStoreTemplate(AppleModel(versionIdentifiers: [], entities: [other, own])).make(
      at: file)
    try Self.change(
      file,
      [
        "INSERT INTO ZSELF (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 2, 1, 's')",
        "INSERT INTO ZOTHER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZLINK) VALUES (1, 1, 1, 'o', 1)",
      ])
    let store = try InspectedStore(file.path)
    #expect(store.entities == ["Other", "Self"])
    let (copy, report) = try Self.copy(file)
    #expect(report.losses == [])
    #expect(try store.difference(to: copy).isEmpty)
    #expect(try copy.rows(of: "Self", limit: 9).map(\.related) == [["others": [1]]])
    let source = try store.source()
    #expect(source.contains("// Not expressed: Self, which cannot be the name of a class in Swift"))
    #expect(source.contains("// Not expressed: Other.link, which leads to Self"))
    #expect(!source.contains("class Self"))
    #expect(!source.contains("var link"))
    #expect(store.classNames == ["Other"])
  }

  // MARK: - F7

  @Test("F7: a default that the app computes is printed as its computation, with what the file has")
  func computedDefaults() throws {
    let uuid = try #require(UUID(uuidString: "619F5BBC-799D-44E4-8B9F-49AC950CD416"))
    let fixed = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000001"))
    let file = try Self.file(
      "Thing",
      [
        Self.attribute("key", .uuid) { $0.defaultValue = .uuid(uuid) },
        Self.attribute("fixed", .uuid) { $0.defaultValue = .uuid(fixed) },
        Self.attribute("text", .string) { $0.defaultValue = .string(uuid.uuidString) },
        Self.attribute("made", .date) { $0.defaultValue = .date(712_000_000.25) },
        Self.attribute("epoch", .date) { $0.defaultValue = .date(0) },
        Self.attribute("title", .string) { $0.defaultValue = .string("none") },
      ])
    let source = try InspectedStore(file.path).source()
    for line in [
      "  var key: UUID? = UUID()\n", "  var text: String? = UUID().uuidString\n",
      "  var made: Date? = Date()\n",
      "  var fixed: UUID? = UUID(uuidString: \"00000000-0000-0000-0000-000000000001\")!\n",
      "  var epoch: Date? = Date(timeIntervalSinceReferenceDate: 0.0)\n",
      "  var title: String? = \"none\"\n",
      "// the app seems to compute the default; the file has 619F5BBC-799D-44E4-8B9F-49AC950CD416,",
      "the file has 2023-07-25T17:46:40.250Z,",
    ] { #expect(source.contains(line), "\(line)\n\(source)") }
    #expect(!source.contains("UUID(uuidString: \"619F5BBC"))
  }

  // MARK: - F9

  @Test(
    "F9: a dump has external data as Base64, and names the file and the folder of what is missing")
  func externalData() throws {
    let file = try Library.filled()
    let (copy, _) = try Self.copy(file)
    let expected = [Data([9]), Data([9]), Data(repeating: 7, count: 200_000), Data([9])].map {
      $0.base64EncodedString()
    }
    for location in [file.path, copy.location] {
      var (scans, missing) = ([String](), [String]())
      func dump() throws {
        (scans, missing) = ([], [])
        try InspectedStore(location).forEachRow(of: ["Book"], missing: { missing.append($0) }) {
          row in
          if case .string(let text)? = row.values["scan"] { scans.append(text) }
        }
      }
      try dump()
      #expect(scans == expected)
      #expect(missing == [])
      let folder =
        location == file.path
        ? AppleFile.externalFolder(of: file)
        : NewStore.externalFolder(of: URL(fileURLWithPath: location))
      let name = try #require(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
      try FileManager.default.removeItem(at: folder)
      try dump()
      #expect(scans.count == 3)
      let text = "Book.scan of 3: the file \(name) is missing from \(folder.path)"
      #expect(missing == [text])
      #expect(
        try InspectedStore(location).faults().contains {
          $0.text.contains("\(name) is missing from \(folder.path)")
        })
    }
  }

  // MARK: - F12

  @Test("F12: a renamed subentity whose old name stays in Z_PRIMARYKEY keeps its rows")
  func renamedSubentity() throws {
    let file = try Library.filled()
    try Self.change(file, ["UPDATE Z_PRIMARYKEY SET Z_NAME = 'Movie' WHERE Z_NAME = 'Film'"])
    let context = ModelContext(try Library.container(file, allowsSave: false))
    #expect(try context.fetch(FetchDescriptor<Library.Film>()).map(\.director) == ["Tarkovsky"])
    #expect(try InspectedStore(file.path).faults() == [])
    // An entity that the model lacks is not taken for another one.
    let parents: [String: Int64] = ["Movie": 4, "Show": 4]
    var base = AppleEntity(name: "Base")
    base.isAbstract = true
    var film = AppleEntity(name: "Film")
    film.superName = "Base"
    let model = AppleModel(versionIdentifiers: [], entities: [base, film])
    let numbers = EntityNumbers.complete(
      ["Base": 4, "Movie": 7, "Show": 8], parents: parents, model: model)
    #expect(numbers["Film"] != 7 && numbers["Film"] != 8)
    film.formerName = "Show"
    let named = AppleModel(versionIdentifiers: [], entities: [base, film])
    #expect(
      EntityNumbers.complete(["Base": 4, "Movie": 7, "Show": 8], parents: parents, model: named)[
        "Film"] == 8)
  }

  @Test("F12: inspect says that rows belong to no entity")
  func unknownEntity() throws {
    let file = try Library.filled()
    #expect(
      try InspectedStore(file.path).inspection().warnings.filter { $0.contains("Z_ENT") } == [])
    try Self.change(file, ["UPDATE ZTAG SET Z_ENT = 99"])
    #expect(
      try InspectedStore(file.path).inspection().warnings.contains(
        "Tag: rows have a Z_ENT that is not an entity of the table"))
  }
}
