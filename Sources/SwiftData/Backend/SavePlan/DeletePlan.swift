/// What the deletion of some rows does by the delete rules: which rows go, which to-ones are cleared, and why it is refused.
///
/// It is a pure value. The caller answers the questions which rows are related: from a database, or from values in memory.
package struct DeletePlan {
  /// Rows of one class.
  package struct Rows {
    package let table: EntityTable
    package var keys: [Int64]

    package init(table: EntityTable, keys: [Int64]) { (self.table, self.keys) = (table, keys) }
  }

  /// Asks for the rows that a step of a class relates to some deleted rows of it.
  package struct Question {
    package let step: DeleteStep
    package let table: EntityTable
    package let keys: [Int64]
  }

  /// A row that is related to a deleted row.
  package struct Related {
    package let key: Int64
    /// The name of its class; nil if the class has no subclasses.
    package let entity: String?
    /// The key of the deleted row.
    package let owner: Int64

    package init(key: Int64, entity: String?, owner: Int64) {
      (self.key, self.entity, self.owner) = (key, entity, owner)
    }
  }

  private struct Row: Hashable {
    let root: Int
    let key: Int64
  }

  /// All rows that go: the given ones, then those that cascades found, each once.
  package private(set) var deleted: [Rows] = []
  /// The rows that cascades found.
  package private(set) var found: [Rows] = []
  /// The to-ones that are cleared, with the rows that have them.
  package private(set) var cleared: [(property: __Property, rows: Rows)] = []
  /// Why the deletion is refused.
  package private(set) var refusal: SwiftDataError?

  private let tables: TableCatalog
  private var seen = Set<Row>()

  /// - Parameters:
  ///   - start: the rows to delete.
  ///   - effects: the effects to ask about.
  ///   - admit: the keys of newly found rows, the given ones included, that are deleted as rows. The caller deletes the others in
  ///     another way.
  ///   - ask: the related rows of each question. A cascade asks once for each of its levels.
  package init(
    deleting start: [Rows], _ tables: TableCatalog,
    effects: Set<DeleteStep.Effect> = [.cascade, .deny, .clear, .require],
    admit: (Rows) throws -> [Int64] = { $0.keys }, ask: ([Question]) throws -> [[Related]]
  ) throws {
    self.tables = tables
    var findings = [(question: Question, rows: [Related])]()
    var next = Self.merged(start)
    while !next.isEmpty {
      let isStart = deleted.isEmpty && found.isEmpty
      var questions = [Question]()
      for rows in next {
        let new = rows.keys.filter { seen.insert(Row(root: rows.table.root, key: $0)).inserted }
        let keys = new.isEmpty ? [] : try admit(Rows(table: rows.table, keys: new))
        guard !keys.isEmpty else { continue }
        deleted.append(Rows(table: rows.table, keys: keys))
        if !isStart { found.append(deleted.last!) }
        for step in tables.deleteSteps(of: rows.table) where effects.contains(step.effect) {
          questions.append(Question(step: step, table: rows.table, keys: keys))
        }
      }
      next = []
      guard !questions.isEmpty else { break }
      for (question, rows) in zip(questions, try ask(questions)) where !rows.isEmpty {
        if question.step.effect == .cascade {
          next += try Self.grouped(rows, of: question.destination, tables)
        } else {
          findings.append((question, rows))
        }
      }
      next = Self.merged(next)
    }
    for (question, rows) in findings { try take(rows, question) }
  }

  /// The rows with one element for each class.
  package static func merged(_ rows: [Rows]) -> [Rows] {
    if rows.count < 2 { return rows }
    var groups = [Rows]()
    for group in rows {
      if let place = groups.firstIndex(where: { $0.table === group.table }) {
        groups[place].keys += group.keys
      } else {
        groups.append(group)
      }
    }
    return groups
  }

  /// Rows of a class and its subclasses by class.
  package static func grouped(_ rows: [Related], of entity: __Entity, _ tables: TableCatalog) throws -> [Rows] {
    var groups = [String: [Int64]]()
    for row in rows { groups[row.entity ?? entity.name, default: []].append(row.key) }
    return try groups.sorted { $0.key < $1.key }.map { name, keys in
      guard let table = tables.table(named: name) else {
        throw SwiftDataError(
          .unknownSchema, entity: name,
          message: "the store has objects of this class, which the container does not know; add it to"
            + " ModelContainer(for:)")
      }
      return Rows(table: table, keys: keys)
    }
  }

  /// Applies a step to the related rows that stay.
  private mutating func take(_ rows: [Related], _ question: Question) throws {
    let root = try tables.table(for: question.destination).root
    let left = rows.filter { !seen.contains(Row(root: root, key: $0.key)) }
    guard !left.isEmpty else { return }
    switch question.step.effect {
    case .deny:
      // A denial comes before a missing target, as for objects in memory.
      guard refusal?.code != SwiftDataError.deleteDenied.code else { return }
      let count = Set(left.map(\.owner)).count
      refusal = SwiftDataError(
        .deleteDenied, entity: question.table.entity.name, property: question.step.relationship?.property.name,
        message: "\(count) of the objects cannot be deleted while related objects exist; delete or move these"
          + " first, or call rollback()")
    case .require:
      guard refusal == nil, let holder = question.step.holder else { return }
      refusal = SwiftDataError(
        .modelValidationFailure, entity: left[0].entity ?? holder.entity.name, property: holder.property.name,
        message:
          "the relationship is required, and \(left.count) of its objects would lose the target, which is a deleted"
          + " \(question.table.entity.name); delete these objects too or assign another target, or call rollback()")
    case .clear:
      guard let holder = question.step.holder else { return }
      cleared += try Self.grouped(left, of: holder.entity, tables).map { (holder.property, $0) }
    case .cascade, .unlink: return
    }
  }
}

