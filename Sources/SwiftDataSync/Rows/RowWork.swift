#if Sync
import SyncCore
import SyncProtocol

/// The rows that may differ from their objects.
struct RowWork {
  /// The properties that may differ, by row; nil is all.
  var rows: [RecordKey: Set<ExactText>?] = [:]
  /// The new rows of the last update, with their values except derived to-manys. A later change of such a row removes it from here.
  private(set) var created: [RecordKey: Row] = [:]
  /// The rows that are gone.
  var gone: Set<RecordKey> = []
  /// The former keys of rows that keep their objects, by the keys that they have now.
  var former: [RecordKey: RecordKey] = [:]
  /// Derived lists that only got members, with these members, by row and property.
  private(set) var appended: [RecordKey: [ExactText: Set<RecordKey>]] = [:]
  /// The attributes that had a write before, by the keys that rows have now, and by the keys of rows that are gone. The object of a row keeps
  /// the value of such an attribute until it is reset, also if another row takes the object over. One that has no write now gets the value
  /// of its declaration again.
  var written: [RecordKey: Set<ExactText>] = [:]
  /// The unique values of rows that are gone. Until their objects are deleted, the store takes a row with such a value for the object.
  var unique: [RecordKey: Set<UniqueValue>] = [:]

  var isEmpty: Bool { rows.isEmpty && gone.isEmpty && former.isEmpty }

  /// Adds properties of a row.
  mutating func add(_ row: RecordKey, _ names: Set<ExactText>?) {
    created[row] = nil
    guard let known = rows[row] else {
      rows[row] = .some(names)
      return
    }
    rows[row] = .some(names.flatMap { names in known.map { $0.union(names) } })
  }

  /// Adds what an update of the view changes.
  /// - Parameters:
  ///   - before: the rows before the update.
  ///   - saved: what the program saved, and the objects show already.
  ///   - transactions: the transactions of these saves.
  /// - Complexity: linear in what the update changes and the program saved, whatever was added before.
  mutating func add(
    _ update: ViewUpdate, _ before: ShownRows, saved: [RecordKey: Set<ExactText>?], of transactions: [LocalTransaction]
  ) throws {
    var added = update.deleted
    func add(_ row: RecordKey, _ names: Set<ExactText>?) {
      self.add(row, names)
      added.insert(row)
    }
    for (old, new) in update.renamed {
      former[new] = former.removeValue(forKey: old) ?? old
      // Its object has to be noted, whether or not a value changes.
      add(new, [])
      // Changes of earlier updates are written under the new key.
      if let names = rows.removeValue(forKey: old) { add(new, names) }
      if let names = written.removeValue(forKey: old) { written[new, default: []].formUnion(names) }
      if let lists = appended.removeValue(forKey: old) { add(new, Set(lists.keys)) }
    }
    for row in update.deleted {
      gone.insert(row)
      let values = try before.uniqueValues(of: row)
      if !values.isEmpty { unique[former[row] ?? row, default: []].formUnion(values) }
      // Its object is noted under the key that the row had.
      if let old = former.removeValue(forKey: row) { gone.insert(old) }
    }
    // The object of a new row need not be read where the row shows what the program saved.
    var unchanged = Set<RecordKey>()
    for transaction in transactions {
      for (key, registers) in transaction.changes where saved[key] != nil {
        if let row = update.created[key], row.shows(registers, before.models) { unchanged.insert(key) }
      }
    }
    for (row, values) in update.created {
      guard unchanged.contains(row) else {
        add(row, nil)
        continue
      }
      let relationships = before.models.relationships(of: values.entity)
      if !relationships.isEmpty { add(row, relationships) }
    }
    for (row, values) in update.changed { add(row, Set(values.keys)) }
    for (list, change) in update.lists {
      let isSaved = (Set(change.arrived.keys).union(change.left)).allSatisfy { saved[$0] != nil }
      if isSaved, !change.isReordered { continue }
      if change.isReordered || rows[list.row].map({ $0?.contains(list.property) ?? true }) ?? false {
        add(list.row, [list.property])
      } else if !change.arrived.isEmpty {
        add(list.row, [])
        appended[list.row, default: [:]][list.property, default: []].formUnion(change.arrived.keys)
      }
      // A member that leaves is deleted, or its own end of the relationship changes. The others keep their order.
    }
    for (row, names) in saved where !unchanged.contains(row) {
      add(row, names)
      // The view may still lack a write of it: the account may not write the zone.
      if let names { written[row, default: []].formUnion(names) }
    }
    let renamed = Dictionary(uniqueKeysWithValues: update.renamed.map { ($1, $0) })
    // A row that was not there had no write.
    for row in added where update.created[row] == nil || update.deleted.contains(row) {
      let names = update.deleted.contains(row) ? nil : rows[row] ?? nil
      // Of several updates, each begins with the rows of the one before.
      let origin = renamed[row] ?? row
      for model in try before.entity(of: origin).flatMap({ before.models.classes[$0] }) ?? [] {
        guard case .attribute = model.kind, names?.contains(model.name) ?? true,
          try before.write(model, of: origin) != nil
        else { continue }
        written[row, default: []].insert(model.name)
      }
    }
    created = update.created
  }

  /// Adds a row whose object shows what the program saved, and the log never gets.
  /// - Parameter isDeletion: whether the program deleted the object. It is made again then.
  mutating func addUndone(_ row: RecordKey, isDeletion: Bool, _ view: ShownRows) throws {
    add(row, nil)
    if isDeletion {
      // The store took the object out of all relationships, and no save names an object whose relationship has no other end.
      for holder in try view.rows(leadingTo: row) {
        add(holder, try view.entity(of: holder).map(view.models.relationships) ?? [])
      }
    }
    for model in try view.entity(of: row).flatMap({ view.models.classes[$0] }) ?? [] {
      switch model.kind {
      case .attribute: written[row, default: []].insert(model.name)
      case .toOne:
        // The list that has the row may have had another order.
        guard case .toOne(let target?)? = try view.value(model, of: row) else { continue }
        for list in try view.entity(of: target).flatMap({ view.models.classes[$0] }) ?? [] {
          if case .list(_, let inverse, _) = list.kind, inverse == model.name { add(target, [list.name]) }
        }
      default: continue
      }
    }
  }
}

extension Row {
  /// Whether the row has the attributes that registers write, and no others.
  fileprivate func shows(_ registers: Registers, _ models: SyncModels) -> Bool {
    (models.classes[entity] ?? []).allSatisfy { model in
      guard case .attribute = model.kind else { return true }
      return values[model.name] == .value(registers.fields[model.wire]?.value ?? .null)
    }
  }
}

extension SyncModels {
  /// The names of the relationships of a class.
  fileprivate func relationships(of entity: WireName) -> Set<ExactText> {
    Set((classes[entity] ?? []).filter { if case .attribute = $0.kind { false } else { true } }.map(\.name))
  }
}
#endif
