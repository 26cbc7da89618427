import Foundation
import SwiftData
import SwiftDataAppleStore
import SwiftDataPostgres

/// A store of any kind, as tools look at it: by its layout, without the classes of a program.
public final class InspectedStore: Sendable {
  /// The framework that made a store, and its database.
  public enum Kind: String, Sendable, Codable {
    /// SwiftData or Core Data, on one of Apple's systems.
    case apple
    /// OpenSwiftData, in an SQLite file.
    case sqlite
    /// OpenSwiftData, in a PostgreSQL database.
    case postgres
  }

  /// The framework that made the store, and its database.
  public let kind: Kind
  /// Its path, or its URL without the password.
  public let location: String
  /// The identity of the store.
  public let identifier: String
  let layout: LayoutRecord
  let encryption: EncryptionRecord?
  let apple: (file: AppleFile, model: NaturalModel)?
  let file: FileAccess?
  let server: ServerReader?
  /// The connection of a transaction in which the store is read.
  private let snapshot: FileConnection?
  let version: String
  let format: String

  /// Opens a store for reading.
  /// - Parameters:
  ///   - location: the path or the URL of a file, or the URL of a PostgreSQL database.
  ///   - namespace: the schema of the database in which the tables are.
  /// - Throws: `SwiftDataError` if there is no store or it cannot be read.
  public init(_ location: String, namespace: String = "swiftdata") throws {
    snapshot = nil
    if location.hasPrefix("postgres://") || location.hasPrefix("postgresql://") {
      let server = try ServerReader(location, namespace)
      (kind, self.location, identifier) = (.postgres, server.place, server.identifier)
      (layout, version, format, encryption) = (server.layout, server.version, "", nil)
      (apple, file, self.server) = (nil, nil, server)
      return
    }
    let named = location.hasPrefix("file:") ? URL(string: location) : nil
    let url = named ?? URL(fileURLWithPath: location)
    server = nil
    if FileKind.of(url) == .store {
      let access = FileAccess(url, isWritable: false) { try $0.expectOwnStore() }
      let own = try Self.readLive(access, url.path) { try Self.metadata($0, url.path) }
      self.location = url.path
      (kind, identifier, layout, encryption) = (.sqlite, own.identifier, own.layout, own.encryption)
      (version, format, apple, file) = (own.version, own.format, nil, access)
      return
    }
    let store = try AppleFile(url)
    self.location = store.url.path
    let model = try store.naturalModel()
    store.use(model.mapping(of: store))
    (kind, identifier, layout, encryption) = (.apple, store.identifier, model.record, nil)
    version = store.metadata.modelIdentifiers.joined(separator: ", ")
    format = store.metadata.frameworkVersion.map { "framework \($0)" } ?? ""
    (apple, file) = ((store, model), nil)
  }

  /// The same store, read in a transaction.
  private init(_ store: InspectedStore, snapshot: FileConnection?, server: ServerReader?) {
    (kind, location, identifier) = (store.kind, store.location, store.identifier)
    (layout, version, format, encryption) = (store.layout, store.version, store.format, store.encryption)
    (apple, file, self.server, self.snapshot) = (store.apple, store.file, server, snapshot)
  }

  /// Calls `body` with the store as it is at one moment.
  /// - Throws: `SwiftDataError/storeLocked` if another program changes a file meanwhile, and what `body` throws.
  func atOneMoment<T>(_ body: (InspectedStore) throws -> T) throws -> T {
    func read(_ connection: FileConnection) throws -> T {
      try body(InspectedStore(self, snapshot: connection, server: nil))
    }
    if let apple { return try apple.file.read(read) }
    if let file { return try file.read(read) }
    guard let server else { return try body(self) }
    return try server.atOneMoment { try body(InspectedStore(self, snapshot: nil, server: $0)) }
  }

  /// The same also while other programs save to a file. Then `body` may run again.
  func atOneMomentLive<T>(_ body: (InspectedStore) throws -> T) throws -> T {
    guard file != nil else { return try atOneMoment(body) }
    return try readLive { try body(InspectedStore(self, snapshot: $0, server: nil)) }
  }

