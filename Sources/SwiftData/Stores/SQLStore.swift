import Foundation

/// A store whose database speaks SQL.
///
/// The engine lowers queries to SQL, lays unsaved changes over results, decodes rows and plans saves. The store has a
/// dialect, connections that run statements, and the few operations that databases do in their own way.
package protocol SQLStore: EngineStore {
  var dialect: any SQLDialect { get }
  /// The tables, columns and indices.
  var layout: StoreLayout { get }
  /// The lowered forms of simple predicates.
  var loweredQueries: LoweredQueries { get }
  /// Whether a column may hold text that is not in Unicode normal form C.
  func isDenormalized(table: String, column: String) -> Bool
  /// How many columns have such text.
  var denormalizedCount: Int { get }
  /// The full-text indices and R*Trees that the database has, by name.
  var derivedTables: Set<String> { get }
  /// The columns that follow those of the properties in each row that becomes an object.
  var rowColumns: [String] { get }
  /// Whether a fetch reads rows into registered objects too. False if the store knows when another process commits.
  var refreshesOnFetch: Bool { get }

  /// Runs statements that read.
  /// - Parameter cancellable: whether they end when the task is cancelled.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if the database cannot answer as Swift does, which only a dialect
  ///   that ``SQLDialect/mayDefer`` throws.
  func withConnection(cancellable: Bool, _ body: (any SQLConnection) throws -> Void) throws

  /// Runs a save in one transaction: `save.write(by:)`, then `others`, the saves to other stores.
  ///
  /// `save.write(by:)` may run again where the transaction is tried again; `others` runs once.
  func run(_ save: RowSave, _ others: () throws -> Void) throws

  /// Runs a batch update in a transaction of its own, with its history.
  /// - Returns: the keys of the rows that were changed, by class.
  /// - Throws: as ``withConnection(cancellable:_:)``; ``SwiftDataError``, and then nothing was changed.
  func update(_ update: BatchUpdate) throws -> [String: [Int64]]

  /// The plan of a query's statement, and what would make it faster.
  func plan(of query: StoreQuery) throws -> (
    steps: [ModelContext.FetchExplanation.Step], findings: [ModelContext.FetchExplanation.Finding]
  )

  /// What a search finds in stored rows.
  func search(_ request: SearchRequest) throws -> SearchAnswer
}

extension SQLStore {
  package func isDenormalized(table: String, column: String) -> Bool { false }
  package var denormalizedCount: Int { 0 }
  package var derivedTables: Set<String> { [] }
  package var rowColumns: [String] { [] }
  package var refreshesOnFetch: Bool { false }
  package var nesting: Int { 0 }

  package func makeSave(_ changes: UnsavedChanges, in context: ContextState) -> any StoreSave { RowSave(self, changes) }

  package func identifier(ofKey key: Int64, entity: String) -> PersistentIdentifier {
    PersistentIdentifier(entityName: entity, storeIdentifier: identifier, key: key)
  }

  package func exactIdentifier(ofKey key: Int64, in table: EntityTable) -> PersistentIdentifier? {
    table.family.count > 1 ? nil : identifier(ofKey: key, entity: table.entity.name)
  }

  package func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.storeIdentifier == self.identifier ? identifier.key : nil
  }

  /// The select list of rows that become objects. `only` nil selects the columns of all properties.
  package func selection(of table: EntityTable, only: Set<String>? = nil) -> String {
    rowColumns.reduce(table.select(only: only)) { "\($0), t0.\($1.quotedIdentifier)" }
  }

  /// How many columns that list has.
  package func selectionCount(of table: EntityTable) -> Int32 {
    Int32(table.columns.count + (table.hasDiscriminator ? 2 : 1) + rowColumns.count)
  }
}

/// Runs statements of one database connection.
package protocol SQLConnection: AnyObject {
  /// Runs a statement; `body` steps its rows.
  /// - Parameter table: whose rows the statement selects by ``SQLStore/selection(of:only:)``; nil if it selects values.
  func run(_ statement: SQLFragment, of table: EntityTable?, entity: __Entity, _ body: (SQLRows) throws -> Void) throws
}

extension SQLConnection {
  /// What `body` makes of each row of values.
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

/// The rows of one statement, stepped one by one. It reads the row that ``next()`` went to.
///
/// Public only because Swift has no classes that are open to the modules of a package alone.
open class __SQLRows: __RowReader {
  package override init(entity: __Entity) { super.init(entity: entity) }

  /// Goes to the next row; false after the last one.
  open func next() throws -> Bool { fatalError("abstract") }

  package final func text(_ column: Int32) -> String? { isNull(column) ? nil : string(column) }
}
