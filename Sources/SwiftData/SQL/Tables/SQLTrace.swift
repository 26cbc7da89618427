/// Collects the SQL statements of a scope. Tests count them, so an N+1 is a failing test.
package final class SQLTrace: Sendable {
  private let recorded = Lock<[String]>([])
  private let counted = Lock(0)

  @TaskLocal private static var current: SQLTrace?

  /// The statements in order, without transaction control and schema set-up.
  package var statements: [String] { recorded.withLock { $0 } }

  /// Runs `body` and returns its result with the statements that it ran on this task.
  package static func record<T>(_ body: () throws -> T) rethrows -> (result: T, statements: [String]) {
    let trace = SQLTrace()
    let result = try $current.withValue(trace, operation: body)
    return (result, trace.statements)
  }

  /// The number of steps of SQLite's virtual machine, which grows with the visited rows.
  package static func steps(of body: () throws -> Void) rethrows -> Int {
    let trace = SQLTrace()
    try $current.withValue(trace, operation: body)
    return trace.counted.withLock { $0 }
  }

  /// The trace that records this task, or nil.
  static var active: SQLTrace? { current }

  func count(steps: Int) { counted.withLock { $0 += steps } }

  /// Records a statement if this task is traced.
  package static func note(_ sql: String) { current?.record(sql) }

  func record(_ sql: String) { recorded.withLock { $0.append(sql) } }
}
