import ChildProcesses
import CrashModels
import Foundation
import SwiftData
import SwiftDataRecovery
import Testing

@Suite struct RecoverTests {
  enum Models {
    @Model final class Shelf {
      @Attribute(.unique) var name: String
      @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
      init(name: String) { self.name = name }
    }

    @Model class Volume {
      @Attribute(.unique) var number: Int
      @Attribute(.spotlight) var title: String
      @Attribute(.externalStorage) var scan: Data?
      var shelf: Shelf?
      var topics: [Topic] = []
      init(number: Int, title: String) {
        self.number = number
        self.title = title
      }
    }

    @Model final class Atlas: Volume {
      var scale: Double
      init(number: Int, scale: Double) {
        self.scale = scale
        super.init(number: number, title: "atlas \(number)")
      }
    }

    @Model final class Topic {
      var name: String
      @Relationship(inverse: \Volume.topics) var volumes: [Volume] = []
      init(name: String) { self.name = name }
    }
  }
  typealias Shelf = Models.Shelf
  typealias Volume = Models.Volume
  typealias Atlas = Models.Atlas
  typealias Topic = Models.Topic

  private let store: TemporaryStore
  private var new: URL { store.folder.appendingPathComponent("new.store") }
  private let schema = Schema([Shelf.self, Atlas.self, Topic.self])
  private static let count = 900

  init() throws {
    store = try TemporaryStore()
    let context = ModelContext(try container(store.url))
    let shelves = (0..<5).map { Shelf(name: "shelf \($0)") }
    let topics = (0..<3).map { Topic(name: "topic \($0)") }
    for object in shelves as [any PersistentModel] + topics { context.insert(object) }
    for number in 0..<Self.count {
      let volume =
        number % 10 == 0
        ? Atlas(number: number, scale: Double(number)) : Volume(number: number, title: "volume \(number) caf\u{e9}")
      context.insert(volume)
      volume.shelf = shelves[number % 5]
      volume.topics = [topics[number % 3]]
      if number % 300 == 0 { volume.scan = Data(repeating: UInt8(number / 300), count: 150 << 10) }
      if number % 200 == 7 { volume.title = String(repeating: "long ", count: 5000) }
    }
    try context.save()
  }

