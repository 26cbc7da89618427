#if Sync
import SwiftData
import SyncCore
import SyncProtocol

// Records that the program of this replica and another one changed without having seen each other's change, for models with a resolver.

extension ZoneReplica {
  /// A record that two replicas changed, with the attributes that each side has.
  struct Contested {
    let key: RecordKey
    let entity: String
    let local: [WireName: Stamped<RegisterValue>]
    /// The writes of each other replica that the program did not see, in the order of the log, and at the end the record of the log. A later
    /// write may not have seen an earlier one.
    let remotes: [[WireName: Stamped<RegisterValue>]]
  }

  /// The records of entries whose fields the outbox writes, too.
  ///
  /// The entries may have transactions of the outbox. The replica of a later entry may have seen the transaction, and then its entry does
  /// not conflict with the transaction.
  func contested(_ entries: [SyncLog.Entry]) throws -> [Contested] {
    guard !resolvers.isEmpty, !outbox.isEmpty else { return [] }
    let own = Set(outbox.transactions.map(\.time))
    var seen = Set<HybridTime>()
    var remote: [RecordKey: [WireName: Stamped<RegisterValue>]] = [:]
    var unseen: [RecordKey: [[WireName: Stamped<RegisterValue>]]] = [:]
    for entry in entries {
      for (zone, part) in entry.parts {
        guard case .change(let changes) = part else { continue }
        for (name, registers) in changes {
          let key = RecordKey(zone, name)
          let fields = outbox.fields(of: key, without: [])
          if fields.isEmpty { continue }
          let theirs = registers.fields.filter { !own.contains($0.value.time) }
          let before = try remote[key] ?? store.registers(of: key)?.fields ?? [:]
          remote[key] = before.merging(theirs, uniquingKeysWith: max)
          if theirs.keys.contains(where: { fields[$0].map { !seen.contains($0.time) } ?? false }) {
            unseen[key, default: []].append(before.merging(theirs) { $1 })
          }
          seen.formUnion(registers.fields.values.map(\.time).filter(own.contains))
        }
      }
    }
    let view = rows
    return try unseen.sorted { $0.key < $1.key }.compactMap { key, writes in
      guard let row = try view.row(showing: key), let entity = try view.entity(of: row)?.text, resolvers.has(entity)
      else { return nil }
      let all = remote[key] ?? [:]
      return Contested(
        key: key, entity: entity, local: try view.fields(of: row),
        remotes: writes.last == all ? writes : writes + [all])
    }
  }

  /// Asks the resolvers, and saves what they decide as the program would. Each decision is a save, so that one which cannot be stored does not
  /// keep the others.
  /// - Returns: the first reason why a decision could not be saved.
  /// - Throws: ``MissingAssets`` if the bytes of a value have to be fetched first.
  func resolve(_ contested: [Contested]) throws -> (any Error)? {
    var failure: (any Error)?
    func attempt<Result>(_ body: () throws -> Result?) throws -> Result? {
      do { return try body() } catch let missing as MissingAssets { throw missing } catch {
        failure = failure ?? error
        return nil
      }
    }
    // All bytes have to be here before the first decision is saved.
    let decisions = try contested.compactMap { conflict in try attempt { try decision(of: conflict) } }
    for decision in decisions { _ = try attempt { try save(decision) } }
    return failure
  }

  /// The cells that an object gets.
  private struct Decision {
    let object: PersistentIdentifier
    let cells: [(property: __Property, cell: SQLValue)]
  }

  /// Asks the resolver. It sees defaults in place of what this replica cannot read, so what it makes of these is not a decision.
  /// - Returns: nil if the object is gone.
  private func decision(of conflict: Contested) throws -> Decision? {
    guard let row = try shown.row(showing: conflict.key), let entity = user.entities[conflict.entity],
      let text = try store.object(of: row), let object = user.identifier(text)
    else { return nil }
    var unread: Set<Int> = []
    let local = try copy(conflict.local, row, entity, &unread)
    for remote in conflict.remotes {
      _ = resolvers.run(entity.name, local: local, remote: try copy(remote, row, entity, &unread))
    }
    let decided = (user.attributes[entity.name] ?? []).filter { property, rule in
      !property.isConstant && !rule.isPersonal && !unread.contains(property.index)
    }
    return Decision(
      object: object, cells: try decided.map { ($0.property, try ModelCells.cell(of: local, $0.property)) })
  }

  private func save(_ decision: Decision) throws {
    let context = user.makeContext()
    context.author = UserStore.resolverAuthor
    guard let object = try ModelCells.objects([decision.object], in: context)[decision.object] else { return }
    for (property, cell) in decision.cells where try ModelCells.cell(of: object, property) != cell {
      try ModelCells.set(object, property, cell)
    }
    guard context.hasChanges else { return }
    // A store without transactions may have lost the object meanwhile. Then there is nothing to decide.
    do { try context.save() } catch let error as SwiftDataError where error == .staleObject && error.entity != nil {}
  }

  /// - Parameter unread: gets the indices of the attributes whose values cannot be read.
  private func copy(
    _ fields: [WireName: Stamped<RegisterValue>], _ row: RecordKey, _ entity: __Entity, _ unread: inout Set<Int>
  ) throws -> any PersistentModel {
    var cells = [SQLValue?](repeating: nil, count: entity.properties.count)
    var written: Set<Int> = []
    for (property, rule) in user.attributes[entity.name] ?? [] where !rule.isPersonal {
      let model = models[WireName(entity.name), ExactText(property.name)]
      guard let value = model?.readNames.compactMap({ fields[$0] }).max()?.value else { continue }
      cells[property.index] = try cell(value, of: row, property)
      written.insert(property.index)
    }
    let object = try ModelCells.make(entity, leavingOut: &cells)
    unread.formUnion(written.filter { cells[$0] == nil })
    return object
  }

  /// A value of a row as a cell.
  /// - Returns: nil if the value cannot be read without a key that the replica does not have, or if no zone has its bytes.
  /// - Throws: ``MissingAssets`` if the bytes of the value have to be fetched first.
  func cell(_ value: RegisterValue, of row: RecordKey, _ property: __Property) throws -> SQLValue? {
    switch value {
    case .null, .reference: return .null
    case .integer(let number): return .integer(number)
    case .real(let bits): return .real(Double(bitPattern: bits))
    case .text(let text): return .text(text.text)
    case .data(let data): return .blob(data)
    case .asset(let sha256, let size):
      if let data = try asset(sha256.text) { return .blob(data) }
      if unavailable.contains(sha256.text) { return nil }
      throw MissingAssets(assets: [MissingAssets.Asset(row: row, sha256: sha256.text, size: size)])
    case .sealed(let data):
      // A participant with another key, or one who sends nonsense, must not stop the others.
      guard let value = open(data, of: row, property) else { return nil }
      return try cell(value, of: row, property)
    }
  }
}
#endif
