/// The old class that each class of a new layout continues, and its properties.
///
/// An object keeps its class, so each old class has one new one, and a property of the new class continues at most one
/// property of the old class, wherever in the two hierarchies they are declared.
package struct ClassMatches {
  let old: LayoutRecord
  let new: LayoutRecord
  let names: ClassNames
  /// The classes whose rows stay.
  package private(set) var matches: [Match] = []

  package struct Match {
    /// The old and the new name of the class.
    package let old: String
    package let new: String
    /// The new class and its superclasses.
    let lineage: [String]
    /// The old table.
    package let table: LayoutRecord.Table
    let attributes: PropertyMatches
    let relationships: PropertyMatches
    /// The old columns of attributes, by property.
    let columns: [String: LayoutRecord.Column]

    /// The new names of renamed properties, by their old names.
    package var renamed: [String: String] {
      let all = attributes.formers.merging(relationships.formers) { first, _ in first }.filter { $0.key != $0.value }
      return Dictionary(all.map { ($0.value, $0.key) }) { first, _ in first }
    }
  }

  init(old: LayoutRecord, new layout: StoreLayout, names: ClassNames) {
    (self.old, self.new, self.names) = (old, layout.record, names)
    for table in old.tables {
      for name in table.classes {
        guard let present = names.newName(of: name), let member = layout.table(ofClass: present),
          // A server keeps empty tables of classes that moved to another hierarchy.
          names.oldTable(for: member.name)?.name == table.name
        else { continue }
        let columns = table.columns(of: name).filter { $0.family != .key }
        let relationships = Self.relationships(of: name, in: table, old)
        let own = member.entity.properties
        matches.append(
          Match(
            old: name, new: present, lineage: member.entity.lineage.map(\.name), table: table,
            attributes: PropertyMatches(
              columns.map { .init(name: $0.propertyName, formerNames: $0.formerNames) },
              own.filter { $0.isAttribute && $0.isStored }.map {
                .init(name: $0.name, originalName: $0.attribute?.formerName)
              }),
            relationships: PropertyMatches(
              relationships.map { .init(name: $0.name, formerNames: $0.formerNames) },
              own.filter { !$0.isAttribute }.map { .init(name: $0.name, originalName: $0.relationship?.formerName) }),
            columns: Dictionary(columns.map { ($0.propertyName, $0) }) { first, _ in first }))
      }
    }
  }

  private static func relationships(
    of name: String, in table: LayoutRecord.Table, _ old: LayoutRecord
  ) -> [LayoutRecord.Relationship] {
    let lineage = table.lineage(of: name)
    return old.relationships.filter { $0.table == table.name && $0.entity.map(lineage.contains) != false }
  }

  /// Two properties of a class cannot both continue one property.
  package var refusals: [ModelContainer.MigrationChange] {
    var found = [ModelContainer.MigrationChange]()
    for match in matches {
      for conflict in match.attributes.conflicts + match.relationships.conflicts {
        let change = ModelContainer.MigrationChange(
          .refused, match.new, conflict.presents[1],
          "\(conflict.presents.joined(separator: " and ")) both have originalName: \"\(conflict.former)\", and only one"
            + " of them can have its values; remove the originalName: of the others")
        if !found.contains(where: { $0.property == change.property && $0.detail == change.detail }) {
          found.append(change)
        }
      }
    }
    return found
  }

  /// The new name of an old class, or nil if no new class has its rows.
  package func newName(of former: String) -> String? { names.newName(of: former) }

  /// The matches of the old classes that have the properties of a new class.
  func matches(of entity: String?) -> [Match] {
    guard let entity else { return [] }
    return matches.filter { $0.lineage.contains(entity) }
  }

  // MARK: - Relationships

  /// The old relationships that a new one continues, each with the old classes of its owners.
  package func formers(
    of relationship: LayoutRecord.Relationship
  ) -> [(relationship: LayoutRecord.Relationship, classes: [String])] {
    var found = [(relationship: LayoutRecord.Relationship, classes: [String])]()
    for match in matches(of: relationship.entity) {
      for former in formers(of: relationship.name, in: match) {
        if let place = found.firstIndex(where: { $0.relationship == former }) {
          found[place].classes.append(match.old)
        } else {
          found.append((former, [match.old]))
        }
      }
    }
    return found
  }

  /// The old relationships of one class that a new one continues. They are several only in an earlier format, which does not
  /// say which of two sibling classes a relationship belongs to; each owner then has the pairs of its own class alone.
  func formers(of name: String, in match: Match) -> [LayoutRecord.Relationship] {
    guard let former = match.relationships.formers[name] else { return [] }
    return Self.relationships(of: match.old, in: match.table, old).filter { $0.name == former }
  }

  /// The old pairs that a new relationship continues, with its own side as the owner.
  func pairs(continuing relationship: LayoutRecord.Relationship) -> [PairQuery] {
    formers(of: relationship).map { PairQuery($0.relationship, ownedBy: $0.classes, in: old) }
  }

  /// The check that a relationship needs whose targets were of more classes.
  func narrowing(of relationship: LayoutRecord.Relationship) -> LayoutPlan.Narrowing? {
    guard let target = relationship.target, let entity = relationship.entity,
      let wanted = new.table(named: relationship.destination)?.family(of: target)
    else { return nil }
    let open = formers(of: relationship).filter { former in
      guard let table = old.table(named: former.relationship.destination), table.hasDiscriminator else { return false }
      let classes = former.relationship.target.map(table.family) ?? table.classes
      return classes.contains { names.newName(of: $0).map { !wanted.contains($0) } ?? false }
    }
    guard !open.isEmpty, let table = old.table(named: open[0].relationship.destination) else { return nil }
    return LayoutPlan.Narrowing(
      entity: entity, property: relationship.name, target: target,
      pairs: open.map { PairQuery($0.relationship, ownedBy: $0.classes, in: old) }, table: table.name,
      others: table.classes.filter { names.newName(of: $0).map { !wanted.contains($0) } ?? false })
  }

  // MARK: - What goes

  /// The properties of continued classes that no property continues.
  var removals: [LayoutPlan.Removal] {
    var found = [LayoutPlan.Removal]()
    func note(
      _ name: String, isAttribute: Bool, _ match: Match, owner: String?, cells: LayoutPlan.Removal.Cells
    ) {
      if let place = found.firstIndex(where: {
        $0.cells == cells && $0.property == name && $0.isAttribute == isAttribute
      }) {
        found[place].classes.append(match.old)
      } else {
        let entity = owner.flatMap(names.newName).flatMap { match.lineage.contains($0) ? $0 : nil } ?? match.new
        found.append(
          LayoutPlan.Removal(
            entity: entity, property: name, isAttribute: isAttribute, table: match.table.name, classes: [match.old],
            cells: cells))
      }
    }
    for match in matches {
      // In an earlier format, a relationship of one class may share the column of another's attribute.
      let kept = Set(match.attributes.formers.values).union(match.relationships.formers.values)
      for column in match.table.columns(of: match.old)
      where column.family != .key && !kept.contains(column.propertyName) {
        note(column.propertyName, isAttribute: true, match, owner: column.entity, cells: .column(column.name))
      }
      for relationship in Self.relationships(of: match.old, in: match.table, old)
      where !kept.contains(relationship.name) {
        let cells: LayoutPlan.Removal.Cells =
          switch relationship.storage {
          case .foreignKey(let column): .column(column)
          case .inverse: .otherEnd
          case .pairs(let table, let isForward): .pairs(table, owner: isForward ? "source" : "target")
          }
        note(relationship.name, isAttribute: false, match, owner: relationship.entity, cells: cells)
      }
    }
    // A record of an earlier format lists each property for all classes of the table.
    for place in found.indices {
      let removal = found[place]
      let table = old.table(named: removal.table)
      let isShared = table?.superclasses == nil && (table?.classes.count ?? 0) > 1
      found[place].isCertain =
        !isShared || matches.allSatisfy { $0.table.name != removal.table || removal.classes.contains($0.old) }
    }
    return found
  }
}

