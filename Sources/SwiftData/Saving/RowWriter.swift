/// Executes what a save of rows has planned, in one transaction of its store.
package protocol RowWriter: AnyObject {
  /// Takes keys that the hierarchy of a table never had, ascending.
  func takeKeys(_ count: Int, for table: EntityTable) throws -> [Int64]
  /// Runs a statement that reads, with a `?` for each value.
  func rows(_ statement: SQLFragment) throws -> [[SQLValue]]
  /// The stored cells of some attributes of rows, by key.
  func cells(of keys: [Int64], _ properties: [__Property], in table: EntityTable) throws -> [Int64: [SQLValue]]

  /// Removes rows of one class.
  func delete(_ keys: [Int64], from table: EntityTable) throws
  /// Frees unique values that changed objects leave, where the database compares before the transaction ends.
  func freeUniqueValues(_ updates: [ObjectGroup]) throws
  /// Writes new objects: as rows of their own, or into rows that have their unique values (`RowSave.merge`).
  func insert(_ groups: [ObjectGroup], of save: RowSave) throws
  /// Writes changed properties, none of them a to-many.
  /// - Throws: ``SwiftDataError/staleObject`` where an object has no row any more (`RowSave.stale`).
  func update(_ group: ObjectGroup, _ properties: [__Property]) throws

  /// Removes and adds the pairs of a many-to-many, seen from one end; what is there already stays.
  func removePairs(_ pairs: [ListMember], of info: RelationshipInfo) throws
  func addPairs(_ pairs: [ListMember], of info: RelationshipInfo) throws
  /// Writes the places of targets in the lists of a to-many.
  func place(_ members: [ListMember], of info: RelationshipInfo) throws

  /// Writes what the transaction does to the history.
  func write(_ history: inout HistoryRecorder, author: String?) throws
}

/// A target in the list of an owner.
package struct ListMember {
  package let owner: Int64
  package let target: Int64
  package let place: Int64
}
