import AppleStoreTemplates
import Foundation
import SwiftData
import Testing

@testable import SwiftDataAppleStore

@Suite("Hostile files") struct HostileFileTests {
  /// How many damaged files each test tries. `make apple-variants` tries 10,000.
  private static let variants =
    ProcessInfo.processInfo.environment["APPLE_STORE_VARIANTS"].flatMap(Int.init) ?? 150

  /// Does everything that a tool or a program does with a file. It may throw errors and must not trap.
  private static func use(_ file: URL) {
    guard let store = try? AppleFile(file) else { return }
    _ = try? store.problems()
    if let model = try? store.naturalModel() {
      _ = model.source(of: "hostile")
      store.use(model.mapping(of: store))
      for table in model.record.tables { _ = try? store.rows("SELECT * FROM temp.\(name: table.name) LIMIT 100") }
    }
    guard let container = try? Library.container(file, allowsSave: false) else { return }
    let context = ModelContext(container)
    for book in (try? context.fetch(FetchDescriptor<Library.Book>())) ?? [] {
      _ = (book.author?.name, book.tags.count, book.size, book.scan?.count)
    }
    for shelf in (try? context.fetch(FetchDescriptor<Library.Shelf>())) ?? [] { _ = shelf.media.count }
    _ = try? context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  @Test("Files that were cut off or had bits flipped are refused, or read as far as they can be")
  func damagedFiles() throws {
    var sources = [try Data(contentsOf: Self.compact(try Library.filled()))]
    for store in Packs.stores { sources.append(try Data(contentsOf: Self.compact(try Packs.copy(store)))) }
    let file = try Library.folder().appendingPathComponent("hostile.store")
    var random = Seeded(seed: 24)
    for variant in 0..<Self.variants {
      var data = sources[variant % sources.count]
      if variant.isMultiple(of: 5) {
        data = data.prefix(Int.random(in: 0..<data.count, using: &random))
      } else {
        for _ in 0..<Int.random(in: 1...40, using: &random) {
          data[data.startIndex + Int.random(in: 0..<data.count, using: &random)] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
        }
      }
      try data.write(to: file)
      Self.use(file)
    }
  }

  /// The same in one file without a log.
  private static func compact(_ file: URL) throws -> URL {
    let connection = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    try connection.execute("PRAGMA journal_mode = DELETE")
    return file
  }

  @Test("A damaged model in an undamaged file is refused with the reason")
  func damagedModels() throws {
    let file = try Self.compact(try Library.filled())
    let raw = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    guard case .blob(let content) = try raw.rows("SELECT Z_CONTENT FROM Z_MODELCACHE")[0][0] else { return }
    var random = Seeded(seed: 7)
    for variant in 0..<Self.variants {
      var data = content
      if variant.isMultiple(of: 7) { data = data.prefix(Int.random(in: 1..<data.count, using: &random)) }
      for _ in 0..<8 {
        data[data.startIndex + Int.random(in: 0..<data.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      try raw.run("UPDATE Z_MODELCACHE SET Z_CONTENT = \(bind: .blob(Data(data)))")
      Self.use(file)
    }
  }

  @Test("Archives that nest, repeat or contain themselves end with an error")
  func endlessArchives() throws {
    typealias Value = PropertyListWriter.Value
    func archive(_ objects: [Value]) -> [UInt8] {
      [UInt8](
        PropertyListWriter.data(
          .dictionary([
            ("$archiver", .string("NSKeyedArchiver")), ("$top", .dictionary([("root", .uid(1))])),
            ("$objects", .array([.string("$null")] + objects)),
          ])))
    }
    func array(_ members: [Int], class_: Int) -> Value {
      .dictionary([("$class", .uid(class_)), ("NS.objects", .array(members.map(Value.uid)))])
    }
    let class_: Value = .dictionary([("$classname", .string("NSArray"))])
    // Contains itself.
    let cycle = archive([array([1], class_: 2), class_])
    #expect(throws: KeyedArchive.Failure.self) { try KeyedArchive(cycle).plainValue() }
    // Each level names the next ten times: ten to the power of thirty values.
    let levels = (0..<30).map { array(Array(repeating: $0 + 2, count: 10), class_: 32) }
    let bomb = archive(levels + [.string("end"), class_])
    #expect(throws: KeyedArchive.Failure.self) { try KeyedArchive(bomb).plainValue() }
    // A thousand levels.
    let tower = archive((0..<1000).map { array([$0 + 2], class_: 1002) } + [.string("end"), class_])
    #expect(throws: KeyedArchive.Failure.self) { try KeyedArchive(tower).plainValue() }
    // A megabyte, a hundred thousand times.
    let large: Value = .data(Data(repeating: 1, count: 1 << 20))
    let copies = archive([array(Array(repeating: 2, count: 100_000), class_: 3), large, class_])
    #expect(throws: KeyedArchive.Failure.self) { try KeyedArchive(copies).plainValue() }
  }

  @Test("A property list of a gigabyte by declaration is refused without the memory")
  func declaredSizes() throws {
    for kind in [UInt8(0x4F), 0x5F, 0x6F, 0xAF, 0xDF] {
      var list = BinaryPropertyList.signature + [kind, 0x13, 0, 0, 0, 0, 0x40, 0, 0, 0]
      let table = list.count
      list += [8] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 8)
      list += [0, 0, 0, 0, 0, 0, 0, UInt8(table)]
      let read = try BinaryPropertyList(list)
      #expect(throws: BinaryPropertyList.Failure.self) { try read.object(0) }
    }
    // A gigabyte of zeros compresses to a megabyte.
    let block: [UInt8] = [0x00, 0xFF, 0xFF, 0x00, 0x00] + Array(repeating: 0, count: 65_535)
    #expect(throws: Inflate.Failure.self) { try Inflate.decompress(block + block + block, limit: 100_000) }
  }

  @Test("Instances of classes are not made; only their name is read")
  func instances() throws {
    let archive = PropertyListWriter.data(
      .dictionary([
        ("$archiver", .string("NSKeyedArchiver")), ("$top", .dictionary([("root", .uid(1))])),
        (
          "$objects",
          .array([
            .string("$null"), .dictionary([("$class", .uid(2)), ("NSRGB", .data(Data([1])))]),
            .dictionary([("$classname", .string("NSColor"))]),
          ])
        ),
      ]))
    #expect(try KeyedArchive([UInt8](archive)).plainValue() == .instance("NSColor"))
  }

  @Test("Names with quotes and NUL, cycles of superentities, and keys to nowhere are survived")
  func oddModels() throws {
    var odd = AppleEntity(name: "Odd\"; DROP TABLE Z_METADATA; --")
    odd.attributes = [
      AppleAttribute(name: "a\"b", type: .string),
      AppleAttribute(name: "class", type: .string), AppleAttribute(name: "", type: .date),
    ]
    (odd.className, odd.indices) = ("nul\0name", [AppleIndex(name: "\0", properties: ["a\"b"])])
    var (first, second) = (AppleEntity(name: "First"), AppleEntity(name: "Second"))
    (first.superName, second.superName) = ("Second", "First")
    var nowhere = AppleRelationship(name: "nowhere", destination: "Missing")
    nowhere.maximum = 1
    first.relationships = [nowhere]
    var plain = AppleEntity(name: "Plain")
    plain.attributes = [AppleAttribute(name: "hash", type: .string), AppleAttribute(name: "Type", type: .string)]
    let file = try Library.folder().appendingPathComponent("odd.store")
    let model = AppleModel(versionIdentifiers: ["\0"], entities: [odd, plain, first, second])
    try AppleStoreTemplate(model).make(at: file)
    let store = try AppleFile(file)
    let natural = try store.naturalModel()
    #expect(natural.class(named: "Plain")?.properties.map(\.name) == ["Type_", "hash_"])
    #expect(natural.notes.contains { $0.contains("cycle") })
    #expect(natural.source(of: "a\"\nb").contains("a\\\"\\nb"))
    Self.use(file)
  }

  @Test("Keys to nowhere are nil, and rows of no entity are left out")
  func danglingKeys() throws {
    let file = try Library.filled()
    let raw = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    for statement in [
      "UPDATE ZBOOK SET ZAUTHOR = 12345", "UPDATE ZMEDIUM SET Z_ENT = 99 WHERE ZYEAR = 1950",
      "INSERT OR IGNORE INTO Z_2TAGS SELECT 777, 888",
    ] { try? raw.execute(statement) }
    let context = ModelContext(try Library.container(file, allowsSave: false))
    #expect(try context.fetch(FetchDescriptor<Library.Book>()).allSatisfy { $0.author == nil })
    #expect(try context.fetch(FetchDescriptor<Library.Medium>()).map(\.year) == [1979])
  }
}
