import Foundation
import SwiftData
import SwiftDataAppleStore

/// Copies the objects of Realm Studio's JSON export into a store.
public struct RealmImport {
  private let source: URL
  private let model: NaturalModel
  private var objects: RealmObjects
  private var losses: [String]
  /// The number of links inside embedded objects that became keys.
  private var innerLinks = 0
  /// The number of values that may still be added to the present cell. Embedded objects of a hostile file can contain each
  /// other.
  private var budget = 0
  /// The number of embedded objects that were too large.
  private var truncated = 0

  /// Reads an export.
  /// - Throws: `SwiftDataError` for a file that is not a JSON export of Realm Studio.
  /// - Complexity: the whole file is in memory.
  public init(_ source: URL) throws {
    self.source = source
    objects = RealmObjects(try RealmExport(source))
    model = RealmModel(objects).natural
    losses = model.notes
  }

  /// The `@Model` declarations that open the store.
  public var declarations: String { model.source(of: source.lastPathComponent) }

  /// The names of the classes that ``declarations`` declares.
  public var classNames: [String] { model.classes.map(\.name) }

  /// Fills a new store, or replaces an earlier import of an export with the same classes.
  /// - Parameters:
  ///   - target: the file of the store.
  ///   - replaces: whether changes that programs saved since the last import may be lost.
  ///   - progress: called with a class, the number of finished classes, and the number of all.
  /// - Throws: `SwiftDataError`. Then nothing was imported.
  public mutating func copy(
    into target: URL, replaces: Bool = false, progress: (String, Int, Int) -> Void = { _, _, _ in }
  ) throws -> StoreImport {
    let record = model.record
    let connection = try FileConnection(uri: "file::memory:", place: target.path, lockTimeout: 5)
    try SwiftFunctions.register(on: connection.handle)
    var tables = [StoreImport.Table]()
    let destination = ImportTarget(url: target, layout: record, mark: "realm-json", source: source.path)
    let isRepeated = try destination.fill(on: connection, replaces: replaces) {
      for (index, member) in model.classes.enumerated() {
        progress(member.name, index, model.classes.count)
        tables += try copy(member, record, connection)
      }
      progress("", model.classes.count, model.classes.count)
    }
    if objects.ambiguousLinks > 0 {
      losses.append(
        "\(objects.ambiguousLinks) links lead to one of several objects with equal values; each leads to the first of them"
      )
    }
    if truncated > 0 {
      losses.append("\(truncated) embedded objects are too large or contain themselves; nil is in their place")
    }
    if innerLinks > 0 { losses.append("\(innerLinks) links inside embedded objects are kept as keys") }
    return StoreImport(
      source: source.path, target: target.path, isRepeated: isRepeated, tables: tables, losses: losses)
  }

  // MARK: - Rows

  private mutating func copy(
    _ member: NaturalClass, _ record: LayoutRecord, _ connection: FileConnection
  ) throws -> [StoreImport.Table] {
    guard let table = record.tables.first(where: { $0.classes[0] == member.name }),
      let nodes = objects.export.classes.first(where: { $0.name == member.name })?.nodes
    else { return [] }
    let properties = member.properties.filter { $0.pairTable(model, member) == nil }
    let list = (["_pk"] + properties.map { model.column(of: $0, in: member) }).map(\.quotedIdentifier).joined(
      separator: ", ")
    let marks = Array(repeating: "?", count: properties.count + 1).joined(separator: ", ")
    let insert = "INSERT INTO target.\(table.name.quotedIdentifier) (\(list)) VALUES (\(marks))"
    var pairs = [String: Int]()
    for (index, node) in nodes.enumerated() {
      let (key, fields) = (Int64(index + 1), objects.export.nodes[node])
      var cells = [SQLValue.integer(key)]
      for property in properties { cells.append(try cell(of: fields[property.originalName], property)) }
      try connection.run(SQLFragment(insert, cells))
      for property in member.properties {
        guard let name = property.pairTable(model, member) else { continue }
        pairs[name, default: 0] += try copyLinks(fields[property.originalName], from: key, into: name, connection)
      }
    }
    let rows = try connection.rows("SELECT count(*) FROM target.\(name: table.name)")
    guard rows == [[.integer(Int64(nodes.count))]] else {
      throw SwiftDataError(
        .io, entity: member.name,
        message: "the export has \(nodes.count) objects, and another number was written; nothing was imported")
    }
    try ImportTarget.noteNonNFCText(of: table, on: connection)
    try connection.run(
      SQLFragment(StoreCounters.raising(in: "target"), [.text(table.name), .integer(Int64(nodes.count))]))
    return [StoreImport.Table(name: table.name, rows: nodes.count, checksum: "")]
      + pairs.sorted { $0.key < $1.key }.map { .init(name: $0.key, rows: $0.value, checksum: "") }
  }

