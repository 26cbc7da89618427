/// A line of a database's plan of a statement.
package struct PlanStep {
  /// The nesting depth. The statement's own steps have depth 0.
  package let depth: Int
  /// The step in the database's words.
  package let detail: String

  package init(depth: Int, detail: String) { (self.depth, self.detail) = (depth, detail) }
}

/// A slow part of a statement.
package struct PlanFinding {
  /// The class whose rows the statement visits.
  package let entity: String
  /// The key paths of an index that would help. Empty if none would.
  package let index: [String]
  /// The problem and its remedy.
  package let description: String

  package init(entity: String, index: [String], description: String) {
    (self.entity, self.index, self.description) = (entity, index, description)
  }
}
