import Foundation
import Testing

/// The real stores that lie beside the repository on some machines. They belong to others, so that none is part of it.
enum Packs {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/data/apple-stores")

  struct Store: Sendable, CustomTestStringConvertible {
    let pack: String
    let file: String
    var url: URL { Packs.folder.appendingPathComponent(pack).appendingPathComponent(file) }
    var testDescription: String { "\(pack)/\(file)" }
  }

  /// All stores that have an expectation, by pack and name.
  static let stores: [Store] = {
    let packs = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return packs.sorted().flatMap { pack in
      (expectations(pack)?.keys.sorted() ?? []).map { Store(pack: pack, file: $0) }
    }
  }()

  static var isThere: Bool { !stores.isEmpty }

  static func expectations(_ pack: String) -> [String: [String: Any]]? {
    let file = folder.appendingPathComponent(pack).appendingPathComponent("expected.json")
    guard let data = try? Data(contentsOf: file) else { return nil }
    return (try? JSONSerialization.jsonObject(with: data)) as? [String: [String: Any]]
  }

  /// A copy of a store with what lies beside it, in a folder of its own.
  static func copy(_ store: Store) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pack-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let copy = folder.appendingPathComponent(store.url.lastPathComponent)
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: store.url.path + suffix) {
      try FileManager.default.copyItem(atPath: store.url.path + suffix, toPath: copy.path + suffix)
      chmod(copy.path + suffix, 0o600)
    }
    return copy
  }
}
