import Foundation
import SwiftData

extension AppleFile {
  /// How many files a search looks at.
  private static let searchLimit = 100_000

  /// The file of the store at a place. Nothing changes there.
  /// - Parameter location: a file, or a folder that has one store: a document package, or an app's container.
  /// - Throws: `SwiftDataError/notADatabase` for a file that Apple's frameworks did not make; `SwiftDataError/io` if there is no file, or a folder has no store or several.
  static func locate(_ location: URL) throws -> URL {
    let path = location.path
    switch FileKind.of(location) {
    case .notAFile("a folder"): return try store(in: location)
    case .apple: return URL(fileURLWithPath: FileKind.real(path))
    case .new where !FileManager.default.fileExists(atPath: path):
      throw SwiftDataError(.io, message: "there is no file \"\(path)\"; name a store that SwiftData or Core Data made")
    case .notAFile(let kind):
      throw SwiftDataError(.io, message: "\"\(path)\" is \(kind); name a store that SwiftData or Core Data made")
    case .store:
      throw SwiftDataError(
        .notADatabase,
        message: "\"\(path)\" is a store of OpenSwiftData, which ModelConfiguration(url:) opens")
    case .other(let content):
      throw SwiftDataError(
        .notADatabase,
        message: "\"\(path)\" is not an SQLite database."
          + (content.map { " \($0)." } ?? "") + " Name a store that SwiftData or Core Data made")
    case .unreadable(let code, let message):
      throw FileErrors.error(code: code, message: message, sql: nil, place: path)
    case .new, .database: throw noStore(path)
    }
  }

  static func noStore(_ path: String) -> SwiftDataError {
    SwiftDataError(
      .notADatabase,
      message: "\"\(path)\" is an SQLite database without Z_METADATA and Z_PRIMARYKEY, which neither SwiftData nor Core"
        + " Data made")
  }

  private static func store(in folder: URL) throws -> URL {
    var found = [URL]()
    let files = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    var seen = 0
    while seen < searchLimit, let file = files?.nextObject() as? URL {
      seen += 1
      if FileKind.of(file) == .apple { found.append(file) }
    }
    switch found.count {
    case 1: return URL(fileURLWithPath: FileKind.real(found[0].path))
    case 0:
      throw SwiftDataError(
        .io, message: "the folder \"\(folder.path)\" has no store that SwiftData or Core Data made")
    default:
      let names = found.map { "\"\($0.path)\"" }.sorted().joined(separator: ", ")
      throw SwiftDataError(.io, message: "the folder \"\(folder.path)\" has several stores; name one of them: \(names)")
    }
  }

  /// A sentence about a log that may be missing, or nil. A file in write-ahead mode keeps what was saved last in its log.
  package var missingLog: String? {
    guard !FileManager.default.fileExists(atPath: url.path + "-wal"),
      let head = try? DatabaseFile(FileKind.real(url.path)).bytes(20, at: 0), head.count == 20, head[18] == 2
    else { return nil }
    return
      "the file is in write-ahead mode and has no \"\(url.lastPathComponent)-wal\" next to it; if the app's folder has"
      + " this file, copy it too, because only it has what the app saved last"
  }
}
