import SwiftData

/// The columns in which some properties of a class are written.
///
/// In order: the key; the class, if rows have it and the row is new; the properties; the text that the server's columns
/// cannot hold (`_given`); the words of searchable texts.
// @unchecked Sendable because it is immutable.
final class RowLayout: @unchecked Sendable {
  /// The form of a column's cells.
  enum Form {
    case plain
    case text
    /// A text whose words are written too.
    case searched
    /// A number. SQLite's stored form of NaN becomes the server's NaN.
    case real
    case json
    /// A column with a codec.
    case coded
  }

  struct Column {
    let name: String
    let type: PostgresType
    let family: ValueFamily
    let codec: ColumnCodec?

    /// The value of a cell.
    /// - Parameter given: the original text in `_given`.
    func value(of cell: SQLValue, given: String?) throws -> SQLValue {
      if let codec { return try codec.decode(cell) }
      if let given, ServerCell.isOriginal(given, of: cell, isJSON: type == .jsonb) { return .text(given) }
      return cell
    }
  }

  let properties: [__Property]
  let forms: [Form]
  let columns: [Column]
  /// The name of the class, if it is written.
  let entity: String?
  let words: [SearchColumns.Column]
  /// The property with the text, for each of `words`.
  let sources: [Int]
  /// All columns, in order.
  let all: [(String, PostgresType)]
  /// Statements with an array parameter per column.
  let insertion: String
  let update: String

  /// - Parameter isNew: whether the rows are new.
  init(_ table: EntityTable, _ properties: [__Property], isNew: Bool, _ layout: StoreLayout, isSharded: Bool = false) {
    let record = layout.record.table(named: table.name)
    let search = SearchColumns(table, layout)
    let columns = properties.map { property in
      let name = TableNames.column(for: property)
      let known = record?.column(named: name)
      return Column(
        name: name, type: known?.serverType ?? ValueFamily(property).serverType,
        family: ValueFamily(property),
        codec: known.flatMap { layout.codec(of: $0, in: table.name) })
    }
    self.properties = properties
    self.columns = columns
    let words = (search?.columns ?? []).filter { word in columns.contains { $0.name == word.source } }
    self.words = words
    sources = words.map { word in columns.firstIndex { $0.name == word.source }! }
    forms = columns.map { column -> Form in
      if column.codec != nil { return .coded }
      return switch column.type {
      case .jsonb: .json
      case .float8: .real
      case .text: words.contains { $0.source == column.name } ? .searched : .text
      default: .plain
      }
    }
    entity = isNew && table.hasDiscriminator ? table.entity.name : nil
    let all =
      [("_pk", PostgresType.bigint)] + (entity == nil ? [] : [("_entity", .text)])
      + columns.map { ($0.name, $0.type) } + [("_given", .jsonb)] + words.map { ($0.words, .tsvector) }
    self.all = all
    let (source, list) = (RowBuffer.source(all), RowBuffer.list(all))
    insertion = "INSERT INTO \(table.name.quotedIdentifier) (\(list)) SELECT * FROM \(source)"
    update =
      "UPDATE \(table.name.quotedIdentifier) AS t SET"
      + " \(Self.assignments(table, properties, words).joined(separator: ", "))"
      + " FROM \(source) AS v(\(list)) WHERE t._pk = v._pk"
      // A join with the array is computed here, from all rows of a shard. The shard computes this itself.
      + (isSharded ? " AND t._pk = ANY($1::bigint[])" : "")
  }

  private static func assignments(
    _ table: EntityTable, _ properties: [__Property], _ words: [SearchColumns.Column]
  ) -> [String] {
    var assignments = properties.map { property -> String in
      let column = TableNames.column(for: property).quotedIdentifier
      guard let position = table.positionColumn(of: property)?.quotedIdentifier else {
        return "\(column) = v.\(column)"
      }
      // A position in the former owner's array is invalid for the new owner.
      return "\(column) = v.\(column), \(position) = CASE WHEN t.\(column) IS NOT DISTINCT FROM v.\(column)"
        + " THEN t.\(position) END"
    }
    let names = properties.filter(\.isAttribute).map { TableNames.column(for: $0).quotedLiteral }
    if !names.isEmpty {
      assignments.append(
        "_given = nullif((coalesce(t._given, '{}') - ARRAY[\(names.joined(separator: ", "))]::text[])"
          + " || coalesce(v._given, '{}'), '{}')")
    }
    return assignments + words.map { "\($0.words.quotedIdentifier) = v.\($0.words.quotedIdentifier)" }
  }
}

/// The layouts used so far, because many saves write the same properties.
final class RowLayouts: Sendable {
  private struct Kind: Hashable {
    let entity: ObjectIdentifier
    /// Nil for new rows.
    let properties: PropertySet?
  }

  private let layout: StoreLayout
  private let partitions: PartitionedTables
  private let known = Lock<[Kind: RowLayout]>([:])

  init(_ layout: StoreLayout, _ partitions: PartitionedTables) {
    (self.layout, self.partitions) = (layout, partitions)
  }

  func insertion(_ table: EntityTable) -> RowLayout {
    find(Kind(entity: ObjectIdentifier(table.entity), properties: nil)) {
      RowLayout(table, table.stored, isNew: true, layout, isSharded: partitions.isSharded(table.name))
    }
  }

  func update(_ table: EntityTable, _ properties: [__Property]) -> RowLayout {
    find(Kind(entity: ObjectIdentifier(table.entity), properties: PropertySet(properties.map(\.index)))) {
      RowLayout(table, properties, isNew: false, layout, isSharded: partitions.isSharded(table.name))
    }
  }

  private func find(_ kind: Kind, _ make: () -> RowLayout) -> RowLayout {
    known.withLock { known in
      if let layout = known[kind] { return layout }
      if known.count >= 1000 { known = [:] }
      let layout = make()
      known[kind] = layout
      return layout
    }
  }
}
