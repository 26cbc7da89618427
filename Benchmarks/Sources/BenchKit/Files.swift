// Public for the other targets of this package alone.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// The files of a benchmark: a template for each layout and number of rows, and a working copy.
public struct Files: Sendable {
  public let directory: String

  public init(directory: String) { self.directory = directory }

  public var work: String { "\(directory)/work.db" }

  public func template(_ template: Template, _ layout: String) -> String {
    "\(directory)/\(layout)-\(template.rawValue).db"
  }

  public func copyToWork(_ template: String) throws {
    remove(work)
    try FileManager.default.copyItem(atPath: template, toPath: work)
  }

  /// Creates a template if it is missing.
  public func make<P: Peer>(_ template: Template, for _: P.Type) throws {
    let path = self.template(template, P.layout)
    guard !FileManager.default.fileExists(atPath: path) else { return }
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let part = path + ".part"
    remove(part)
    try fill(P.self, part, template.rows)
    try FileManager.default.moveItem(atPath: part, toPath: path)
  }

  /// Closing the peer completes the file.
  private func fill<P: Peer>(_: P.Type, _ path: String, _ rows: Int) throws {
    let peer = try P(path: path, trace: false)
    try peer.createConversations()
    for from in stride(from: 0, to: rows, by: 10_000) {
      let source = RowSource(from: from, count: 10_000, prepared: true)
      peer.prepare(source)
      try peer.insert(source)
    }
    try peer.close()
  }

  private func remove(_ path: String) {
    // Removing a missing file may fail.
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }
}