extension DeletePlan.Question {
  /// The class of the related rows.
  package var destination: __Entity {
    switch step.link {
    case .relationship(let info): info.destination
    case .referrer(_, let entity): entity
    }
  }

  /// Selects the key and the class of each related row, and the key of the deleted row.
  /// - Parameters:
  ///   - known: keys that the statement may leave out, because the caller knows these rows.
  ///   - locks: whether the statement locks the related rows until the end of the transaction, so that no other save takes one away
  ///     from the deleted row. The result leaves out a row that another save took away before.
  package func statement(
    _ tables: TableCatalog, _ dialect: any SQLDialect, except known: ClosedRange<Int64>? = nil,
    locking locks: Bool = false
  ) throws -> SQLFragment {
    let target = try tables.table(for: destination)
    var locked = ["t0"]
    let source: String
    let owner: String
    switch step.link {
    case .referrer(let property, _):
      (source, owner) = (
        "\(target.name.quotedIdentifier) AS t0", "t0.\(TableNames.column(for: property).quotedIdentifier)"
      )
    case .relationship(let info):
      switch info.storage {
      // An object that the other side clears refers to the deleted one itself.
      case .foreignKey where step.holder != nil:
        let column = TableNames.column(for: step.holder!.property).quotedIdentifier
        (source, owner) = ("\(target.name.quotedIdentifier) AS t0", "t0.\(column)")
      case .foreignKey:
        let column = TableNames.column(for: info.property).quotedIdentifier
        source =
          "\(table.name.quotedIdentifier) AS o JOIN \(target.name.quotedIdentifier) AS t0 ON t0._pk = o.\(column)"
        owner = "o._pk"
      case .inverseForeignKey(let inverse, _):
        (source, owner) = (
          "\(target.name.quotedIdentifier) AS t0", "t0.\(TableNames.column(for: inverse).quotedIdentifier)"
        )
      case .join(let pairs, let from, let to, _):
        source = "\(pairs.quotedIdentifier) AS p JOIN \(target.name.quotedIdentifier) AS t0 ON t0._pk = p.\(to)"
        owner = "p.\(from)"
        locked.append("p")
      }
    }
    let entity = target.hasDiscriminator ? "t0._entity" : "NULL"
    var statement: SQLFragment =
      "SELECT t0._pk, \(entity), \(owner) FROM \(source) WHERE \(dialect.isAmong(owner, keys))"
    if let known {
      statement.append(
        " AND NOT (t0._pk BETWEEN \(bind: .integer(known.lowerBound)) AND \(bind: .integer(known.upperBound)))"
          as SQLFragment)
    }
    if locks { statement.append(SQLFragment(dialect.lock(locked))) }
    return statement
  }
}
