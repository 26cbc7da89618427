import Foundation
public import SwiftData
import SwiftDataAppleStore

/// Makes files in the format of Apple's frameworks, for tests and benchmarks.
///
/// Apple does not document how its frameworks compute the hashes in the metadata, so those of a template are made up.
/// Programs use an app's own store as their template.
public struct AppleStoreTemplate {
  package var model: AppleModel
  /// Whether the file keeps a history, as those of SwiftData do.
  public var hasHistory = true
  /// Whether the model inside has proxies for inherited properties, as some files of Core Data do.
  public var hasProxies = false
  /// Whether the file has its model inside, as files since 2015 do.
  public var hasModel = true
  /// The text encoding of the database; `UTF-16le` and `UTF-16be` are the others that SQLite has.
  public var encoding = "UTF-8"
  package let identifier: String

  package init(_ model: AppleModel, identifier: String = UUID().uuidString) {
    (self.model, self.identifier) = (model, identifier)
  }

  /// The template for some classes.
  /// - Parameters:
  ///   - enums: the cases of enums without raw values, by "Class.property".
  ///   - isOrdered: whether lists keep their order, as those of Core Data can.
  public init(for types: [any PersistentModel.Type], enums: [String: [String]] = [:], isOrdered: Bool = false) {
    self.init(for: Schema(types), enums: enums, isOrdered: isOrdered)
  }

  /// The template for the classes of a schema.
  public init(for schema: Schema, enums: [String: [String]] = [:], isOrdered: Bool = false) {
    self.init(SchemaModel.model(of: schema, enums: enums, isOrdered: isOrdered))
  }

  /// Makes an empty store.
  /// - Throws: an error of SQLite.
  public func make(at url: URL) throws {
    let numbers = EntityNumbers.complete([:], model: model)
    let tables = TemplateTables(model: model, numbers: numbers)
    var statements = [
      "PRAGMA encoding = '\(encoding)'", "PRAGMA auto_vacuum = 2", "PRAGMA journal_mode = WAL",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
    ]
    if hasModel { statements.append("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)") }
    statements += tables.statements
    if hasHistory { statements += Self.history(width: tables.tombstoneCount) }
    try Data().write(to: url)
    let connection = try FileConnection(
      uri: FileAccess.uri(url.path, "mode=rw"), place: url.path, lockTimeout: 5)
    for statement in statements { try connection.execute(statement) }
    try connection.execute("BEGIN")
    try connection.run(
      "INSERT INTO Z_METADATA VALUES (1, \(bind: .text(identifier)), \(bind: .blob(ModelArchive.metadata(of: model))))")
    for entity in model.entities {
      let parent = entity.superName.flatMap { numbers[$0] } ?? 0
      try connection.run(
        "INSERT INTO Z_PRIMARYKEY VALUES (\(numbers[entity.name]!), \(bind: .text(entity.name)), \(parent), 0)")
    }
    if hasModel {
      try connection.run(
        "INSERT INTO Z_MODELCACHE VALUES (\(bind: .blob(Deflate.stored(ModelArchive.data(of: model, hasProxies: hasProxies)))))"
      )
    }
    try connection.execute("COMMIT")
  }

  private static func history(width: Int) -> [String] {
    let tombstones = (0..<width).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
    return [
      """
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, \
      ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, \
      ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB)
      """,
      "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
      "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME)",
      """
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, \
      ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones))
      """,
    ]
  }
}

/// DEFLATE without compression.
enum Deflate {
  static func stored(_ data: Data) -> Data {
    var result = Data()
    var rest = data[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      result.append(rest.isEmpty ? 1 : 0)
      for number in [count, ~count] { result.append(contentsOf: [UInt8(number & 0xFF), UInt8(number >> 8)]) }
      result.append(block)
    } while !rest.isEmpty
    return result
  }
}
