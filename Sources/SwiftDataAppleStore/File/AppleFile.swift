import Foundation
import SwiftData

/// The contents of a file that Apple's frameworks made: metadata, model and tables.
package final class AppleFile: Sendable {
  package let url: URL
  /// The identity of the store (`Z_UUID`).
  package let identifier: String
  package let metadata: StoreMetadata
  package let model: AppleModel
  /// The numbers of the entities (`Z_ENT`).
  package let numbers: [String: Int64]
  /// The columns of each table, with the types that the file declares.
  package let tables: [String: [String: String]]
  package let columns: AppleColumns
  let access: FileAccess
  let converters: Converters

  /// The contents of `Z_METADATA`.
  package struct StoreMetadata: Sendable {
    package var values: [String: PlainValue]
    /// The number of the framework that wrote the file last.
    package var frameworkVersion: Int64? { values["NSPersistenceFrameworkVersion"]?.integer }
    package var modelIdentifiers: [String] {
      values["NSStoreModelVersionIdentifiers"]?.array?.compactMap(\.string) ?? []
    }
  }

  /// Opens a file for reading only and reads its model. It reads no rows.
  /// - Parameter location: the file, or a folder that has one store, such as a document package.
  /// - Throws: `SwiftDataError/notADatabase` if the file is not an Apple store, `SwiftDataError/storeDamaged`.
  package init(_ location: URL) throws {
    url = try Self.locate(location)
    converters = Converters()
    access = Self.access(to: url, converters, isWritable: false, lockTimeout: 5)
    let opened = try access.read { [url] in try Opened($0, url.path) }
    (identifier, metadata, model) = (opened.identifier, opened.metadata, opened.model)
    (numbers, tables) = (opened.numbers, opened.tables)
    columns = AppleColumns(model: opened.model, numbers: opened.numbers, tables: opened.tables)
  }

  /// The same file, open for writing. SQLite opens it at the first use, so that a file whose model does not fit stays as it
  /// is.
  init(writing file: AppleFile, lockTimeout: Double) {
    (url, converters) = (file.url, Converters())
    access = Self.access(to: url, converters, isWritable: true, lockTimeout: lockTimeout)
    (identifier, metadata, model) = (file.identifier, file.metadata, file.model)
    (numbers, tables, columns) = (file.numbers, file.tables, file.columns)
  }

  private static func access(
    to url: URL, _ converters: Converters, isWritable: Bool, lockTimeout: Double
  ) -> FileAccess {
    FileAccess(url, isWritable: isWritable, lockTimeout: lockTimeout) { connection in
      try SwiftFunctions.register(on: connection.handle)
      try converters.register(on: connection)
      try connection.execute("PRAGMA cache_size = -16000")
      for statement in converters.views { try connection.execute(statement) }
    }
  }

  /// The folder of the external data.
  package static func externalFolder(of url: URL) -> URL {
    let name = url.deletingPathExtension().lastPathComponent
    return url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
  }

  /// Reads from one consistent state of the file.
  package func read<T>(_ body: (FileConnection) throws -> T) throws -> T { try access.read(body) }

  func readChecked<T>(_ body: (FileConnection, () throws -> Void) throws -> T) throws -> T {
    try access.readChecked(body)
  }

  /// All rows of a statement, over Apple's tables or over the views that a mapping made.
  package func rows(_ statement: SQLFragment) throws -> [[SQLValue]] { try read { try $0.rows(statement) } }

  /// Makes the connections show the views of a mapping.
  package func use(_ mapping: ViewMapping) {
    converters.use(mapping.converters, views: mapping.statements)
    access.reset()
  }
}

/// The contents of a file's system tables.
private struct Opened {
  let identifier: String
  let metadata: AppleFile.StoreMetadata
  let model: AppleModel
  let numbers: [String: Int64]
  let tables: [String: [String: String]]

  init(_ connection: FileConnection, _ place: String) throws {
    let names = try connection.rows("SELECT name FROM main.sqlite_master WHERE type = 'table'").compactMap { row in
      if case .text(let name) = row[0] { name } else { nil }
    }
    guard names.contains("Z_METADATA"), names.contains("Z_PRIMARYKEY") else { throw AppleFile.noStore(place) }
    var tables = [String: [String: String]]()
    for name in names {
      var columns = [String: String]()
      for row in try connection.rows("SELECT name, type FROM pragma_table_info(\(bind: .text(name)))") {
        if case .text(let column) = row[0], case .text(let type) = row[1] { columns[column] = type }
      }
      tables[name] = columns
    }
    self.tables = tables
    (identifier, metadata) = try Self.metadata(connection, place)
    var numbers = [String: Int64]()
    var parents = [String: Int64]()
    for row in try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM main.Z_PRIMARYKEY ORDER BY Z_ENT LIMIT 20000") {
      guard case .integer(let number) = row[0], case .text(let name) = row[1] else { continue }
      numbers[name] = number
      if case .integer(let parent) = row[2], parent != 0 { parents[name] = parent }
    }
    var damage: String?
    var model = try Self.model(connection, tables, &damage)
    if model == nil {
      model = InferredModel.model(
        numbers: numbers, parents: parents, tables: tables, indices: try Self.indices(connection),
        damage: damage)
    }
    for entity in model!.entities where model!.lineage(of: entity.name).last?.superName != nil {
      model!.warnings.append("the superentities of \(entity.name) form a cycle; it is read as a root")
      // Cut the cycle at the entity that closes it.
      if let index = model!.entities.firstIndex(where: { $0.name == entity.name }) {
        model!.entities[index].superName = nil
      }
    }
    (self.model, self.numbers) = (model!, EntityNumbers.complete(numbers, parents: parents, model: model!))
  }

  private static func metadata(
    _ connection: FileConnection, _ place: String
  ) throws -> (String, AppleFile.StoreMetadata) {
    let rows = try connection.rows("SELECT Z_UUID, Z_PLIST FROM main.Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    guard let row = rows.first, case .text(let identifier) = row[0], !identifier.isEmpty else {
      throw SwiftDataError(
        .storeDamaged,
        message: "\"\(place)\" does not say which store it is (Z_METADATA is empty); copy the store and its -wal again")
    }
    guard case .blob(let data) = row[1], case .dictionary(let values)? = Archives.propertyList(data)
    else { return (identifier, AppleFile.StoreMetadata(values: [:])) }
    return (identifier, AppleFile.StoreMetadata(values: values))
  }

  /// Nil if the file has no model.
  /// - Parameter damage: set to the reason if it has one that cannot be read.
  private static func model(
    _ connection: FileConnection, _ tables: [String: [String: String]], _ damage: inout String?
  ) throws -> AppleModel? {
    guard tables["Z_MODELCACHE"] != nil,
      case .blob(let content)?? = try connection.rows("SELECT Z_CONTENT FROM main.Z_MODELCACHE LIMIT 1").first?.first,
      !content.isEmpty
    else { return nil }
    do {
      return try ModelReader.model([UInt8](content))
    } catch {
      damage = reason(error)
      return nil
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as Inflate.Failure: error.reason
    case let error as BinaryPropertyList.Failure: error.reason
    case let error as KeyedArchive.Failure: error.reason
    default: "\(error)"
    }
  }

  private static func indices(_ connection: FileConnection) throws -> Set<String> {
    Set(
      try connection.rows("SELECT name FROM main.sqlite_master WHERE type = 'index'").compactMap { row in
        if case .text(let name) = row[0] { name } else { nil }
      })
  }
}
