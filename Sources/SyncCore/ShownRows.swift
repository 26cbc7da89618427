/// The rows that a source shows, with the records that make them. A client asks it when it captures what a program saved, and when it writes
/// rows.
///
/// It keeps what it read. Changes of the source need a new one.
public struct ShownRows {
  /// The program's models.
  public let models: SyncModels
  let reader: RowReader<KnownRows>
  private var source: KnownRows { reader.source }

  /// Reads the rows of a source.
  public init(_ source: any RowSource, _ models: SyncModels) {
    (self.models, reader) = (models, RowReader(KnownRows(source), models))
  }

  // MARK: - Records

  /// The registers of a record; nil for a record that its zone does not know.
  public func registers(of key: RecordKey) throws -> Registers? { try source.registers(of: key) }

  /// The row that shows a record; nil for a record that is not shown.
  public func row(showing key: RecordKey) throws -> RecordKey? { try source.row(showing: key) }

  /// The rows that show records of a name, in the order of the records' zones.
  package func rows(showing name: RecordName) throws -> [RecordKey] {
    try source.zones(knowing: name).sorted().compactMap { try source.row(showing: RecordKey($0, name)) }
  }

  /// The rows with a relationship that leads to a row, whether or not the row's class has the other end.
  package func rows(leadingTo row: RecordKey) throws -> Set<RecordKey> {
    var found = Set<RecordKey>()
    for name in Set(try source.records(shownBy: row).map(\.name)) {
      for zone in try source.zones(leadingTo: name) {
        for holder in try source.holders(of: name, in: zone) {
          if let row = try source.row(showing: RecordKey(zone, holder)), row.zone == zone { found.insert(row) }
        }
      }
    }
    return found
  }

  /// Whether a record has an owner of some kind, directly or through other records that a view can show.
  package func isOwned(_ key: RecordKey, by isOwner: (RecordKey) throws -> Bool) throws -> Bool {
    try source.isOwned(key, models, by: isOwner)
  }

  /// The records of a zone that a record owns, and that a view can show.
  public func owned(by key: RecordKey) throws -> Set<RecordKey> { try source.owned(by: key, models) }

  /// The row that a reference leads to; nil if it leads to no row of the class.
  public func resolve(_ reference: Reference, from zone: ZoneName, entity: WireName) throws -> RecordKey? {
    guard let (row, actual) = try reader.resolve(reference, from: zone), models.isKind(actual, of: entity) else {
      return nil
    }
    return row
  }

  /// The row that a reference leads to; nil if it leads to none.
  public func row(of reference: Reference, from zone: ZoneName) throws -> RecordKey? {
    try reader.resolve(reference, from: zone)?.row
  }

  // MARK: - Rows

  /// Whether there is a row of a key.
  public func exists(_ row: RecordKey) throws -> Bool { try reader.exists(row) }

  /// The class of a row; nil if there is no such row.
  public func entity(of row: RecordKey) throws -> WireName? { try reader.entity(of: row) }

  /// A property of a row; nil if there is no such row.
  public func property(_ name: ExactText, of row: RecordKey) throws -> SyncModels.Property? {
    try entity(of: row).flatMap { models[$0, name] }
  }

  /// The records that make the values of a row, in order; none if there is no such row.
  public func members(of row: RecordKey) throws -> [RecordKey] { try reader.members(of: row) }

  /// The unique values of a row; none if there is no such row.
  public func uniqueValues(of row: RecordKey) throws -> Set<UniqueValue> {
    Set(try members(of: row).compactMap(source.registers).flatMap { UniqueValue.all(of: $0, models) })
  }

  /// Whether a row has a unique value.
  public func hasRow(with value: UniqueValue) throws -> Bool {
    try source.records(with: value).contains { try source.row(showing: $0) != nil }
  }

  /// All records that a row shows, in whatever zone they are.
  public func records(shownBy row: RecordKey) throws -> [RecordKey] { try source.records(shownBy: row).sorted() }

  /// The name of the record of a zone that a row stands for; nil if there is none.
  public func name(of row: RecordKey, in zone: ZoneName) throws -> RecordName? {
    guard try exists(row) else { return nil }
    return try source.records(shownBy: row).filter { $0.zone == zone }.map(\.name).min()
  }

  // MARK: - Values

  /// The value of a property of a row; nil if there is no such row.
  /// - Complexity: O(the length of the list).
  public func value(_ property: SyncModels.Property, of row: RecordKey) throws -> RowValue? {
    guard try exists(row) else { return nil }
    return try reader.value(row, property) ?? .toMany(reader.list(row, property))
  }

  /// The latest write of a property among the records of a row; nil if there is none.
  public func write(_ property: SyncModels.Property, of row: RecordKey) throws -> Stamped<RegisterValue>? {
    try reader.write(row, property)
  }

  /// The place of a row in the list that its to-one makes; nil if it has none.
  public func place(_ property: SyncModels.Property, of row: RecordKey) throws -> ExactText? {
    let place = try reader.place(row, property)
    return place.text.isEmpty ? nil : place
  }

  /// The edges of a property that the records of a row hold, also those that are not present.
  public func edges(
    _ property: SyncModels.Property, of row: RecordKey
  ) throws -> [(holder: RecordKey, member: RecordName, edge: Edge)] {
    try members(of: row).flatMap { key in
      (try source.registers(of: key)?.members(property) ?? [:]).map { (key, $0, $1) }
    }
  }

  /// The fields of a row, each the join of the fields of its records.
  public func fields(of row: RecordKey) throws -> [WireName: Stamped<RegisterValue>] {
    try members(of: row).reduce(into: [:]) { fields, key in
      fields.merge(try source.registers(of: key)?.fields ?? [:], uniquingKeysWith: max)
    }
  }

  /// The rows that lead to a target by an exclusive to-one, and are not shown so because another row leads there too.
  public func losers(of target: RecordKey, by property: SyncModels.Property) throws -> [RecordKey] {
    guard property.isExclusive else { return [] }
    return try reader.sources(of: target, property.name, property.declaringClass).filter { row in
      try self.property(property.name, of: row).map { try reader.target(row, $0) != target } ?? false
    }.sorted()
  }
}

extension SyncModels {
  /// The names of the properties of each unique set of a class, with those that it inherits.
  public func uniqueProperties(of entity: WireName) -> [[ExactText]] {
    (rules[entity]?.unique ?? []).map { $0.properties.map(\.name) }
  }
}
