#if Sync
public import Foundation
public import SwiftData
import SyncProtocol

/// Decides conflicts of one model: two replicas changed an object without having seen each other's change.
///
/// The replica whose change was not sent yet when the other one arrived asks its resolver. What the resolver decides is
/// a change like any other, which all replicas get.
public protocol ConflictResolver<Model>: Sendable {
  /// The model whose conflicts it decides.
  associatedtype Model: PersistentModel

  /// Decides a conflict by changing `local`.
  /// - Parameters:
  ///   - local: the object with the attributes that this replica has. It is a copy without a context; the attributes that it
  ///     has afterwards are the object's.
  ///   - remote: a copy with the attributes of the other replica.
  func resolve(local: Model, remote: Model)
}

/// A value that lost a conflict, kept for some days.
///
/// A value that was written to an object which another replica deleted meanwhile, or which the owner of a share moved out of it, has lost, too.
/// `kept` is then "nil", and `object` is nil.
public struct SyncConflict: Hashable, Sendable {
  /// When the replica noticed it.
  public let date: Date
  /// The name of the model.
  public let entity: String
  /// The name of the property.
  public let property: String
  /// The name of the object in all replicas.
  public let record: String
  /// The object; nil if it is deleted by now.
  public let object: PersistentIdentifier?
  /// The value that lost, as text. That of a to-one relationship is the name of the object in all replicas.
  public let lost: String
  /// The value that was kept, as text.
  public let kept: String
  /// The object that a to-one relationship would have led to; nil for an attribute, for no object, and if the object is deleted by
  /// now.
  public let lostObject: PersistentIdentifier?
  /// The object that the relationship led to instead, under the same conditions.
  public let keptObject: PersistentIdentifier?
}

/// The resolvers of a program, by model.
struct ConflictResolvers: Sendable {
  private var resolve: [String: @Sendable (any PersistentModel, any PersistentModel) -> Void] = [:]

  mutating func add<Resolver: ConflictResolver>(_ resolver: Resolver) {
    resolve[Resolver.Model.__entity.name] = { local, remote in
      guard let local = local as? Resolver.Model, let remote = remote as? Resolver.Model else { return }
      resolver.resolve(local: local, remote: remote)
    }
  }

  var isEmpty: Bool { resolve.isEmpty }

  func has(_ entity: String) -> Bool { resolve[entity] != nil }

  /// - Returns: false if the model has no resolver.
  func run(_ entity: String, local: any PersistentModel, remote: any PersistentModel) -> Bool {
    guard let resolve = resolve[entity] else { return false }
    resolve(local, remote)
    return true
  }
}

extension Replica {
  /// The values that lost, the oldest first.
  func conflicts() throws -> [SyncConflict] {
    let rows = try ledger.conflicts().map { row in
      (row, lost: try FieldValue(encoded: row.lost), kept: try FieldValue(encoded: row.kept))
    }
    try ledger.prefetch(rows.map { RecordName($0.0.record) })
    return try rows.map { row, lost, kept in
      SyncConflict(
        date: row.date, entity: row.entity, property: row.property, record: row.record,
        object: try object(.record(RecordName(row.record))), lost: lost.text, kept: kept.text,
        lostObject: try object(lost), keptObject: try object(kept))
    }
  }

  /// The object that a value leads to.
  private func object(_ value: FieldValue) throws -> PersistentIdentifier? {
    guard case .record(let name) = value else { return nil }
    return try ledger.object(of: view.resolve(name)).flatMap(user.identifier)
  }

  /// A record that this replica and another one changed without having seen each other's change.
  struct Contested {
    let name: RecordName
    let local: RecordState
    let remote: RecordState
  }

  /// The records that have a resolver and conflicts between the entries and what is pending.
  func contested(_ entries: [LogEntry], _ zone: String, _ shadow: Fold) throws -> [Contested] {
    guard !resolvers.isEmpty else { return [] }
    let ids = Set(entries.map(\.transaction.id))
    var fields: [RecordName: Set<String>] = [:]
    for pending in ledger.pending where !ids.contains(pending.transaction.id) {
      for change in pending.transaction.changes { fields[change.record, default: []].formUnion(change.fields.keys) }
    }
    var found: [Contested] = []
    for entry in entries where !isOwn(entry.transaction) {
      for change in entry.transaction.changes
      where resolvers.has(change.entity) && !(fields[change.record]?.isDisjoint(with: change.fields.keys) ?? true) {
        let name = try shadow.resolve(change.record)
        // The log of another zone does not say what the record is.
        guard try shadow.state(change.record)?.place == zone else { continue }
        guard !found.contains(where: { $0.name == name }), let local = try view.state(name), local.isAlive,
          let remote = try shadow.state(name), remote.isAlive
        else { continue }
        found.append(Contested(name: name, local: local, remote: remote))
      }
    }
    return found
  }

