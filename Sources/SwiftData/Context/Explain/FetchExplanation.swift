public import Foundation

extension ModelContext {
  /// The explanation of a fetch: the statement, its values, the plan, and findings.
  ///
  /// (Our own. Apple's framework prints statements with `-com.apple.CoreData.SQLDebug 1` and has no such call.)
  public struct FetchExplanation: Hashable, Sendable, CustomStringConvertible {
    /// The statement, with a `?` for each value.
    public let sql: String

    /// The values, in the order of their `?`.
    public let bindings: [Binding]

    /// The database's plan: the steps of SQLite's `EXPLAIN QUERY PLAN`, or of PostgreSQL's `EXPLAIN`.
    public let plan: [Step]

    /// Slow parts of the fetch and their remedies. Empty if the statement enters each table through an index.
    public let findings: [Finding]

    package init(sql: String, bindings: [Binding], plan: [Step], findings: [Finding]) {
      (self.sql, self.bindings, self.plan, self.findings) = (sql, bindings, plan, findings)
    }

    /// A bound value.
    public enum Binding: Hashable, Sendable, CustomStringConvertible {
      /// NULL.
      case null
      /// An integer, a Boolean, or a primary key.
      case integer(Int64)
      /// A floating-point number, or a date in seconds since 2001.
      case real(Double)
      /// Text, or a list of values as JSON.
      case text(String)
      /// Data. A UUID has 16 bytes.
      case data(Data)

      /// The value as an SQL literal.
      public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value.quotedLiteral
        case .data(let value): "x'" + value.hexDigits + "'"
        }
      }
    }

    /// A line of the plan.
    public struct Step: Hashable, Sendable, CustomStringConvertible {
      /// The nesting depth. The statement's own steps have depth 0.
      public let depth: Int
      /// The step in the database's words: `SEARCH t0 USING INDEX …`, `SCAN t0`. The alias of the fetched class is
      /// `t0`, tables of related objects are `t1` and so on.
      public let detail: String

      package init(depth: Int, detail: String) { (self.depth, self.detail) = (depth, detail) }

      /// The step, indented by its depth.
      public var description: String { String(repeating: "  ", count: depth) + detail }
    }

    /// A slow part of a fetch.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
      /// The class whose rows the statement visits.
      public let entity: String
      /// The key paths of an `#Index` that would help, without the leading `\.`. Empty if none would.
      public let index: [String]
      /// The problem and its remedy, in a sentence or two.
      public let description: String

      package init(entity: String, index: [String], description: String) {
        (self.entity, self.index, self.description) = (entity, index, description)
      }
    }

    /// Statement, values, plan and findings on separate lines.
    public var description: String {
      var lines = [sql]
      lines += bindings.enumerated().map { "  ?\($0 + 1) = \($1)" }
      lines += plan.map { "  \($0)" }
      lines += findings.map { "  ! \($0)" }
      return lines.joined(separator: "\n")
    }
  }
}

extension ModelContext {
  /// Explains how the store runs a fetch: its SQL, its values, the database's plan, and an index that would make it
  /// faster.
  ///
  /// Nothing is fetched. If unsaved changes affect the fetch, the statement is the one to whose result they are
  /// applied. A finding names an index only if SQLite uses it on a copy of the empty tables. Statements that prefetch
  /// relationships are not shown.
  /// - Throws: as ``fetch(_:)``.
  /// - Complexity: a few milliseconds, independent of the number of rows.
  public func explain<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> ModelContext.FetchExplanation {
    try state.queries.explain(descriptor)
  }
}
