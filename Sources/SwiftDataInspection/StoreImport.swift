import Foundation
import SwiftData
import SwiftDataAppleStore

/// The result of an import.
public struct StoreImport: Sendable, Codable {
  /// A table that was copied.
  public struct Table: Sendable, Codable {
    /// Its name.
    public var name: String
    /// The number of its rows.
    public var rows: Int
    /// The checksum of its rows, equal in the source and the target. Empty for an import that computes no checksum.
    public var checksum: String
  }
  /// The file that was read.
  public var source: String
  /// The store that was written.
  public var target: String
  /// Whether an earlier import of the same file was replaced.
  public var isRepeated: Bool
  /// The tables that were copied.
  public var tables: [Table]
  /// Descriptions of the data that could not be copied, with the reasons.
  public var losses: [String]

  /// The report as text.
  public var text: String {
    let count = tables.reduce(0) { $0 + $1.rows }
    var lines = ["\(isRepeated ? "imported again" : "imported") \(count) rows of \(tables.count) tables into \(target)"]
    lines += tables.map { "  \($0.name)  \($0.rows)\($0.checksum.isEmpty ? "" : "  \($0.checksum)")" }
    lines.append(losses.isEmpty ? "nothing was left out" : "left out, or noteworthy:")
    return (lines + losses.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension InspectedStore {
  /// Copies an Apple store into a new store of our own, or replaces an earlier import of the same file.
  /// - Parameters:
  ///   - target: the file of the store.
  ///   - replaces: whether changes that programs saved since the last import may be lost.
  ///   - progress: called with a table, the number of finished tables, and the number of all tables.
  /// - Throws: `SwiftDataError`. Then nothing was imported.
  public func copy(
    into target: URL, replaces: Bool = false, progress: @escaping (String, Int, Int) -> Void = { _, _, _ in }
  ) throws -> StoreImport {
    guard let apple else {
      throw SwiftDataError(
        .unsupportedFeature, message: "\"\(location)\" is a store of OpenSwiftData already; copy its file")
    }
    let report = try AppleImport.run(apple.file, into: target, replaces: replaces, progress: progress)
    return StoreImport(
      source: report.source, target: report.target, isRepeated: report.isRepeated,
      tables: report.tables.map { .init(name: $0.name, rows: $0.rows, checksum: $0.checksum) }, losses: report.losses)
  }

  /// The `@Model` declarations that open the file.
  /// - Throws: `SwiftDataError` for a store of our own, whose program has them.
  public func source() throws -> String {
    guard let apple else {
      throw SwiftDataError(
        .unsupportedFeature, message: "\"\(location)\" is a store of OpenSwiftData; its program has the classes")
    }
    return apple.model.source(of: apple.file.url.lastPathComponent)
  }

  /// The names of the classes that ``source()`` declares.
  public var classNames: [String] { apple?.model.printable.classes.map(\.name) ?? [] }
}