  /// Keeps the bytes that the copies for resolvers need: when they are asked, the object has the values of the import.
  /// - Throws: ``MissingAsset`` if neither the ledger nor the object has them.
  func keepAssets(of contested: [Contested]) throws {
    for conflict in contested {
      for state in [conflict.local, conflict.remote] {
        let change = conflict.change(state)
        for asset in change.assets where !unavailable.contains(asset.sha256) {
          guard let bytes = try bytes(of: asset.sha256, in: change) else {
            throw MissingAsset(record: conflict.name, sha256: asset.sha256, size: asset.size)
          }
          try ledger.keepAsset(asset.sha256, bytes, isOutgoing: false)
        }
      }
    }
  }

  /// Asks the resolvers, and saves what they decide as the program would.
  /// - Returns: why what they decided could not be saved.
  func resolve(_ contested: [Contested]) throws -> (any Error)? {
    guard !contested.isEmpty else { return nil }
    var failure: (any Error)?
    do { try decide(contested) } catch { failure = error }
    let changes = contested.flatMap { [$0.change($0.local), $0.change($0.remote)] }
    try ledger.dropAssets(changes.flatMap(\.assets).map(\.sha256))
    return failure
  }

  /// Writes nothing to the ledger: an error of the ledger has to end the transaction.
  private func decide(_ contested: [Contested]) throws {
    let context = user.makeContext()
    context.author = UserStore.resolverAuthor
    for conflict in contested {
      guard let entity = user.entities[conflict.local.entity], let text = try ledger.object(of: conflict.name),
        let identifier = user.identifier(text),
        let object = try ModelCells.objects([identifier], in: context)[identifier]
      else { continue }
      let local = try copy(conflict.local, conflict.name, entity)
      let remote = try copy(conflict.remote, conflict.name, entity)
      guard resolvers.run(entity.name, local: local, remote: remote) else { continue }
      let rules = user.schema[entity.name]?.properties ?? [:]
      for property in entity.properties where property.isAttribute && property.isStored && !property.isConstant {
        guard let rule = rules[property.name], !rule.isPersonal else { continue }
        let decided = try ModelCells.cell(of: local, property)
        if try ModelCells.cell(of: object, property) != decided { try ModelCells.set(object, property, decided) }
      }
    }
    if context.hasChanges { try context.save() }
  }

  private func copy(_ state: RecordState, _ name: RecordName, _ entity: __Entity) throws -> any PersistentModel {
    var cells = [SQLValue?](repeating: nil, count: entity.properties.count)
    for property in entity.properties where property.isAttribute && property.isStored {
      guard let value = state.fields[property.name]?.value else { continue }
      cells[property.index] = try Materializer.cell(value, name, property, self)
    }
    return try ModelCells.make(entity, cells)
  }
}

extension Replica.Contested {
  /// The change that makes the record what one side says.
  fileprivate func change(_ state: RecordState) -> RecordChange {
    var change = RecordChange(name, state.entity)
    change.fields = state.fields.mapValues { FieldWrite($0.value, $0.time, over: nil) }
    return change
  }
}

/// A value that lost a conflict, as the ledger keeps it.
struct LedgerConflict {
  let date: Date
  let record, entity, property: String
  /// `FieldValue.encoded`.
  let lost, kept: Data
}

extension Ledger {
  func log(_ conflict: Fold.Conflict, at date: Date) throws {
    let texts = [conflict.record.text, conflict.entity, conflict.property].map(tables.database.cell)
    try tables.put(
      .conflicts,
      [
        [.real(date.timeIntervalSinceReferenceDate)] + texts + [
          .blob(conflict.lost.encoded), .blob(conflict.kept.encoded),
        ]
      ])
  }

  func conflicts() throws -> [LedgerConflict] {
    try tables.rows(.conflicts, nil, "ORDER BY 1").map { row in
      LedgerConflict(
        date: Date(timeIntervalSinceReferenceDate: row[0].syncReal), record: row[1].syncText, entity: row[2].syncText,
        property: row[3].syncText, lost: row[4].syncData ?? Data(), kept: row[5].syncData ?? Data())
    }
  }

  func dropConflicts(before date: Date) throws {
    try tables.remove(.conflicts, where: "date < ?", [.real(date.timeIntervalSinceReferenceDate)])
  }
}
#endif
