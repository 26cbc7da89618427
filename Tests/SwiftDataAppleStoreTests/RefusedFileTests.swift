import AppleStoreTemplates
import Foundation
import SwiftData
import SwiftDataRecovery
import SwiftDataInspection
import Testing

@testable import SwiftDataAppleStore

/// A file that some opening refuses, with what lies next to it.
enum RefusedFile: String, CaseIterable {
  case appleWithLog, appleWithLogAndIndex, appleWithoutLog, appleWithJournal
  case databaseWithLog, databaseWithoutLog, textWithLog, xmlStore, pipe, folder

  var isApple: Bool { rawValue.hasPrefix("apple") }

  /// Makes the file in a folder of its own.
  func make() throws -> URL {
    let file = try Library.folder().appendingPathComponent("default.store")
    switch self {
    case .appleWithLog: try Self.copy(of: try Self.apple(), suffixes: ["", "-wal"], to: file)
    case .appleWithLogAndIndex: try Self.copy(of: try Self.apple(), suffixes: ["", "-wal", "-shm"], to: file)
    case .appleWithoutLog: try FileManager.default.copyItem(at: try Library.filled(), to: file)
    case .appleWithJournal:
      let source = try Library.filled()
      let writer = try FileConnection(uri: FileAccess.uri(source.path, "mode=rw"), place: "", lockTimeout: 5)
      for statement in [
        "PRAGMA journal_mode = DELETE", "PRAGMA cache_size = 1", "BEGIN",
        "UPDATE ZBOOK SET ZTITLE = hex(zeroblob(4000))", "UPDATE ZAUTHOR SET ZNAME = hex(zeroblob(4000))",
      ] { try writer.execute(statement) }
      try Self.copy(of: source, suffixes: ["", "-journal"], to: file)
      try writer.execute("ROLLBACK")
    case .databaseWithLog:
      try Self.withLog(try Self.letters(), "INSERT INTO letters VALUES ('only in the log')", to: file)
    case .databaseWithoutLog: try FileManager.default.copyItem(at: try Self.letters(), to: file)
    case .textWithLog:
      try Data("a letter, which is long enough to be looked at as if it were a database".utf8).write(to: file)
      try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: file.path + "-wal"))
    case .xmlStore:
      let text =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n<database>"
      try Data(text.utf8).write(to: file)
    case .pipe: #expect(mkfifo(file.path, 0o600) == 0)
    case .folder: try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    }
    return file
  }

  /// A file of Apple's format with rows that only its log has, and the writer that keeps the log.
  private static func apple() throws -> (URL, FileConnection) {
    let file = try Library.filled()
    return (file, try writer(of: file, "UPDATE ZBOOK SET ZTITLE = 'only in the log' WHERE ZPAGES = 0"))
  }

  private static func letters() throws -> URL {
    let file = try Library.folder().appendingPathComponent("letters")
    try Data().write(to: file)
    let writer = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: "", lockTimeout: 5)
    try writer.execute("CREATE TABLE letters (text); INSERT INTO letters VALUES ('dear')")
    return file
  }

  /// A connection that wrote to the log, and keeps it while it is open.
  static func writer(of file: URL, _ statement: String) throws -> FileConnection {
    let writer = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: "", lockTimeout: 5)
    for statement in ["PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", statement] {
      try writer.execute(statement)
    }
    return writer
  }

  static func withLog(_ file: URL, _ statement: String, to copy: URL) throws {
    try self.copy(of: (file, writer(of: file, statement)), suffixes: ["", "-wal", "-shm"], to: copy)
  }

  private static func copy(of open: (URL, FileConnection), suffixes: [String], to copy: URL) throws {
    try withExtendedLifetime(open.1) { try self.copy(of: open.0, suffixes: suffixes, to: copy) }
  }

  private static func copy(of file: URL, suffixes: [String], to copy: URL) throws {
    for suffix in suffixes { try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix) }
  }
}

