/// A relationship of a record, as the index of references has it: a reference or a present edge.
public struct Link: Hashable, Comparable, Sendable {
  /// The name on the wire.
  public var property: WireName
  /// The name that it leads to.
  public var name: RecordName

  /// Makes a link.
  public init(_ property: WireName, _ name: RecordName) { (self.property, self.name) = (property, name) }

  /// Orders links by name, then by property.
  public static func < (left: Link, right: Link) -> Bool {
    left.name == right.name ? left.property < right.property : left.name < right.name
  }
}

/// The entries that a record has in the indices of a ``RecordSource``.
public struct IndexEntries: Hashable, Sendable {
  /// The entries in the index of references. They depend on the registers alone. Dead records and records that moved away have them
  /// too.
  public var links = Set<Link>()
  /// The entries in the index of unique values. They depend on the models too. A record has them if it is born, not dead and in its zone.
  public var unique = Set<UniqueValue>()

  /// No entries.
  public init() {}

  /// The entries of a record; none for a record that its zone does not know.
  public init(_ registers: Registers?, in zone: ZoneName, _ models: SyncModels) {
    guard let registers else { return }
    for (property, write) in registers.fields {
      if let name = write.value.reference?.name { links.insert(Link(property, name)) }
    }
    for (property, members) in registers.edges {
      for (name, edge) in members where edge.isPresent { links.insert(Link(property, name)) }
    }
    if registers.isHere(zone) { unique = Set(UniqueValue.all(of: registers, models)) }
  }
}

/// The records of a replica's zones with the indices that a view and a rebase need.
///
/// A client has them in tables, not in memory. ``IndexEntries`` says what is in the two indices, and ``ViewUpdate`` says how the entries
/// change. The order of what a method returns does not matter.
public protocol RecordSource {
  /// Says which records are read next, so that they can be loaded at once. The default does nothing.
  func prepare(_ keys: [RecordKey]) throws
  /// Names the arguments of the next calls of ``zones(leadingTo:)``. The default does nothing.
  func prepare(leadingTo names: [RecordName]) throws
  /// Names the arguments of the next calls of ``records(with:)``. The default does nothing.
  func prepare(with values: [UniqueValue]) throws
  /// The registers of a record; nil for a record that its zone does not know.
  func registers(of key: RecordKey) throws -> Registers?
  /// The zones that know a name.
  func zones(knowing name: RecordName) throws -> [ZoneName]
  /// The zones in which a record leads to a name.
  func zones(leadingTo name: RecordName) throws -> [ZoneName]
  /// The records of a zone that lead to a name.
  func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName]
  /// The records of a zone that lead to a name by a property.
  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName]
  /// The records of all zones that have a unique value.
  func records(with value: UniqueValue) throws -> [RecordKey]
}

extension RecordSource {
  /// Does nothing.
  public func prepare(_ keys: [RecordKey]) {}
  /// Does nothing.
  public func prepare(leadingTo names: [RecordName]) {}
  /// Does nothing.
  public func prepare(with values: [UniqueValue]) {}
}

/// Records with the rows that show them.
public protocol RowSource: RecordSource {
  /// The row that shows a record; nil for a record that is not shown.
  func row(showing key: RecordKey) throws -> RecordKey?
  /// The records that a row shows. The records of the row's own zone make its values. References to the records of other zones lead to the
  /// row.
  func records(shownBy row: RecordKey) throws -> [RecordKey]
}
