import Foundation

/// Makes a store whose models are known by their layout alone, as an import does.
///
/// A container that opens it with classes of this layout finds nothing to migrate.
package enum NewStore {
  /// Creates the tables of a layout in a file that has none.
  /// - Parameter identifier: the identity of the store.
  /// - Throws: ``SwiftDataError`` where the file cannot be made or has tables already.
  package static func create(at url: URL, layout: LayoutRecord, identifier: String) throws {
    let configuration = ModelConfiguration(url: url)
    guard FileKind.of(url) == .new else {
      throw SwiftDataError(.io, message: "\"\(url.path)\" exists already; name a new file")
    }
    let connections = try StoreFile.open(configuration)
    defer { try? connections.close() }
    do {
      try connections.write { database in
        guard try Metadata(database, configuration) == nil else {
          throw SwiftDataError(.io, message: "\"\(url.path)\" holds a store already; name a new file")
        }
        try Metadata.createTables(database)
        for statement in layout.creationStatements() { try database.execute(statement) }
        try Metadata(
          identifier: identifier, schema: try Metadata.encode(Schema()), version: Schema.Version(1, 0, 0),
          layout: layout
        ).write(to: database)
      }
    } catch {
      // A full disk may leave an empty file.
      try? connections.close()
      if FileKind.of(url) == .new {
        for suffix in ["-wal", "-shm", ""] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
      }
      guard let error = error as? SQLiteError else { throw error }
      throw StoreErrors.error(error, configuration: configuration, layout: nil)
    }
  }

  /// The folder with the external data of a store.
  package static func externalFolder(of url: URL) -> URL { ExternalStorage(ModelConfiguration(url: url)).directory }
}
