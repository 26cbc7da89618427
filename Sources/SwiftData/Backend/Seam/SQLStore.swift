import Foundation

/// A store whose database speaks SQL.
///
/// The engine lowers queries, applies unsaved changes, decodes rows and plans saves. The store has a dialect,
/// connections that run statements, and the few operations that databases do in their own way.
package protocol SQLStore: EngineStore {
  var dialect: any SQLDialect { get }
  /// The tables, columns and indices.
  var layout: StoreLayout { get }
  /// The cached SQL of simple predicates.
  var loweredQueries: LoweredQueries { get }
  /// Whether a column may hold text that is not in Unicode normal form C.
  func isNonNFC(table: String, column: String) -> Bool
  /// The number of columns with such text.
  var nonNFCCount: Int { get }
  /// Grows when a save or a read finds such text in another column, so that SQL made before may compare it wrongly.
  var textChanges: Int { get }
  /// Notices what other processes committed so far.
  func noticeExternalCommits() throws
  /// The names of the full-text indices and R*Trees in the database.
  var derivedTables: Set<String> { get }
  /// Additional columns after the columns of the properties, in each row that becomes an object.
  var rowColumns: [String] { get }
  /// Whether a fetch also updates registered objects. False if the store detects external commits.
  var refreshesOnFetch: Bool { get }
  /// The select list of rows that become objects.
  func selection(of table: EntityTable) -> String

  /// The condition that a column of a table, written with its alias, is one of some keys.
  func isAmong(_ expression: String, _ keys: [Int64]) -> SQLFragment

  /// Runs reading statements.
  /// - Parameter cancellable: whether cancelling the task cancels them.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if the database cannot compute Swift's answer. Only a dialect
  ///   with ``SQLDialect/mayDefer`` throws it.
  func withConnection(cancellable: Bool, _ body: (any SQLConnection) throws -> Void) throws

  /// Runs a save in one transaction: `save.write(by:)`, then `others`, the saves to other stores.
  ///
  /// `save.write(by:)` may run again if the transaction is retried. `others` runs once.
  func run(_ save: RowSave, _ others: OtherSaves) throws

  /// Runs a batch update in its own transaction, with its history.
  /// - Returns: the keys of the changed rows, by class.
  /// - Throws: as ``withConnection(cancellable:_:)``, and ``SwiftDataError``. Then nothing changed.
  func update(_ update: BatchUpdate) throws -> [String: [Int64]]

  /// The plan of a query's statement, and suggestions to make it faster.
  func plan(of query: StoreQuery) throws -> (
    steps: [PlanStep], findings: [PlanFinding]
  )

  /// Searches the stored rows.
  func search(_ request: SearchRequest) throws -> SearchAnswer
  /// The condition for the rows that a search finds, or nil if the store has none. The limit of the request is the number of
  /// rows that the fetch needs.
  func condition(of request: SearchRequest) throws -> SearchCondition?
}

extension SQLStore {
  package func isNonNFC(table: String, column: String) -> Bool { false }
  package var nonNFCCount: Int { 0 }
  package var textChanges: Int { 0 }
  package func noticeExternalCommits() throws {}
  package var derivedTables: Set<String> { [] }
  package var rowColumns: [String] { [] }
  package var refreshesOnFetch: Bool { false }
  package var nesting: Int { 0 }
  package func condition(of request: SearchRequest) throws -> SearchCondition? { nil }

  package func isAmong(_ expression: String, _ keys: [Int64]) -> SQLFragment { dialect.isAmong(expression, keys) }

  package var keepsKeys: Bool { true }
  package func makeSave(_ changes: UnsavedChanges) -> any StoreSave { RowSave(self, changes) }

  package func identifier(ofKey key: Int64, entity: String) -> PersistentIdentifier {
    PersistentIdentifier(entityName: entity, storeIdentifier: identifier, key: key)
  }

  package func isPlain(key: Int64) -> Bool { true }

  package func exactIdentifier(ofKey key: Int64, in table: EntityTable) -> PersistentIdentifier? {
    table.family.count > 1 ? nil : identifier(ofKey: key, entity: table.entity.name)
  }

  package func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.storeIdentifier == self.identifier ? identifier.key : nil
  }

  package func selection(of table: EntityTable) -> String { makeSelection(of: table, only: nil) }

  /// The select list of rows that become objects. `only` limits the properties; nil selects all.
  package func selection(of table: EntityTable, only: Set<String>?) -> String {
    only == nil ? selection(of: table) : makeSelection(of: table, only: only)
  }

  /// Makes the list for ``selection(of:only:)``.
  package func makeSelection(of table: EntityTable, only: Set<String>?) -> String {
    rowColumns.reduce(table.select(only: only)) { "\($0), t0.\($1.quotedIdentifier)" }
  }

  /// The number of columns in that list.
  package func selectionCount(of table: EntityTable) -> Int32 {
    Int32(table.columns.count + (table.hasDiscriminator ? 2 : 1) + rowColumns.count)
  }
}

/// Runs statements of one database connection.
package protocol SQLConnection: AnyObject {
  /// Runs a statement. `body` steps its rows.
  /// - Parameter table: the table if the statement selects ``SQLStore/selection(of:only:)``, or nil if it selects
  ///   values.
  func run(_ statement: SQLFragment, of table: EntityTable?, entity: __Entity, _ body: (SQLRows) throws -> Void) throws
}

extension SQLConnection {
  /// Runs a statement and maps each row of values.
  package func rows<T>(
    _ statement: SQLFragment, of entity: __Entity, _ body: (SQLRows) throws -> T
  ) throws -> [T] {
    var result = [T]()
    try run(statement, of: nil, entity: entity) { rows in
      while try rows.next() { result.append(try body(rows)) }
    }
    return result
  }
}

package typealias SQLRows = __SQLRows

/// The rows of a statement, stepped one by one. It reads the current row.
///
/// Public, because Swift has no classes that are open only to the modules of a package.
open class __SQLRows: __RowReader {
  package override init(entity: __Entity) { super.init(entity: entity) }

  /// Advances to the next row. Returns false after the last one.
  open func next() throws -> Bool { fatalError("abstract") }

  /// Whether the database sorted the rows, so that no index returned them in their order. Asked after the last one.
  package var isSorted: Bool { true }

  package final func text(_ column: Int32) -> String? { isNull(column) ? nil : string(column) }
}