/// An opening of a file, or of a file next to it.
struct Opening: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let open: @Sendable (URL) throws -> Void

  static let schema = Schema([Library.Tag.self, Library.Book.self, Library.Author.self])

  /// The openings that want a store of our own.
  static let own: [Opening] = [
    Opening("ModelConfiguration(url:)") { file in
      _ = try ModelContainer(for: schema, configurations: [ModelConfiguration(url: file)])
    },
    Opening("ModelConfiguration(url:allowsSave: false)") { file in
      _ = try ModelContainer(for: schema, configurations: [ModelConfiguration(url: file, allowsSave: false)])
    },
    Opening("a preview of migrations") { file in
      _ = try ModelContainer.migrationPreview(for: schema, configurations: [ModelConfiguration(url: file)])
    },
    Opening("the target of an import") { file in
      _ = try InspectedStore(try Library.filled().path).copy(into: file)
    },
    Opening("the target of a replacing import") { file in
      _ = try InspectedStore(try Library.filled().path).copy(into: file, replaces: true)
    },
    Opening("the target of an import of Realm Studio's JSON") { file in
      let json = try Library.folder().appendingPathComponent("realm.json")
      try Data("{\"Tag\": [{\"name\": \"a\"}]}".utf8).write(to: json)
      var source = try RealmImport(json)
      _ = try source.copy(into: file, replaces: true)
    },
    Opening("the source and the target of an import") { file in
      _ = try InspectedStore(file.path).copy(into: file, replaces: true)
    },
    Opening("a new store") { file in try NewStore.create(at: file, layout: .empty, identifier: "new") },
    Opening("the source of a recovery") { file in
      let new = try Library.folder().appendingPathComponent("new.store")
      _ = try ModelContainer.recover(from: file, to: new, for: schema)
    },
    Opening("the target of a recovery") { file in
      let own = try Library.folder().appendingPathComponent("own.store")
      _ = try ModelContainer(for: schema, configurations: [ModelConfiguration(url: own)])
      _ = try ModelContainer.recover(from: own, to: file, for: schema)
    },
  ]

  /// The openings that want a store of Apple's frameworks.
  static let apple: [Opening] = [
    Opening("AppleStoreConfiguration(url:)") { file in _ = try Library.container(file, allowsSave: false) },
    Opening("AppleStoreConfiguration(url:allowsSave: true)") { file in _ = try Library.container(file) },
    Opening("the source of an import") { file in
      let copy = try Library.folder().appendingPathComponent("copy.store")
      _ = try InspectedStore(file.path).copy(into: copy)
    },
    Opening("inspect") { file in _ = try InspectedStore(file.path).inspection() },
  ]

  init(_ name: String, _ open: @escaping @Sendable (URL) throws -> Void) {
    (testDescription, self.open) = (name, open)
  }
}

@Suite("A file that is refused stays as it is, and so does all that lies next to it") struct RefusedFileTests {
  private func check(_ opening: Opening, _ file: URL, ignoredSuffix: String? = nil) throws {
    let folder = file.deletingLastPathComponent()
    let before = try FolderState.of(folder, ignoredSuffix: ignoredSuffix)
    #expect(throws: SwiftDataError.self) { try opening.open(file) }
    #expect(try FolderState.of(folder, ignoredSuffix: ignoredSuffix) == before)
  }

  @Test("where a store of our own is wanted", arguments: Opening.own, RefusedFile.allCases)
  func own(_ opening: Opening, _ file: RefusedFile) throws { try check(opening, try file.make()) }

  @Test(
    "where a store of Apple's frameworks is wanted", arguments: Opening.apple,
    RefusedFile.allCases.filter { !$0.isApple })
  func apple(_ opening: Opening, _ file: RefusedFile) throws { try check(opening, try file.make()) }

