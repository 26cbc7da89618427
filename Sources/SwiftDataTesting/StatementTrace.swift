import SwiftData

/// Records the SQL statements of a scope, so that a test can count them instead of measuring time. (Not in Apple's
/// SwiftData.)
public enum StatementTrace {
  /// Runs `body` and returns its result with the SQL statements that this library's stores ran for it on this task.
  /// Transaction control and schema set-up are excluded.
  /// - Throws: the error that `body` throws.
  public static func record<Result>(_ body: () throws -> Result) rethrows -> (result: Result, statements: [String]) {
    try SQLTrace.record(body)
  }

  /// Runs `body` and returns the number of steps that SQLite's virtual machine took for its statements. The number
  /// grows with the rows that the statements visit.
  /// - Throws: the error that `body` throws.
  public static func virtualMachineSteps(of body: () throws -> Void) rethrows -> Int { try SQLTrace.steps(of: body) }
}
