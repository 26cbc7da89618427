import Crypto
import Foundation

/// The content and the date of each file in a folder, to show that nothing changed.
enum FolderState {
  /// - Parameter ignoredSuffix: files whose content does not count, such as `-shm`, which SQLite makes anew at each opening.
  static func of(_ folder: URL, ignoredSuffix: String? = nil) throws -> [String: String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { name in
        let url = folder.appendingPathComponent(name)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        guard attributes[.type] as? FileAttributeType == .typeRegular, ignoredSuffix.map(name.hasSuffix) != true else {
          return (name, "")
        }
        let date = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970
        return (name, "\(SHA256.hash(data: try Data(contentsOf: url))) \(date.map { "\($0)" } ?? "")")
      })
  }
}
