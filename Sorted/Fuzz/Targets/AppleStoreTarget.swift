import AppleStoreTemplates
import Foundation
import GRDB
import SwiftData
import SwiftDataAppleStore
import SwiftDataInspection

/// Files in the format of Apple's frameworks, and exports of Realm Studio, come from other programs.
///
/// The first line says which part of a valid store the rest replaces: `model`, `metadata`, `archive` (a cell), `columns` (the
/// bits of a change in the history), or `page` with a number. `realm` is an export of Realm Studio.
enum AppleStoreTarget {
  private static let folder: URL = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-apple-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }()

  /// A store with two rows. Each input gets a copy.
  private static let template: Data? = try? makeTemplate()

  private static func makeTemplate() throws -> Data {
    let url = folder.appendingPathComponent("template.store")
    try AppleStoreTemplate(for: [FuzzItem.self]).make(at: url)
    do {
      let context = ModelContext(
        try ModelContainer(for: FuzzItem.self, configurations: AppleStoreConfiguration(url: url, allowsSave: true)))
      let owner = FuzzItem("a", 1)
      context.insert(owner)
      try context.save()
      owner.items = [FuzzItem("b", nil)]
      owner.number = 2
      try context.save()
    }
    let queue = try DatabaseQueue(path: url.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    try queue.close()
    return try Data(contentsOf: url)
  }

  static func run(_ bytes: Data) throws {
    guard var file = template else { broken("no template") }
    let (head, body) = bytes.headAndBody
    let url = folder.appendingPathComponent("changed.store")
    if head == "realm" {
      try body.write(to: url)
      return try importRealm(url)
    }
    let words = head.split(separator: " ")
    if words.first == "page", words.count == 2, let page = Int(words[1]), (0..<file.count / 4096).contains(page) {
      let end = page * 4096 + min(4096, body.count)
      file.replaceSubrange(page * 4096..<end, with: body.prefix(4096))
      try file.write(to: url)
    } else {
      try file.write(to: url)
      try change(head, body, in: url)
    }
    try use(url)
  }

  private static func change(_ part: String, _ bytes: Data, in url: URL) throws {
    let statement: String
    switch part {
    case "metadata": statement = "UPDATE Z_METADATA SET Z_PLIST = ?"
    case "archive": statement = "UPDATE ZFUZZITEM SET ZTAGS = ?"
    case "columns": statement = "UPDATE ACHANGE SET ZCOLUMNS = ? WHERE ZCHANGETYPE = 1"
    default: statement = "UPDATE Z_MODELCACHE SET Z_CONTENT = ?"
    }
    let queue = try DatabaseQueue(path: url.path)
    try queue.write { try $0.execute(sql: statement, arguments: [bytes]) }
    try queue.close()
  }

  /// What the tool and a program do with a store.
  private static func use(_ url: URL) throws {
    let before = try Data(contentsOf: url)
    defer { if (try? Data(contentsOf: url)) != before { broken("a store that is only read has changed") } }
    let store = try InspectedStore(url.path)
    _ = try store.source()
    _ = try? store.inspection()
    _ = try? store.faults()
    try? store.forEachRow { _ = $0.line }
    let context = ModelContext(
      try ModelContainer(for: FuzzItem.self, configurations: AppleStoreConfiguration(url: url)))
    for item in try context.fetch(FetchDescriptor<FuzzItem>()) {
      _ = (item.title, item.tags, item.owner?.title, item.items.count)
    }
    for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
      _ = transaction.changes.count
    }
  }

  private static func importRealm(_ url: URL) throws {
    var export = try RealmImport(url)
    _ = export.declarations
    let target = folder.appendingPathComponent("realm.store")
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: target.path + suffix) }
    _ = try export.copy(into: target)
    try InspectedStore(target.path).forEachRow { _ = $0.line }
  }
}
