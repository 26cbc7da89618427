/// The records of a source that come before a key, with the rows that were made of them.
///
/// After an update of the program a client makes its view again, in pages of ascending keys. It empties the tables of rows, makes the table of
/// unique values again, and makes a ``ViewUpdate`` of each page over the pages before it. So neither the records nor the rows have to be in
/// memory.
public struct FirstRecords<Base: RowSource>: RowSource {
  private let base: Base
  private let end: RecordKey

  /// Takes the records before a key.
  public init(_ base: Base, before end: RecordKey) { (self.base, self.end) = (base, end) }

  /// Says which records are read next.
  public func prepare(_ keys: [RecordKey]) throws { try base.prepare(keys.filter { $0 < end }) }
  /// Names the arguments of the next calls of ``zones(leadingTo:)``.
  public func prepare(leadingTo names: [RecordName]) throws { try base.prepare(leadingTo: names) }
  /// Names the arguments of the next calls of ``records(with:)``.
  public func prepare(with values: [UniqueValue]) throws { try base.prepare(with: values) }
  /// The registers of a record; nil for a record that its zone does not know.
  public func registers(of key: RecordKey) throws -> Registers? { key < end ? try base.registers(of: key) : nil }
  /// The zones that know a name.
  public func zones(knowing name: RecordName) throws -> [ZoneName] {
    try base.zones(knowing: name).filter { RecordKey($0, name) < end }
  }
  /// The zones in which a record leads to a name. A zone may be among them whose only such records come later.
  public func zones(leadingTo name: RecordName) throws -> [ZoneName] {
    try base.zones(leadingTo: name).filter { $0 <= end.zone }
  }
  /// The records of a zone that lead to a name.
  public func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName] {
    try base.holders(of: name, in: zone).filter { RecordKey(zone, $0) < end }
  }
  /// The records of a zone that lead to a name by a property.
  public func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName] {
    try base.holders(of: name, in: zone, by: property).filter { RecordKey(zone, $0) < end }
  }
  /// The records of all zones that have a unique value.
  public func records(with value: UniqueValue) throws -> [RecordKey] {
    try base.records(with: value).filter { $0 < end }
  }
  /// The row that shows a record; nil for a record that is not shown.
  public func row(showing key: RecordKey) throws -> RecordKey? { try base.row(showing: key) }
  /// The records that a row shows.
  public func records(shownBy row: RecordKey) throws -> [RecordKey] { try base.records(shownBy: row) }
}
