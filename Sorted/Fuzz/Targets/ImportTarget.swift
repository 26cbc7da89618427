import Foundation
import Sorted

enum ImportTarget {
  private static let folder: URL = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-import-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }()

  static func run(_ bytes: Data) throws {
    let (head, body) = bytes.headAndBody
    let (name, reader): (String, (URL) throws -> any ArchiveReader) =
      switch head {
      case "irc": ("2008-04-27.raw.txt", { try IRCReader(path: $0) })
      case "threads": ("2008-04-27.raw.txt", { try IRCReader(path: $0, withThreads: true) })
      case "telegram": ("result.json", { TelegramReader(path: $0) })
      default: ("messages.ndjson", { NDJSONReader(path: $0) })
      }
    let file = folder.appendingPathComponent(name)
    try body.write(to: file)
    if head == "threads" { try body.write(to: folder.appendingPathComponent("2008-04-27.clusters.txt")) }
    let result = try reader(file).read(file)
    for conversation in result.conversations {
      if Set(conversation.messages.map(\.id)).count != conversation.messages.count {
        broken("\(conversation.id) has two messages of one identifier")
      }
    }
  }
}