  private static func metadata(
    _ connection: FileConnection, _ place: String
  ) throws -> (
    identifier: String, layout: LayoutRecord, version: String, format: String, encryption: EncryptionRecord?
  ) {
    let texts = try MetadataTexts(connection, place)
    return (
      texts.values["identifier"] ?? "", try texts.layout(), version(texts.values["version"]),
      "format \(texts.values["format"] ?? "?")", try texts.decode("encryption")
    )
  }

  /// The layout that a file has at the moment of a connection's transaction.
  static func layout(_ connection: FileConnection, _ place: String) throws -> LayoutRecord {
    try MetadataTexts(connection, place).layout()
  }

  /// The metadata of a file of OpenSwiftData.
  private struct MetadataTexts {
    private(set) var values = [String: String]()
    private let place: String

    init(_ connection: FileConnection, _ place: String) throws {
      self.place = place
      for row in try connection.rows("SELECT key, value FROM _swiftdata") {
        if case .text(let key) = row[0], case .text(let value) = row[1] { values[key] = value }
      }
    }

    func decode<T: Decodable>(_ key: String, _: T.Type = T.self) throws -> T? {
      guard let text = values[key] else { return nil }
      do {
        return try JSONCoding.decode(T.self, from: Data(text.utf8))
      } catch {
        throw SwiftDataError(
          .storeDamaged, message: "\"\(place)\" does not say what it holds (\(key))", underlying: error)
      }
    }

    func layout() throws -> LayoutRecord {
      guard let own: LayoutRecord = try decode("layout") else {
        throw SwiftDataError(.storeDamaged, message: "\"\(place)\" does not say what it holds (layout)")
      }
      // The rows of models that the last program did not list stay in the file.
      let all = try own.union(decode("retained") ?? .empty)
      return FormerLayout.described(all)
    }
  }

  /// The version of the models, as 1.0.0. A store has it as JSON.
  static func version(_ text: String?) -> String {
    guard let text else { return "" }
    return (try? JSONCoding.decode(Schema.Version.self, from: Data(text.utf8)))?.description ?? text
  }

  /// Runs a statement over the tables of the layout.
  func rows(_ statement: SQLFragment) throws -> [[SQLValue]] {
    if let snapshot { return try snapshot.rows(statement) }
    if let apple { return try apple.file.rows(statement) }
    if let file { return try file.read { try $0.rows(statement) } }
    return try server?.rows(statement) ?? []
  }

  // MARK: - Entities

  /// The classes that the store keeps, by name.
  public var entities: [String] { layout.tables.flatMap(\.classes).sorted() }

  /// The table of a class.
  func table(of entity: String) -> LayoutRecord.Table? { layout.tables.first { $0.classes.contains(entity) } }

  /// Whether the cells of a column are encrypted. The layout of a PostgreSQL store says so, and a file has a record of its own.
  func isEncrypted(_ column: LayoutRecord.Column, of entity: String) -> Bool {
    guard let table = table(of: entity) else { return false }
    return column.hasCodec || encryption?.contains(table.name, column.name) == true
  }

  /// The condition for the rows of exactly one class.
  func condition(_ entity: String, in table: LayoutRecord.Table) -> String {
    table.hasDiscriminator ? "_entity = \(entity.quotedLiteral)" : "TRUE"
  }

  /// Returns the number of objects of exactly one class, without its subclasses.
  /// - Throws: `SwiftDataError`.
  public func count(of entity: String) throws -> Int {
    guard let table = table(of: entity) else { return 0 }
    let rows = try rows("SELECT count(*) FROM \(name: table.name) WHERE \(condition(entity, in: table))")
    guard case .integer(let count)? = rows.first?.first else { return 0 }
    return Int(count)
  }

  /// The columns of a class's objects. A store of an earlier format does not record which class of a hierarchy has a column.
  func columns(of entity: String) -> [LayoutRecord.Column] { table(of: entity)?.columns(of: entity) ?? [] }

  /// The relationships of a class.
  func relationships(of entity: String) -> [LayoutRecord.Relationship] {
    guard let table = table(of: entity) else { return [] }
    let lineage = table.lineage(of: entity)
    return layout.relationships.filter { $0.table == table.name && $0.entity.map(lineage.contains) != false }
  }
}
