import Foundation
import SwiftData

/// How the rows of a class are selected and become snapshots.
///
/// One statement reads whole models: a list is an array that the server puts together, so that all of a snapshot is of
/// one moment.
// @unchecked Sendable because it is immutable.
final class EntityRows: @unchecked Sendable {
  let table: EntityTable
  let store: String
  /// Where the words of searchable texts are; nil where there are none.
  let search: SearchColumns?
  /// Columns whose cells have values of several types.
  private let mixed: Set<String>
  /// The select list without lists.
  let plainSelection: String
  /// The same with the lists of all to-manys.
  let fullSelection: String
  private let members: [String: Member]
  private let givenColumn: Int

  /// Where a class of the family has its parts in the select list.
  private struct Member {
    let entity: __Entity
    var classes: [(property: __Property, column: Int)] = []
    var lists: [(property: __Property, info: RelationshipInfo, column: Int, hasClasses: Bool)] = []
  }

  init(_ table: EntityTable, store: String, layout: StoreLayout) {
    self.table = table
    self.store = store
    search = SearchColumns(table, layout)
    let record = layout.record.table(named: table.name)
    mixed = Set(record?.columns.filter { $0.family == .mixed }.map(\.name) ?? [])
    func isPolymorphic(_ entity: __Entity) -> Bool {
      layout.tables.first { $0.entity === entity }?.hasDiscriminator ?? false
    }
    var selection = [table.select(), "t0._given"]
    givenColumn = (table.hasDiscriminator ? 2 : 1) + table.columns.count
    var next = givenColumn + 1
    var lists = [String]()
    var members = [String: Member]()
    for entity in table.family { members[entity.name] = Member(entity: entity) }
    // The class of a target, where the relationship names a class with subclasses.
    var known = [String: Int]()
    for entity in table.family {
      for property in entity.properties where property.isToOne {
        let destination = property.destination!.__entity
        guard isPolymorphic(destination) else { continue }
        let column = TableNames.column(for: property)
        let key = "\(property.entityName).\(column)"
        if known[key] == nil {
          known[key] = next
          next += 1
          let target = TableNames.table(for: destination).quotedIdentifier
          selection.append("(SELECT d._entity FROM \(target) AS d WHERE d._pk = t0.\(column.quotedIdentifier))")
        }
        members[entity.name]!.classes.append((property, known[key]!))
      }
    }
    for entity in table.family {
      for property in entity.properties where property.isToMany {
        let info = RelationshipInfo.of(property, in: entity)
        let key = "\(info.source.name).\(property.name)"
        let hasClasses = isPolymorphic(info.destination)
        if known[key] == nil {
          known[key] = next
          next += hasClasses ? 2 : 1
          let query = ListQuery(info)
          lists.append(query.array(of: query.target))
          if hasClasses { lists.append(query.array(of: "d._entity", joinsTarget: true)) }
        }
        members[entity.name]!.lists.append((property, info, known[key]!, hasClasses))
      }
    }
    plainSelection = selection.joined(separator: ", ")
    fullSelection = (selection + lists).joined(separator: ", ")
    self.members = members
  }