  @Test("where the models do not fit", arguments: RefusedFile.allCases.filter(\.isApple), [true, false])
  func models(_ file: RefusedFile, allowsSave: Bool) throws {
    let file = try file.make()
    let before = try FolderState.of(file.deletingLastPathComponent())
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema([Unfit.Tag.self]), configurations: [AppleStoreConfiguration(url: file, allowsSave: allowsSave)])
    }
    #expect(error?.message?.contains("Tag.colour") == true)
    #expect(try FolderState.of(file.deletingLastPathComponent()) == before)
  }

  @Test("where a symbolic link leads to it", arguments: Opening.own)
  func link(_ opening: Opening) throws {
    let file = try RefusedFile.appleWithLogAndIndex.make()
    let link = try Library.folder().appendingPathComponent("link.store")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let before = try FolderState.of(file.deletingLastPathComponent())
    #expect(throws: SwiftDataError.self) { try opening.open(link) }
    #expect(try FolderState.of(file.deletingLastPathComponent()) == before)
    #expect(try FolderState.of(link.deletingLastPathComponent()).count == 1)
  }

  @Test("where it is damaged", arguments: Opening.own)
  func damaged(_ opening: Opening) throws {
    let file = try RefusedFile.appleWithLog.make()
    try FileManager.default.removeItem(atPath: file.path + "-wal")
    var data = try Data(contentsOf: file)
    // The first page has the list of the tables.
    for index in 100..<140 { data[index] = 0xEE }
    try data.write(to: file)
    try check(opening, file)
  }
}

enum Unfit {
  @Model final class Tag {
    var name: String
    var colour: String
    init() { (name, colour) = ("", "") }
  }
}

// MARK: - Stores of our own

