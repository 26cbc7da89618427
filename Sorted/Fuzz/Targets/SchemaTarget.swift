import Foundation
import GRDB
import SwiftData

/// Schema entries of a file are untrusted.
enum SchemaTarget {
  private static let folder: URL = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-schema-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }()

  /// A store with a row. Each input gets a copy.
  private static let template: URL? = try? makeTemplate()

  private static func makeTemplate() throws -> URL {
    let url = folder.appendingPathComponent("template.store")
    do {
      let context = ModelContext(try container(url))
      context.insert(FuzzItem("a", 1))
      try context.save()
    }
    let queue = try DatabaseQueue(path: url.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try queue.close()
    return url
  }

  private static func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: FuzzItem.self, configurations: ModelConfiguration(url: url))
  }

  /// The first line is the name of an entry, the rest its value.
  static func run(_ bytes: Data) throws {
    guard let template else { broken("no template") }
    let (head, body) = bytes.headAndBody
    _ = try? JSONDecoder().decode(Schema.self, from: body)
    let url = folder.appendingPathComponent("changed.store")
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    try FileManager.default.copyItem(at: template, to: url)
    let queue = try DatabaseQueue(path: url.path)
    try queue.write { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO _swiftdata (key, value) VALUES (?, ?)",
        arguments: [head, String(decoding: body, as: UTF8.self)])
    }
    try queue.close()
    let context = ModelContext(try container(url))
    for item in try context.fetch(FetchDescriptor<FuzzItem>()) { _ = item.title }
    context.insert(FuzzItem("b", 2))
    try context.save()
  }
}