  /// The snapshot of a row of a statement with one of the selections.
  /// - Throws: ``SwiftDataError/unreadableValue``.
  func snapshot(_ result: PostgresResult, _ row: Int, hasLists: Bool) throws -> DefaultSnapshot {
    let name = table.hasDiscriminator ? result.text(row, 1) ?? "" : table.entity.name
    guard let member = members[name], let positions = table.positions[name] else {
      throw SwiftDataError(
        .unreadableValue, entity: table.entity.name,
        message: "a stored model has the class \"\(name)\", which the program does not have; update the program")
    }
    let entity = member.entity
    var contents = SnapshotContents(identifier: identifier(name, result.integer(row, 0)), entity: entity)
    let given = ServerCell.decode(given: result.value(row, givenColumn))
    for property in entity.properties where property.isStored {
      let position = Int(positions[property.index])
      guard property.isAttribute else {
        let key: Int64? = result.isNull(row, position) ? nil : result.integer(row, position)
        contents[property] = .toOne(key.map { identifier(property.destination!.__entity.name, $0) })
        continue
      }
      let column = TableNames.column(for: property)
      let cell = result.value(row, position)
      contents[property] = .value(
        try ServerCell.read(
          mixed.contains(column) ? ServerCell.unmixed(cell) : cell, given: given[column], property, entity))
    }
    for (property, column) in member.classes {
      guard case .toOne(let target?) = contents[property], let key = target.key, let name = result.text(row, column)
      else { continue }
      contents[property] = .toOne(identifier(name, key))
    }
    guard hasLists else { return DefaultSnapshot(contents) }
    for (property, info, column, hasClasses) in member.lists {
      let keys = result.keys(row, column)
      let names = hasClasses ? result.texts(row, column + 1) : []
      contents[property] = .toMany(
        keys.enumerated().map { identifier(hasClasses ? names[$0.offset] : info.destination.name, $0.element) })
    }
    return DefaultSnapshot(contents)
  }

  private func identifier(_ entity: String, _ key: Int64) -> PersistentIdentifier {
    PersistentIdentifier(entityName: entity, storeIdentifier: store, key: key)
  }
}

extension EntityRows {
  /// The columns of words beside those of some properties.
  func wordColumns(_ properties: [__Property]) -> [SearchColumns.Column] {
    guard let search else { return [] }
    let names = Set(properties.map { TableNames.column(for: $0) })
    return search.columns.filter { names.contains($0.source) }
  }

  /// The words of the texts in the cells of some properties.
  func words(_ properties: [__Property], _ cells: [SQLValue]) throws -> [SQLValue] {
    let columns = wordColumns(properties)
    if columns.isEmpty { return [] }
    let names = properties.map { TableNames.column(for: $0) }
    let texts = columns.map { column -> String? in
      guard let place = names.firstIndex(of: column.source), case .text(let text) = cells[place] else { return nil }
      return text
    }
    return try SearchColumns.cells(of: texts)
  }
}

/// The targets of a to-many: `d` is the target's row, `p` the pair.
struct ListQuery {
  /// The key of the owner, and of the target.
  let owner: String
  let target: String
  let from: String
  private let targetTable: String
  private let targetAlias: String
  private let isPairs: Bool
  let order: String

  /// - Parameter alias: what to call the target's row.
  init(_ info: RelationshipInfo, target alias: String = "d") {
    targetAlias = alias
    targetTable = TableNames.table(for: info.destination).quotedIdentifier
    switch info.storage {
    case .inverseForeignKey(let inverse, let position):
      owner = "\(alias).\(TableNames.column(for: inverse).quotedIdentifier)"
      target = "\(alias)._pk"
      from = "\(targetTable) AS \(alias)"
      isPairs = false
      order = "\(alias).\(position.quotedIdentifier) NULLS LAST, \(alias)._pk"
    case .join(let table, let source, let other, let position):
      owner = "p.\(source)"
      target = "p.\(other)"
      from = "\(table.quotedIdentifier) AS p"
      isPairs = true
      order = "p.\(position) NULLS LAST, p._pk"
    case .foreignKey: preconditionFailure("a to-one has no list of targets")
    }
  }

  func from(joinsTarget: Bool) -> String {
    joinsTarget && isPairs ? "\(from) JOIN \(targetTable) AS \(targetAlias) ON \(targetAlias)._pk = \(target)" : from
  }

  /// All targets of the row `t0`, in order.
  func array(of column: String, joinsTarget: Bool = false) -> String {
    "ARRAY(SELECT \(column) FROM \(from(joinsTarget: joinsTarget)) WHERE \(owner) = t0._pk ORDER BY \(order))"
  }
}