@Suite("A store of our own that is refused stays as it is") struct RefusedStoreTests {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static let models: [any PersistentModel.Type] = [Library.Tag.self, Library.Book.self, Library.Author.self]
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [First.self]
    static let stages: [MigrationStage] = []
  }

  /// A store that has a note in its log.
  private func store(_ statement: String, hasLog: Bool) throws -> URL {
    let file = try Library.folder().appendingPathComponent("own.store")
    let context = ModelContext(
      try ModelContainer(for: Schema([Note.self]), configurations: [ModelConfiguration(url: file)]))
    context.insert(Note("a"))
    try context.save()
    let copy = try Library.folder().appendingPathComponent("own.store")
    if hasLog {
      try RefusedFile.withLog(file, statement, to: copy)
    } else {
      let writer = try FileConnection(uri: FileAccess.uri(file.path, "mode=rw"), place: "", lockTimeout: 5)
      try writer.execute(statement)
      try writer.execute("VACUUM INTO '\(copy.path)'")
    }
    return copy
  }

  private func check(_ file: URL, _ code: SwiftDataError, _ open: (URL) throws -> Void) throws {
    let folder = file.deletingLastPathComponent()
    let before = try FolderState.of(folder, ignoredSuffix: "-shm")
    #expect(throws: code) { try open(file) }
    #expect(try FolderState.of(folder, ignoredSuffix: "-shm") == before)
  }

  @Test("where a newer program made it, or its description is damaged", arguments: [true, false])
  func format(hasLog: Bool) throws {
    for (statement, code) in [
      ("UPDATE _swiftdata SET value = '99' WHERE key = 'format'", SwiftDataError.newerSchema),
      ("UPDATE _swiftdata SET value = '{' WHERE key = 'layout'", .storeDamaged),
    ] {
      try check(try store(statement, hasLog: hasLog), code) { file in
        _ = try ModelContainer(for: Schema([Note.self]), configurations: [ModelConfiguration(url: file)])
      }
    }
  }

  @Test("where it is no import of the file that is imported into it", arguments: [true, false])
  func target(hasLog: Bool) throws {
    let source = try Library.filled()
    try check(try store("UPDATE Note SET text = 'b'", hasLog: hasLog), .io) { file in
      _ = try InspectedStore(source.path).copy(into: file, replaces: true)
    }
  }

  @Test("where no version of the plan is the store's", arguments: [true, false])
  func plan(hasLog: Bool) throws {
    try check(try store("UPDATE Note SET text = 'b'", hasLog: hasLog), .unknownDataStoreSchema) { file in
      _ = try ModelContainer(
        for: Schema(versionedSchema: First.self), migrationPlan: Plan.self,
        configurations: [ModelConfiguration(url: file)])
    }
  }

  // MARK: - Failures inside the migration

  /// Why a migration that has begun ends.
  enum Failure: String, CaseIterable, CustomTestStringConvertible {
    case closureBefore, closureAfter, uniqueness, missingValue
    var testDescription: String { rawValue }
  }

  @Test("where a migration fails that has changed rows already", arguments: Failure.allCases, [true, false])
  func migration(_ failure: Failure, hasLog: Bool) throws {
    let file = try store("INSERT INTO Note (text) VALUES ('a')", hasLog: hasLog)
    let folder = file.deletingLastPathComponent()
    let before = try FolderState.of(folder, ignoredSuffix: "-shm")
    #expect(throws: (any Error).self) {
      switch failure {
      case .closureBefore: try Failing.$stopsBefore.withValue(true) { try Failing.open(file) }
      case .closureAfter: try Failing.$stopsBefore.withValue(false) { try Failing.open(file) }
      case .uniqueness: try Failing.open(Failing.Unique.Note.self, file)
      case .missingValue: try Failing.open(Failing.Required.Note.self, file)
      }
    }
    #expect(try FolderState.of(folder, ignoredSuffix: "-shm") == before)
    // The rows that only the log had are still there.
    let context = ModelContext(
      try ModelContainer(for: Schema([Note.self]), configurations: [ModelConfiguration(url: file)]))
    #expect(try context.fetch(FetchDescriptor<Note>()).map(\.text) == ["a", "a"])
  }

  @Test("where an import into an earlier import fails", arguments: [true, false])
  func failedImport(hasLog: Bool) throws {
    let source = try Library.filled()
    let first = try Library.folder().appendingPathComponent("own.store")
    _ = try InspectedStore(source.path).copy(into: first)
    let target = try Library.folder().appendingPathComponent("own.store")
    if hasLog {
      try RefusedFile.withLog(first, "UPDATE Tag SET name = name || '!'", to: target)
    } else {
      try FileManager.default.copyItem(at: first, to: target)
    }
    // A file where the folder of the external data belongs.
    try Data().write(to: NewStore.externalFolder(of: target))
    let folder = target.deletingLastPathComponent()
    let before = try FolderState.of(folder, ignoredSuffix: "-shm")
    #expect(throws: SwiftDataError.self) { try InspectedStore(source.path).copy(into: target, replaces: true) }
    #expect(try FolderState.of(folder, ignoredSuffix: "-shm") == before)
  }
}

/// Versions of the note to which a migration fails.
private enum Failing {
  @TaskLocal static var stopsBefore = true

  enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [RefusedStoreTests.Note.self] }
  }

  enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }
    @Model final class Note {
      var text: String
      var size: Int = 7
      init(_ text: String) { self.text = text }
    }
  }

  enum Unique {
    @Model final class Note {
      @Attribute(.unique) var text: String
      init(_ text: String) { self.text = text }
    }
  }

  enum Required {
    @Model final class Note {
      var text: String
      var size: Int
      init(_ text: String) { (self.text, size) = (text, 0) }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: First.self, toVersion: Second.self,
          willMigrate: { context in
            context.insert(RefusedStoreTests.Note("new"))
            try context.save()
            if stopsBefore { throw CancellationError() }
          },
          didMigrate: { context in
            for note in try context.fetch(FetchDescriptor<Second.Note>()) { note.size = 8 }
            try context.save()
            throw CancellationError()
          })
      ]
    }
  }

  static func open(_ file: URL) throws {
    _ = try ModelContainer(
      for: Schema(versionedSchema: Second.self), migrationPlan: Plan.self,
      configurations: [ModelConfiguration(url: file)])
  }

  static func open(_ type: any PersistentModel.Type, _ file: URL) throws {
    _ = try ModelContainer(for: Schema([type]), configurations: [ModelConfiguration(url: file)])
  }
}