  /// Adds the pairs of a list. A target that is in a list twice is a pair once.
  private mutating func copyLinks(
    _ value: RealmExport.Value?, from key: Int64, into name: String, _ connection: FileConnection
  ) throws -> Int {
    guard case .list(let members)? = value else { return 0 }
    var count = 0
    for (place, member) in members.enumerated() {
      guard case .object(let node) = member, let target = objects.object(of: node) else { continue }
      count += try connection.run(
        """
        INSERT OR IGNORE INTO target.\(name: name) (source, target, source_position) \
        VALUES (\(key), \(target.key), \(place))
        """)
    }
    return count
  }

  private mutating func cell(of value: RealmExport.Value?, _ property: NaturalProperty) throws -> SQLValue {
    guard let value else { return .null }
    if case .scalar(.null) = value { return .null }
    switch (property.kind, value) {
    case (.toOne, .object(let node)): return objects.object(of: node).map { .integer($0.key) } ?? .null
    case (.value(.bool), .scalar(.bool(let value))): return .integer(value ? 1 : 0)
    case (.value(.int64), .scalar(.integer(let value))): return .integer(value)
    case (.value(.double), .scalar(.integer(let value))): return .real(Double(value))
    case (.value(.double), .scalar(.real(let value))): return .real(value)
    case (.value(.string), .scalar(.string(let text))): return .text(text)
    case (.value(.date), .scalar(.string(let text))):
      return RealmValues.date(text).map { .real($0.timeIntervalSinceReferenceDate) } ?? .null
    case (.value(.uuid), .scalar(.string(let text))):
      return UUID(uuidString: text).map { uuid in .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) }) } ?? .null
    case (.value(.decimal), .object(let node)):
      return RealmValues.decimal(objects.export.nodes[node]).map { .text($0.description) } ?? .null
    default:
      let areDates = if case .array("Date") = property.kind { true } else { false }
      budget = 100_000
      let plain = plain(value, areDates: areDates, depth: 0)
      return .text(String(decoding: try JSONCoding.encode(plain), as: UTF8.self))
    }
  }

  /// A value as JSON. A link inside it becomes the key of its target.
  private mutating func plain(_ value: RealmExport.Value, areDates: Bool, depth: Int) -> PlainValue {
    budget -= 1
    guard depth < 100, budget >= 0 else {
      truncated += 1
      return .null
    }
    switch value {
    case .scalar(.string(let text)) where areDates:
      return RealmValues.date(text).map { .date($0.timeIntervalSinceReferenceDate) } ?? .string(text)
    case .scalar(let value): return value
    case .list(let members):
      var result = [PlainValue]()
      for member in members { result.append(plain(member, areDates: areDates, depth: depth + 1)) }
      return .array(result)
    case .object(let node):
      if let decimal = RealmValues.decimal(objects.export.nodes[node]) { return .decimal(decimal.description) }
      if let object = objects.object(of: node) {
        innerLinks += 1
        return .integer(object.key)
      }
      var result = [String: PlainValue]()
      for (name, member) in objects.export.nodes[node] {
        result[name] = plain(member, areDates: false, depth: depth + 1)
      }
      return .dictionary(result)
    }
  }
}

extension NaturalProperty {
  /// The table of the pairs of a to-many relationship. Realm's links have no inverse, so each list has a table.
  fileprivate func pairTable(_ model: NaturalModel, _ member: NaturalClass) -> String? {
    model.pairTable(of: self, in: member)?.name
  }
}
