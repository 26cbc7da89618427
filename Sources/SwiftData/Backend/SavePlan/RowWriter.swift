/// Executes the plan of a save in one transaction of its store.
package protocol RowWriter: AnyObject {
  /// Reserves keys that the table's hierarchy has never used, ascending.
  func takeKeys(_ count: Int, for table: EntityTable) throws -> [Int64]
  /// The number of the store's newest transaction. No other save is committed before this one ends.
  func newestTransaction() throws -> Int64
  /// Runs a reading statement with a `?` for each value.
  func rows(_ statement: SQLFragment) throws -> [[SQLValue]]
  /// Runs reading statements, in one round trip if the database is elsewhere.
  func rows(_ statements: [SQLFragment]) throws -> [[[SQLValue]]]
  /// Locks rows before they are deleted. From then on no other save relates an object to them.
  func lock(_ keys: [Int64], of table: EntityTable) throws
  /// The stored cells of some attributes of rows, by key.
  func cells(of keys: [Int64], _ properties: [__Property], in table: EntityTable) throws -> [Int64: [SQLValue]]

  /// The cells of a row that an upsert is about to replace, readable without the store.
  func replacedCells(of key: Int64, _ properties: [__Property], in table: EntityTable) throws -> [ReplacedCell]

  /// Deletes rows of one class.
  func delete(_ keys: [Int64], from table: EntityTable) throws
  /// Frees unique values of changed objects, if the database checks uniqueness before the end of the transaction.
  /// - Parameter updates: the objects that get other unique values, with these properties.
  func freeUniqueValues(_ updates: [ObjectGroup]) throws
  /// Writes new objects: as new rows, or into rows with their unique values (`RowSave.merge`).
  func insert(_ groups: [ObjectGroup], of save: RowSave) throws
  /// Writes changed properties except to-manys.
  /// - Throws: ``SwiftDataError/staleObject`` if an object has no row any more (`RowSave.stale`).
  func update(_ group: ObjectGroup, _ properties: [__Property]) throws
  /// Clears a to-one of rows.
  func clear(_ property: __Property, of keys: [Int64], in table: EntityTable) throws

  /// Removes and adds pairs of a many-to-many, seen from one end. Existing pairs stay.
  func removePairs(_ pairs: [ListMember], of info: RelationshipInfo) throws
  func addPairs(_ pairs: [ListMember], of info: RelationshipInfo) throws
  /// Writes the positions of targets in the lists of a to-many.
  func place(_ members: [ListMember], of info: RelationshipInfo) throws

  /// Writes the history of the transaction.
  func write(_ history: inout HistoryRecorder, author: String?) throws
}

extension RowWriter {
  package func rows(_ statements: [SQLFragment]) throws -> [[[SQLValue]]] { try statements.map(rows) }
  /// The transaction of a file is the only one that writes.
  package func lock(_ keys: [Int64], of table: EntityTable) {}

  /// Leaves out external data, whose cell only names a file.
  package func replacedCells(
    of key: Int64, _ properties: [__Property], in table: EntityTable
  ) throws -> [ReplacedCell] {
    let properties = properties.filter { !$0.isExternal }
    guard !properties.isEmpty else { return [] }
    return zip(properties, try cells(of: [key], properties, in: table)[key] ?? []).map(ReplacedCell.init)
  }
}

/// A target in the list of an owner.
package struct ListMember {
  package let owner: Int64
  package let target: Int64
  package let place: Int64
}