  private func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, url: url))
  }

  /// What a store holds, as lines; with the keys of the objects.
  private func contents(_ url: URL) throws -> [String] {
    let context = ModelContext(try container(url))
    let volumes = try context.fetch(FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.number)])).map { volume in
      "\(volume.number) \(volume.title.hashValue) \(volume.scan?.count ?? 0) \(volume.shelf?.name ?? "-")"
        + " \(volume.topics.map(\.name)) \((volume as? Atlas)?.scale ?? -1) \(volume.persistentModelID)"
    }
    let shelves = try context.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)])).map {
      "\($0.name) \($0.volumes.map(\.number))"
    }
    return volumes + shelves
  }

  /// Zeroes the page on which a row's key stands, as its table's.
  private func zeroPage(containing text: String) throws {
    var data = try Data(contentsOf: store.url)
    let pages = (1..<data.count / 4096).filter { page in
      let range = page * 4096..<(page + 1) * 4096
      return data[range.lowerBound] == 13 && data.range(of: Data(text.utf8), in: range) != nil
    }
    let page = try #require(pages.first)
    data.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(count: 4096))
    try data.write(to: store.url)
  }

  @Test("A text with a zero byte stays whole")
  func zeroByte() throws {
    let context = ModelContext(try container(store.url))
    context.insert(Topic(name: "before\0after"))
    try context.save()
    _ = try ModelContainer.recover(from: store.url, to: new, for: schema)
    let topics = try ModelContext(try container(new)).fetch(FetchDescriptor<Topic>())
    #expect(topics.map(\.name).contains("before\0after"))
  }

  @Test("Recovering a store that is whole gives all of it, with the same identifiers")
  func whole() throws {
    let before = try contents(store.url)
    let report = try ModelContainer.recover(from: store.url, to: new, for: schema)
    #expect(report.isComplete, "\(report)")
    #expect(report.entities.first { $0.name == "Volume" }?.recovered == Self.count)
    #expect(try contents(new) == before)
    let context = ModelContext(try container(new))
    #expect(try context.search(Volume.self, matching: "cafe").count > 800)
    // Keys are never given twice.
    context.insert(Volume(number: 5000, title: "new"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Volume>()) == Self.count + 1)
  }

  @Test("Of a damaged page the rows are lost and named, and everything else is recovered")
  func damagedPage() throws {
    try zeroPage(containing: "volume 444 ")
    #expect(throws: SwiftDataError.storeDamaged) { try contents(store.url) }
    let report = try ModelContainer.recover(from: store.url, to: new, for: schema)
    let volumes = try #require(report.entities.first { $0.name == "Volume" })
    let lost = try #require(volumes.lost.first)
    #expect(volumes.lost.count == 1)
    #expect(lost.count == Self.count - volumes.recovered)
    #expect((2...120).contains(lost.count ?? 0))
    #expect(lost.keys.contains(445))
    #expect(!report.isComplete)
    #expect("\(report)".contains("Volume: \(volumes.recovered) recovered; \(lost.count ?? 0) lost"))
    let context = ModelContext(try container(new))
    #expect(try context.fetchCount(FetchDescriptor<Volume>()) == volumes.recovered)
    #expect(try context.fetchCount(FetchDescriptor<Shelf>()) == 5)
    let gone = try context.fetch(FetchDescriptor<Volume>(predicate: #Predicate { $0.number == 444 }))
    #expect(gone.isEmpty)
  }

  @Test("A store whose head is damaged is recovered whole")
  func damagedHead() throws {
    let before = try contents(store.url)
    var data = try Data(contentsOf: store.url)
    data.replaceSubrange(0..<100, with: Data(repeating: 0xAB, count: 100))
    try data.write(to: store.url)
    let error = #expect(throws: SwiftDataError.notADatabase) { try contents(store.url) }
    #expect(error?.description.contains("recover(from:to:for:)") == true)
    let report = try ModelContainer.recover(from: store.url, to: new, for: schema)
    #expect(report.isComplete, "\(report)")
    #expect(report.notes == ["the head of the file is damaged"])
    #expect(try contents(new) == before)
  }

  @Test("Committed saves that are in the log alone are recovered from it")
  func logAlone() throws {
    let context = ModelContext(try container(store.url))
    for volume in try context.fetch(FetchDescriptor<Volume>()) { volume.title = "renamed \(volume.number)" }
    try context.save()
    let copy = try TemporaryStore()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: store.url.path + suffix, toPath: copy.url.path + suffix)
    }
    try ModelContainer.recover(from: copy.url, to: new, for: schema)
    let titles = try ModelContext(try container(new)).fetch(FetchDescriptor<Volume>()).map(\.title)
    #expect(titles.count == Self.count && titles.allSatisfy { $0.hasPrefix("renamed ") })
    try FileManager.default.removeItem(at: copy.url)
    let other = store.folder.appendingPathComponent("other.store")
    let report = try ModelContainer.recover(from: copy.url, to: other, for: schema)
    #expect(report.entities.first { $0.name == "Volume" }?.recovered ?? 0 > 0, "\(report)")
  }

  @Test("A missing external file leaves its value empty, and is counted")
  func missingFile() throws {
    let folder = store.folder.appendingPathComponent(".test.store_external")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
    try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    let report = try ModelContainer.recover(from: store.url, to: new, for: schema)
    #expect(report.missingFiles == 1)
    #expect(!report.isComplete)
    let scans = try ModelContext(try container(new)).fetch(FetchDescriptor<Volume>()).compactMap(\.scan)
    #expect(scans.count == 2)
  }

  #if os(Linux)
    @Test("A disk without room for an external file is an error, and nothing counts as recovered")
    func noRoom() throws {
      // Its payload has more bytes than a file may have in the process that recovers it.
      let ledger = try TemporaryStore()
      do {
        let context = ModelContext(try ledgerContainer(ledger.url.path))
        let batch = Batch(number: 1)
        batch.payload = Data(repeating: 1, count: 6 << 20)
        context.insert(batch)
        try context.save()
      }
      let copy = ledger.folder.appendingPathComponent("copy.store")
      let program = Helper.program.path
      let process = try ChildProcess(
        "bash",
        ["-c", "trap '' XFSZ; ulimit -f 3000; exec \"$0\" recover \"$1\" \"$2\"", program, ledger.url.path, copy.path])
      let said = process.text()
      #expect(process.wait() == .exit(0))
      #expect(said.contains("storeFull"), "\(said)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: ledger.folder.path).sorted() == [
          ".test.store_external", "test.store",
        ])
    }
  #endif

  @Test("A folder that cannot take external files is an error, and no value is left out")
  func noFolder() throws {
    // A file has the name of the folder.
    let folder = store.folder.appendingPathComponent(".new.store_external")
    try Data().write(to: folder)
    let error = #expect(throws: SwiftDataError.io) {
      try ModelContainer.recover(from: store.url, to: new, for: schema)
    }
    #expect(error?.description.contains(folder.path) == true)
    #expect(!FileManager.default.fileExists(atPath: new.path))
  }

  @Test("Two rows that name one external file both keep its data")
  func sharedFile() throws {
    #expect(
      try store.shell("UPDATE Volume SET scan = (SELECT scan FROM Volume WHERE number = 300) WHERE number = 1") == "")
    let report = try ModelContainer.recover(from: store.url, to: new, for: schema)
    #expect(report.missingFiles == 0)
    let scans = try ModelContext(try container(new)).fetch(FetchDescriptor<Volume>()).compactMap(\.scan)
    #expect(scans.count == 4)
  }

  @Test("A file that is there already, one that is missing, and one that is no store are errors")
  func refused() throws {
    try Data("x".utf8).write(to: new)
    let there = #expect(throws: SwiftDataError.io) {
      try ModelContainer.recover(from: store.url, to: new, for: schema)
    }
    #expect(there?.description.contains("exists already") == true)
    #expect(try Data(contentsOf: new) == Data("x".utf8))
    try FileManager.default.removeItem(at: new)
    let nowhere = store.folder.appendingPathComponent("nowhere.store")
    #expect(throws: SwiftDataError.io) { try ModelContainer.recover(from: nowhere, to: new, for: schema) }
    try Data(repeating: 65, count: 10_000).write(to: nowhere)
    #expect(throws: SwiftDataError.notADatabase) { try ModelContainer.recover(from: nowhere, to: new, for: schema) }
    #expect(!FileManager.default.fileExists(atPath: new.path))
  }

  @Test("Tokens of the history before are expired in the new store")
  func history() throws {
    let token = try #require(
      try ModelContext(try container(store.url)).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
    ).token
    try ModelContainer.recover(from: store.url, to: new, for: schema)
    let context = ModelContext(try container(new))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    }
    context.insert(Topic(name: "later"))
    try context.save()
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
  }
}
