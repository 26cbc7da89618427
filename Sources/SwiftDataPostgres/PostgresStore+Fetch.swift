import Foundation
public import SwiftData

extension PostgresStore {
  /// The models that a request asks for.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` and ``DataStoreError/preferInMemorySort`` where the server
  ///   cannot answer as Swift does; ``SwiftDataError``.
  /// - Complexity: one statement.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let rows = try rows(of: T.__entity.name)
    let hasLists = !SnapshotLists.areLeftOut
    let query = try FetchQuery(request.descriptor, rows, self)
    let result = try run(
      query, query.statement(selecting: hasLists ? rows.fullSelection : rows.plainSelection))
    let snapshots = try (0..<result.count).map { try rows.snapshot(result, $0, hasLists: hasLists) }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
  }

  /// How many models a request asks for.
  /// - Throws: as ``fetch(_:)``.
  /// - Complexity: one statement.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    let query = try FetchQuery(request.descriptor, try rows(of: T.__entity.name), self)
    return Int(try run(query, query.count).integer(0, 0))
  }

  /// The identifiers of the models that a request asks for, in order.
  /// - Throws: as ``fetch(_:)``.
  /// - Complexity: one statement.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    let rows = try rows(of: T.__entity.name)
    let query = try FetchQuery(request.descriptor, rows, self)
    let isFamily = rows.table.hasDiscriminator
    let result = try run(query, query.statement(selecting: isFamily ? "t0._pk, t0._entity" : "t0._pk"))
    return (0..<result.count).map { row in
      identifier(isFamily ? result.text(row, 1) ?? "" : T.__entity.name, result.integer(row, 0))
    }
  }

  /// The snapshots of some models, which are read in one statement for each class hierarchy.
  /// - Throws: ``SwiftDataError``.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let own = persistentIdentifiers.filter { $0.storeIdentifier == identifier && $0.key != nil }
    var result = [PersistentIdentifier: DefaultSnapshot]()
    let groups = Dictionary(grouping: own) { rowsName(of: $0) ?? "" }
    for (name, group) in groups where !name.isEmpty {
      for snapshot in try snapshots(withKeys: group.compactMap(\.key), root: name) {
        result[snapshot.persistentIdentifier] = snapshot
      }
    }
    return result
  }

  /// The root of the hierarchy of an identifier's class.
  private func rowsName(of identifier: PersistentIdentifier) -> String? {
    (try? rows(of: identifier.entityName))?.table.entity.root.name
  }

  private func snapshots(withKeys keys: [Int64], root: String) throws -> [DefaultSnapshot] {
    guard let rows = try? rows(of: root) else { return [] }
    let hasLists = !SnapshotLists.areLeftOut
    let sql =
      "SELECT \(hasLists ? rows.fullSelection : rows.plainSelection) FROM \(rows.table.name.quotedIdentifier) AS t0"
      + " WHERE t0._pk = ANY($1::bigint[])"
    let result = try read { try $0.run(sql, [.keys(keys)]) }
    return try (0..<result.count).map { try rows.snapshot(result, $0, hasLists: hasLists) }
  }

  // MARK: - Relationships

  package func targets(
    of owners: [PersistentIdentifier], _ info: RelationshipInfo
  ) throws -> [(owner: PersistentIdentifier, target: DefaultSnapshot)] {
    let query = ListQuery(info, target: "t0")
    let rows = try rows(of: info.destination.name)
    // The owner comes last, so that a row is where it is in other statements.
    let sql =
      "SELECT \(rows.plainSelection), \(query.owner) FROM \(query.from(joinsTarget: true))"
      + " WHERE \(query.owner) = ANY($1::bigint[]) ORDER BY \(query.owner), \(query.order)"
    let result = try read { try $0.run(sql, [.keys(owners.compactMap(\.key))]) }
    let byKey = Dictionary(owners.compactMap { owner in owner.key.map { ($0, owner) } }) { first, _ in first }
    return try (0..<result.count).compactMap { row in
      guard let owner = byKey[result.integer(row, result.width - 1)] else { return nil }
      return (owner, try rows.snapshot(result, row, hasLists: false))
    }
  }

  func identifier(_ entity: String, _ key: Int64) -> PersistentIdentifier {
    PersistentIdentifier(entityName: entity, storeIdentifier: identifier, key: key)
  }
}
