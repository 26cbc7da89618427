import SwiftData

/// What the stores are asked in a scope, so that a test counts statements instead of measuring time: a page that runs one
/// statement for each row is a failing test. (Not in Apple's SwiftData.)
public enum StatementTrace {
  /// Runs `body` and returns its result with the SQL statements that stores of this library ran for it on this task.
  /// Transaction control and the set-up of schemas are not among them.
  /// - Throws: what `body` throws.
  public static func record<Result>(_ body: () throws -> Result) rethrows -> (result: Result, statements: [String]) {
    try SQLTrace.record(body)
  }

  /// How many steps of SQLite's virtual machine the statements of `body` took, which grows with the rows that they looked
  /// at.
  /// - Throws: what `body` throws.
  public static func steps(of body: () throws -> Void) rethrows -> Int { try SQLTrace.steps(of: body) }
}
