#if Sync
import Foundation
import SwiftData
import SyncCore
import Testing

@testable import SwiftDataSync

enum RenamedV1 {
  @Model final class Note {
    var headline: String = ""
    var folder: Folder?
    @Attribute(.allowsCloudEncryption) var secret: String = ""
    init(_ headline: String) { self.headline = headline }
  }
  @Model final class Folder {
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Note.folder) var notes: [Note] = []
    @Relationship(deleteRule: .cascade) var labels: [Label] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Label {
    @Attribute(.unique) var text: String = ""
    init(_ text: String) { self.text = text }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Folder.self, Label.self]
}
enum RenamedV2 {
  @Model final class Note {
    @Attribute(originalName: "headline") var title: String = ""
    @Relationship(originalName: "folder") var home: Folder?
    @Attribute(.allowsCloudEncryption, originalName: "secret") var code: String = ""
    init(_ title: String) { self.title = title }
  }
  @Model final class Folder {
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Note.home) var notes: [Note] = []
    @Relationship(deleteRule: .cascade, originalName: "labels") var marks: [Label] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Label {
    @Attribute(.unique, originalName: "text") var word: String = ""
    init(_ word: String) { self.word = word }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Folder.self, Label.self]
}

@Suite("Renamed properties")
final class RenamedPropertyTests {
  private let server = ZoneServer()
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("renamed-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A device with a program of one version.
  private final class Device {
    let account: String
    let container: ModelContainer
    let replica: ZoneReplica
    private let server: ZoneServer

    init(
      _ models: [any PersistentModel.Type], at url: URL, _ server: ZoneServer,
      account: String
    ) throws {
      (self.account, self.server) = (account, server)
      let schema = Schema(models)
      container = try ModelContainer(
        for: schema, configurations: ModelConfiguration(schema: schema, url: url, cloudKitDatabase: .none))
      replica = try ZoneReplica(
        user: UserStore(container), keyring: Keyring(secret: account),
        now: {
          server.now += 1
          return server.now
        })
    }

    func sync() throws { try replica.sync(with: server, as: account) }

    /// How many objects of a class show records.
    func objectCount(of entity: String) throws -> Int {
      try replica.shownRows().values.count { $0.hasPrefix("\(entity)/") }
    }

    func save(_ body: (ModelContext) throws -> Void) throws {
      let context = ModelContext(container)
      try body(context)
      try context.save()
    }

    /// Changes all objects of a class, or those that are chosen.
    func change<M: PersistentModel>(
      _ type: M.Type, _ body: (M) -> Void, where isChosen: (M) -> Bool = { _ in true }
    ) throws {
      try save { try $0.fetch(FetchDescriptor<M>()).filter(isChosen).forEach(body) }
    }

    /// The titles of notes with their folders' names.
    func notes() throws -> [String: String?] {
      let notes = try ModelContext(container).fetch(FetchDescriptor<RenamedV2.Note>())
      return Dictionary(notes.map { ($0.title, $0.home?.name) }) { "\($0 ?? "none") and \($1 ?? "none")" }
    }

    func oldNotes() throws -> [String: String?] {
      let notes = try ModelContext(container).fetch(FetchDescriptor<RenamedV1.Note>())
      return Dictionary(notes.map { ($0.headline, $0.folder?.name) }) { "\($0 ?? "none") and \($1 ?? "none")" }
    }

    /// The words of the labels of the first folder.
    func marks() throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<RenamedV2.Folder>()).first?.marks.map(\.word) ?? []
    }
  }

  /// Opens the store of a device with a program of one version. The device keeps its bookkeeping.
  private func open(_ name: String, _ models: [any PersistentModel.Type], account: String = "ann") throws -> Device {
    return try Device(
      models, at: folder.appendingPathComponent("\(name).store"), server, account: account)
  }

  @Test("An updated device, a new one and one that is updated later have the values of the old and of the new name")
  func renamed() throws {
    var first: Device? = try open("first", RenamedV1.models)
    var second: Device? = try open("second", RenamedV1.models)
    try first!.sync()
    try first!.save { context in
      let folder = RenamedV1.Folder("f")
      context.insert(folder)
      for name in ["a", "b", "c"] {
        let note = RenamedV1.Note(name)
        context.insert(note)
        if name != "c" { note.folder = folder }
      }
    }
    for device in [first!, second!] { try device.sync() }
    first = nil
    let updated = try open("first", RenamedV2.models)
    try updated.sync()
    let expected: [String: String?] = ["a": "f", "b": "f", "c": nil]
    #expect(try updated.notes() == expected)
    let fresh = try open("fresh", RenamedV2.models)
    try fresh.sync()
    #expect(try fresh.notes() == expected)
    // Programs of both versions change the same property; the later change wins.
    try fresh.change(RenamedV2.Note.self) {
      $0.title = "new"
    } where: {
      $0.title == "a"
    }
    try fresh.sync()
    try second!.change(RenamedV1.Note.self) {
      $0.headline = "old"
    } where: {
      $0.headline == "b"
    }
    try second!.sync()
    second = nil
    let late = try open("second", RenamedV2.models)
    for _ in 0..<2 { for device in [late, updated, fresh] { try device.sync() } }
    for device in [late, updated, fresh] { #expect(try device.notes() == ["new": "f", "old": "f", "c": nil]) }
  }

  /// A folder with a note and a label in no folder, on the device that saves them.
  private func saveFolder(_ device: Device) throws {
    try device.save { context in
      context.insert(RenamedV1.Folder("f"))
      context.insert(RenamedV1.Note("a"))
      context.insert(RenamedV1.Label("l"))
    }
  }

  /// Puts the note and the label into the folder, with the older program.
  private func fill(_ device: Device) throws {
    try device.save { context in
      let folder = try #require(try context.fetch(FetchDescriptor<RenamedV1.Folder>()).first)
      try context.fetch(FetchDescriptor<RenamedV1.Note>()).forEach { $0.folder = folder }
      folder.labels = try context.fetch(FetchDescriptor<RenamedV1.Label>())
    }
  }

  @Test("What an older program gives an object that a newer one shares meanwhile comes into the share")
  func shared() throws {
    let old = try open("old", RenamedV1.models)
    try saveFolder(old)
    try old.sync()
    let new = try open("new", RenamedV2.models)
    try new.sync()
    try share(RenamedV2.Folder.self, of: new)
    try fill(old)
    try old.sync()
    server.shares[.share("1")]?.members["bob"] = true
    let bob = try open("bob", RenamedV2.models, account: "bob")
    for _ in 0..<3 { for device in [new, bob] { try device.sync() } }
    for device in [new, bob] {
      #expect(try device.notes() == ["a": "f"])
      #expect(try device.marks() == ["l"])
    }
  }

  @Test("An update sends what the older program saved before it, and older programs read what was to be sent already")
  func unsent() throws {
    var first: Device? = try open("first", RenamedV1.models)
    try saveFolder(first!)
    try first!.sync()
    let second = try open("second", RenamedV1.models)
    try second.sync()
    try first!.change(RenamedV1.Note.self) { $0.headline = "b" }
    try first!.replica.capture()
    first = nil
    first = try open("first", RenamedV2.models)
    try first!.sync()
    try second.sync()
    #expect(try second.oldNotes() == ["b": nil])
    var third: Device? = try open("third", RenamedV1.models)
    try third!.sync()
    // The replica has not looked at this save when the program is updated.
    try fill(third!)
    try third!.change(RenamedV1.Note.self) { $0.headline = "c" }
    third = nil
    third = try open("third", RenamedV2.models)
    for _ in 0..<2 { for device in [third!, first!] { try device.sync() } }
    for device in [first!, third!] {
      #expect(try device.notes() == ["c": "f"])
      #expect(try device.marks() == ["l"])
    }
  }

  @Test("A change that an updated program makes before it reads the log again counts, also if it takes a value away")
  func offline() throws {
    var first: Device? = try open("first", RenamedV1.models)
    try saveFolder(first!)
    try fill(first!)
    try first!.sync()
    first = nil
    first = try open("first", RenamedV2.models)
    try first!.save { context in
      for note in try context.fetch(FetchDescriptor<RenamedV2.Note>()) { (note.title, note.home) = ("", nil) }
      for folder in try context.fetch(FetchDescriptor<RenamedV2.Folder>()) { folder.marks = [] }
    }
    try first!.replica.capture()
    let fresh = try open("fresh", RenamedV2.models)
    for _ in 0..<2 { for device in [first!, fresh] { try device.sync() } }
    for device in [first!, fresh] {
      #expect(try device.notes() == ["": nil])
      #expect(try device.marks() == [])
      #expect(try device.replica.conflicts() == [])
    }
  }

  @Test(
    "An object with a unique value that arrives before an updated program has read the log again is the one of the old name"
  )
  func unique() throws {
    var first: Device? = try open("first", RenamedV1.models)
    try saveFolder(first!)
    try first!.sync()
    first = nil
    let second = try open("second", RenamedV2.models)
    try second.save { $0.insert(RenamedV2.Label("l")) }
    try second.sync()
    first = try open("first", RenamedV2.models)
    try first!.sync()
    for _ in 0..<2 {
      #expect(try ModelContext(first!.container).fetch(FetchDescriptor<RenamedV2.Label>()).map(\.word) == ["l"])
      #expect(try first!.objectCount(of: "Label") == 1)
      try first!.sync()
    }
  }

  /// Shares the first folder of a device.
  private func share<Folder: PersistentModel>(_ type: Folder.Type, of device: Device) throws {
    let folders = try ModelContext(device.container).fetch(FetchDescriptor<Folder>())
    let row = try device.replica.row(of: try #require(folders.first))
    server.shares[.share("1")] = ZoneServer.Share(owner: device.account, root: row.name)
    try device.sync()
    try device.replica.startShare(row, zone: "share-1")
  }

  @Test("A share that an updated program reads before it has read the log again counts (seed 3022)")
  func sharedMeanwhile() throws {
    var first: Device? = try open("first", RenamedV1.models)
    try saveFolder(first!)
    try fill(first!)
    try first!.sync()
    let new = try open("new", RenamedV2.models)
    try new.sync()
    try share(RenamedV2.Folder.self, of: new)
    try new.change(RenamedV2.Note.self) { $0.title = "b" }
    try new.sync()
    first = nil
    first = try open("first", RenamedV2.models)
    try first!.sync()
    try first!.sync()
    for device in [first!, new] {
      #expect(try device.notes() == ["b": "f"])
      #expect(try device.marks() == ["l"])
    }
  }

  @Test("An older program that shares an object takes along what the newer one gave it (seed 3092)")
  func leftBehind() throws {
    var old: Device? = try open("old", RenamedV1.models)
    let (new, other) = (try open("new", RenamedV2.models), try open("other", RenamedV2.models))
    try new.save { context in
      let folder = RenamedV2.Folder("f")
      context.insert(folder)
      folder.marks = [RenamedV2.Label("l")]
    }
    for device in [new, other, old!] { try device.sync() }
    try share(RenamedV1.Folder.self, of: old!)
    for _ in 0..<2 { for device in [old!, new, other] { try device.sync() } }
    old = nil
    old = try open("old", RenamedV2.models)
    let devices = [old!, new, other, try open("fresh", RenamedV2.models)]
    for _ in 0..<2 { for device in devices { try device.sync() } }
    for device in devices { #expect(try device.marks() == ["l"]) }
  }

  @Test("An older program shows objects whose unique value has another name in the newer one (seed 52)")
  func unknownUnique() throws {
    var old: Device? = try open("old", RenamedV1.models)
    let new = try open("new", RenamedV2.models)
    try new.save { context in for word in ["l", "m"] { context.insert(RenamedV2.Label(word)) } }
    for device in [new, old!] { try device.sync() }
    #expect(try ModelContext(old!.container).fetchCount(FetchDescriptor<RenamedV1.Label>()) == 2)
    old = nil
    old = try open("old", RenamedV2.models)
    for device in [old!, new] {
      try device.sync()
      let labels = try ModelContext(device.container).fetch(FetchDescriptor<RenamedV2.Label>())
      #expect(labels.map(\.word).sorted() == ["l", "m"])
      #expect(try device.objectCount(of: "Label") == 2)
    }
  }

  @Test("An encrypted value that was written under an old name can be read")
  func encrypted() throws {
    var first: Device? = try open("first", RenamedV1.models)
    try saveFolder(first!)
    try first!.change(RenamedV1.Note.self) { $0.secret = "hush" }
    try first!.sync()
    first = nil
    first = try open("first", RenamedV2.models)
    let fresh = try open("fresh", RenamedV2.models)
    for _ in 0..<2 { for device in [first!, fresh] { try device.sync() } }
    for device in [first!, fresh] {
      #expect(try ModelContext(device.container).fetch(FetchDescriptor<RenamedV2.Note>()).map(\.code) == ["hush"])
    }
  }
}
#endif