extension LayoutPlan {
  /// A relationship whose stored targets may be of a class that it does not lead to any more.
  package struct Narrowing {
    package let entity: String
    package let property: String
    /// The class of the targets.
    package let target: String
    package let pairs: [PairQuery]
    /// The old table of the targets.
    package let table: String
    /// The old classes that the relationship does not lead to.
    package let others: [String]

    /// The statement that counts the owners of such targets, and finds the first and the class of one target.
    package func statement(in old: LayoutRecord) -> String {
      let union = pairs.map { $0.select(in: old) }.joined(separator: " UNION ALL ")
      return "SELECT count(*), min(q.owner), min(t._entity) FROM (\(union)) AS q"
        + " JOIN \(table.quotedIdentifier) AS t ON t._pk = q.target"
        + " WHERE t._entity IN (\(others.map(\.quotedLiteral).joined(separator: ", ")))"
    }

    /// The error if there are such targets.
    package func refusal(_ count: Int64, first: Int64, _ other: String) -> SwiftDataError {
      SwiftDataError(
        .unknownDataStoreSchema, entity: entity, property: property,
        message:
          "the relationship leads to \(target) only, but \(count) stored targets are of another class (the object"
          + " with the key \(first) has a \(other)); let go of them with the former version of the program or in a custom"
          + " stage's willMigrate")
    }
  }

  /// A property that some classes do not have any more.
  package struct Removal {
    package enum Cells: Equatable {
      case column(String)
      case pairs(String, owner: String)
      /// The to-one at the other end has them.
      case otherEnd
    }
    /// The present name of the class.
    package let entity: String
    package let property: String
    package let isAttribute: Bool
    /// The old table.
    package let table: String
    /// The old names of the classes.
    package var classes: [String]
    package let cells: Cells
    /// Whether the classes are known to have had the property.
    package var isCertain = true

    /// The statement that counts the values.
    package func count(in old: LayoutRecord) -> String? {
      guard let known = old.table(named: table) else { return nil }
      let list = classes.map(\.quotedLiteral).joined(separator: ", ")
      let isWhole = !known.hasDiscriminator || Set(classes).isSuperset(of: known.classes)
      switch cells {
      case .otherEnd: return nil
      case .column(let name):
        return "SELECT count(\(name.quotedIdentifier)) FROM \(table.quotedIdentifier)"
          + (isWhole ? "" : " WHERE _entity IN (\(list))")
      case .pairs(let pairs, let owner):
        return "SELECT count(*) FROM \(pairs.quotedIdentifier)"
          + (isWhole
            ? "" : " WHERE \(owner) IN (SELECT _pk FROM \(table.quotedIdentifier) WHERE _entity IN (\(list)))")
      }
    }

    /// The text for the log.
    package func warning(_ count: Int64) -> String {
      "\(entity).\(property) is not in the models any more; the migration deletes its"
        + (isAttribute ? (count == 1 ? " value" : " \(count) values") : (count == 1 ? " link" : " \(count) links"))
    }
  }
}
