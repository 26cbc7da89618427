import Synchronization

/// Collects the SQL statements that the engine runs in a scope; tests count them, so that N+1 is a failing test.
package final class SQLTrace: Sendable {
  private let recorded = Mutex<[String]>([])
  private let counted = Mutex(0)

  @TaskLocal private static var current: SQLTrace?

  /// The statements so far, in order. Transaction control and schema set-up are not among them.
  package var statements: [String] { recorded.withLock { $0 } }

  /// Runs `body` and returns its result with the statements that it ran on this task.
  package static func record<T>(_ body: () throws -> T) rethrows -> (result: T, statements: [String]) {
    let trace = SQLTrace()
    let result = try $current.withValue(trace, operation: body)
    return (result, trace.statements)
  }

  /// How many steps of SQLite's virtual machine the statements took, which grows with the rows that they looked at.
  package static func steps(of body: () throws -> Void) rethrows -> Int {
    let trace = SQLTrace()
    try $current.withValue(trace, operation: body)
    return trace.counted.withLock { $0 }
  }

  /// The one that records this task; nil where none does.
  static var active: SQLTrace? { current }

  func count(steps: Int) { counted.withLock { $0 += steps } }

  /// Notes a statement where this task is recorded.
  package static func note(_ sql: String) { current?.record(sql) }

  func record(_ sql: String) { recorded.withLock { $0.append(sql) } }
}
