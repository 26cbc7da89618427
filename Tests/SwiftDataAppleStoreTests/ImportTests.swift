import Foundation
import SwiftData
import SwiftDataInspection
import Testing

@testable import SwiftDataAppleStore

@Suite("Importing a file in Apple's format") struct ImportTests {
  private func target() throws -> URL { try Library.folder().appendingPathComponent("own.store") }

  @Test("The copy opens with the same classes, changes no table, and has the same objects")
  func sameObjects() throws {
    let (file, copy) = (try Library.filled(), try target())
    let report = try InspectedStore(file.path).copy(into: copy)
    #expect(report.losses == [])
    let container = try ModelContainer(for: Schema(Library.all), configurations: [ModelConfiguration(url: copy)])
    #expect(container.migrations.allSatisfy { $0.steps.allSatisfy(\.changes.isEmpty) })
    let (own, apple) = (ModelContext(container), ModelContext(try Library.container(file, allowsSave: false)))
    func describe(_ context: ModelContext) throws -> [String] {
      try context.fetch(FetchDescriptor<Library.Book>(sortBy: [SortDescriptor(\.pages)])).map { book in
        let tags = book.tags.map(\.name).sorted()
        return "\(book.persistentModelID.entityName) \(book.id) \(book.title) \(book.price) \(book.isLent) \(tags)"
          + " \(String(describing: book.weight)) \(String(describing: book.size)) \(book.keywords)"
          + " \(String(describing: book.binding)) \(book.author?.name ?? "-") \(book.scan?.count ?? 0)"
      }
    }
    #expect(try describe(own) == describe(apple))
    let accented = "Café"
    #expect(
      try own.fetchCount(FetchDescriptor<Library.Book>(predicate: #Predicate { $0.title.contains(accented) })) == 2)
    #expect(try InspectedStore(file.path).difference(to: InspectedStore(copy.path)).isEmpty)
    #expect(try InspectedStore(copy.path).faults() == [])
    // Keys that the file gave are not given again.
    own.insert(Library.Tag("new"))
    try own.save()
    #expect(try InspectedStore(copy.path).rows(of: "Tag", limit: 9).map(\.key) == [1, 2])
  }

  @Test("The layout that an import records is the one that a container records for the classes")
  func layout() throws {
    let natural = try AppleFile(try Library.store()).naturalModel().record
    let typed = StoreLayout(tables: EntityTable.tables(of: Schema(Library.all)) { _ in 0 }).record
    #expect(natural.tables.map(\.name) == typed.tables.map(\.name))
    for table in typed.tables {
      let other = try #require(natural.table(named: table.name))
      #expect(Set(table.classes) == Set(other.classes))
      #expect(table.hasDiscriminator == other.hasDiscriminator)
      #expect(Set(table.indices) == Set(other.indices))
      #expect(table.columns.map(\.name).sorted() == other.columns.map(\.name).sorted())
      for column in table.columns { #expect(other.column(named: column.name) == column) }
    }
    #expect(Set(natural.pairTables) == Set(typed.pairTables))
    #expect(Set(natural.relationships) == Set(typed.relationships))
  }

  @Test("A second import takes the place of the first, unless a program saved in between")
  func again() throws {
    let (file, copy) = (try Library.filled(), try target())
    _ = try InspectedStore(file.path).copy(into: copy)
    let second = try InspectedStore(file.path).copy(into: copy)
    #expect(second.isRepeated)
    #expect(try InspectedStore(copy.path).count(of: "Book") == 4)
    let context = ModelContext(
      try ModelContainer(for: Schema(Library.all), configurations: [ModelConfiguration(url: copy)]))
    context.insert(Library.Tag("own"))
    try context.save()
    #expect(throws: SwiftDataError.io) { try InspectedStore(file.path).copy(into: copy) }
    #expect(try InspectedStore(copy.path).count(of: "Tag") == 2)
    _ = try InspectedStore(file.path).copy(into: copy, replaces: true)
    #expect(try InspectedStore(copy.path).count(of: "Tag") == 1)
    #expect(throws: SwiftDataError.io) { try InspectedStore(Library.filled().path).copy(into: copy) }
  }

  @Test("After an import that replaces another, tokens have expired and no key is given again")
  func numbersGoOn() throws {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
    let (file, copy) = (try Library.filled(), try target())
    _ = try InspectedStore(file.path).copy(into: copy)
    func open() throws -> ModelContext {
      ModelContext(try ModelContainer(for: Schema(Library.all), configurations: [ModelConfiguration(url: copy)]))
    }
    let before = try open()
    for name in ["a", "b", "c"] {
      before.insert(Library.Tag(name))
      try before.save()
    }
    let token = try #require(try before.fetchHistory(Descriptor()).last).token
    let keys = try InspectedStore(copy.path).rows(of: "Tag", limit: 9).map(\.key)
    _ = try InspectedStore(file.path).copy(into: copy, replaces: true)
    let after = try open()
    after.insert(Library.Tag("later"))
    try after.save()
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try after.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
    }
    let newest = try #require(try after.fetchHistory(Descriptor()).last).token
    #expect(newest > token)
    let key = try #require(try InspectedStore(copy.path).rows(of: "Tag", limit: 9).last).key
    #expect(key > keys[keys.count - 1])
  }

  @Test("A part of an external file that a killed import left is replaced by the whole file")
  func leftPart() throws {
    let (file, copy) = (try Library.filled(), try target())
    _ = try InspectedStore(file.path).copy(into: copy)
    let folder = NewStore.externalFolder(of: copy)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let name = try #require(names.first)
    let whole = try Data(contentsOf: folder.appendingPathComponent(name))
    #expect(names.count == 1 && whole.count == 200_000)
    try whole.prefix(1000).write(to: folder.appendingPathComponent(name))
    try whole.prefix(1000).write(to: folder.appendingPathComponent(name + ".part"))
    for suffix in ["-wal", "-shm", ""] { try? FileManager.default.removeItem(atPath: copy.path + suffix) }
    #expect(try InspectedStore(file.path).copy(into: copy).losses == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
    #expect(try Data(contentsOf: folder.appendingPathComponent(name)) == whole)
  }

  @Test("If the file changes during an import, nothing is imported")
  func changedMeanwhile() throws {
    let (file, copy) = (try Library.filled(), try target())
    var hasChanged = false
    #expect(throws: SwiftDataError.storeLocked) {
      try AppleImport.run(AppleFile(file), into: copy) { _, _, _ in
        guard !hasChanged else { return }
        hasChanged = true
        let later: [FileAttributeKey: Any] = [.modificationDate: Date().addingTimeInterval(60)]
        try? FileManager.default.setAttributes(later, ofItemAtPath: file.path)
      }
    }
    #expect(hasChanged)
    #expect(!FileManager.default.fileExists(atPath: copy.path))
    #expect(try InspectedStore(file.path).copy(into: copy).losses == [])
  }

  @Test("What cannot be carried over is reported, and the rest arrives")
  func losses() throws {
    let (file, copy) = (try Library.filled(), try target())
    let raw = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: file.path, lockTimeout: 5)
    try raw.execute("UPDATE ZBOOK SET ZAUTHOR = 4711 WHERE ZPAGES = 0")
    let folder = AppleFile.externalFolder(of: file)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
    let report = try InspectedStore(file.path).copy(into: copy)
    #expect(report.losses.contains { $0.contains("Book.author: 1 keys lead to no object") })
    #expect(report.losses.contains { $0.contains("Book.scan of 3: the file") })
    #expect(try InspectedStore(copy.path).faults() == [])
    #expect(try InspectedStore(copy.path).count(of: "Book") == 4)
  }

  @Test(
    "A real store and its copy are equal",
    .enabled(if: Packs.isThere, "needs ../shared/data/apple-stores: real stores are no part of the repository"),
    arguments: Packs.stores)
  func packs(_ store: Packs.Store) throws {
    let copy = try target()
    let opened = try InspectedStore(store.url.path)
    let report = try opened.copy(into: copy)
    let difference = try opened.difference(to: InspectedStore(copy.path))
    #expect(difference.isEmpty || !report.losses.isEmpty, "\(difference.text)")
    #expect(try InspectedStore(copy.path).faults() == [])
    _ = try opened.inspection().text
    let diagram = StoreDiagram(try opened.inspection())
    #expect(XMLDocumentCheck.isWellFormed(diagram.svg))
    #expect(diagram.mermaid.hasPrefix("erDiagram"))
  }
}
