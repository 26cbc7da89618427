import Foundation

/// Keeps large `Data` of `.externalStorage` properties in files beside the store, one a value.
///
/// A file is written whole under its final name before the row that names it is committed, and removed after the
/// commit that dropped the last row naming it; a crash in between leaves a file without a row, never the opposite.
struct ExternalStorage: Sendable {
  /// Data up to this size stays in the row.
  static let threshold = 128 * 1024

  let directory: URL
  let isTemporary: Bool

  func write(_ data: Data) throws -> String {
    let name = UUID().uuidString
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try data.write(to: directory.appendingPathComponent(name), options: .atomic)
    } catch {
      throw SwiftDataError(.io, message: "external data cannot be written to \(directory.path)", underlying: error)
    }
    return name
  }

  func read(_ name: String) throws -> Data {
    do {
      return try Data(contentsOf: directory.appendingPathComponent(name))
    } catch {
      throw SwiftDataError(
        .io, message: "the external data \(name) is missing from \(directory.path)", underlying: error)
    }
  }

  func remove(_ names: some Sequence<String>) {
    for name in names { try? FileManager.default.removeItem(at: directory.appendingPathComponent(name)) }
  }

  func removeAll() { try? FileManager.default.removeItem(at: directory) }
}
