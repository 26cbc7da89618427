public import Foundation

extension ModelContext {
  /// What the store does for a fetch: the statement, its values, the plan, and what there is to know about it.
  ///
  /// (Our own; Apple's framework prints statements with `-com.apple.CoreData.SQLDebug 1` and has no such call.)
  public struct FetchExplanation: Hashable, Sendable, CustomStringConvertible {
    /// The statement, with a `?` for each value.
    public let sql: String

    /// The values, in the order of their `?`.
    public let bindings: [Binding]

    /// How SQLite runs the statement, as `EXPLAIN QUERY PLAN` says it, in order; or PostgreSQL, as `EXPLAIN` does.
    public let plan: [Step]

    /// What is slow and what would help. Empty where every table is entered through an index.
    public let findings: [Finding]

    package init(sql: String, bindings: [Binding], plan: [Step], findings: [Finding]) {
      (self.sql, self.bindings, self.plan, self.findings) = (sql, bindings, plan, findings)
    }

    /// A value of the statement.
    public enum Binding: Hashable, Sendable, CustomStringConvertible {
      /// No value.
      case null
      /// A whole number, a truth value, or the key of an object.
      case integer(Int64)
      /// A number, or a date in seconds since 2001.
      case real(Double)
      /// A text, or a list of values as JSON.
      case text(String)
      /// Bytes; a UUID has 16.
      case data(Data)

      /// The value as SQL writes it.
      public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): "'" + value.replacingOccurrences(of: "'", with: "''") + "'"
        case .data(let value): "x'" + value.map { String(format: "%02x", $0) }.joined() + "'"
        }
      }
    }

    /// A line of the plan.
    public struct Step: Hashable, Sendable, CustomStringConvertible {
      /// How many steps it is part of: 0 for the statement's own.
      public let depth: Int
      /// SQLite's words: `SEARCH t0 USING INDEX …`, `SCAN t0`. The fetched class is `t0`, objects related to it are `t1`
      /// and so on.
      public let detail: String

      package init(depth: Int, detail: String) { (self.depth, self.detail) = (depth, detail) }

      /// The words, indented by the depth.
      public var description: String { String(repeating: "  ", count: depth) + detail }
    }

    /// Something to know about a fetch.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
      /// The class whose rows are looked at.
      public let entity: String
      /// The key paths of the `#Index` that would help, without the leading `\.`; empty where none would.
      public let index: [String]
      /// What happens and what helps, in a sentence or two.
      public let description: String

      package init(entity: String, index: [String], description: String) {
        (self.entity, self.index, self.description) = (entity, index, description)
      }
    }

    /// Statement, values, plan and findings, each on its lines.
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
  /// How the store runs a fetch: its SQL, the values in it, SQLite's plan, and an index that would make it faster.
  ///
  /// Nothing is fetched. Where the context has unsaved changes that matter to the fetch, the statement is the one whose
  /// result they are laid over. An index is only named where SQLite, asked about a copy of the empty tables with
  /// that index, uses it. Relationships that the descriptor prefetches are statements of their own and not shown.
  /// - Throws: as ``fetch(_:)-([T])``.
  /// - Complexity: independent of the number of rows; some milliseconds, so not for a hot path.
  public func explain<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> ModelContext.FetchExplanation {
    try state.explain(descriptor)
  }
}
