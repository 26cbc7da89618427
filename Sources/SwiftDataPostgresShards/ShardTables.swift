import SwiftData
import SwiftDataPostgres

// The statements for tables with partitions on other servers. Each does nothing if its result exists.

extension LayoutRecord.Table {
  /// The statements that create the table on a shard, with the partitions that it keeps.
  func shardCreation(_ partitioned: PartitionedTable, on server: String, _ layout: StoreLayout) -> [String] {
    let discriminator = hasDiscriminator ? ["_entity text COLLATE \"C\""] : []
    let lines = ["_pk bigint NOT NULL"] + discriminator + columns.map(\.optionalDefinition)
    return [creation(lines, partitioned)] + partitioned.indices(on: server).map(partitioned.localCreation)
      + indices.flatMap { shardCreation($0, partitioned, on: server, layout) }
  }

  /// The statements that create an index on a shard. Its unique values are checked at each statement, because a check at
  /// the end of the transaction could fail on one server after another one has committed.
  func shardCreation(
    _ index: LayoutRecord.Index, _ partitioned: PartitionedTable, on server: String, _ layout: StoreLayout
  ) -> [String] {
    guard index.isUnique else { return creationOnServer(index, in: PartitionedTables(), layout) }
    guard index.expressions == nil else { return [] }
    let list = index.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let condition = index.serverCondition.map { " WHERE \($0)" } ?? ""
    return partitioned.indices(on: server).map { place in
      let partition = partitioned.partitions[place]
      return "CREATE UNIQUE INDEX IF NOT EXISTS \(ServerNames.index(index, of: partition).quotedIdentifier)"
        + " ON \(partition.quotedIdentifier) (\(list))\(condition)"
    }
  }
}

extension PartitionedTable {
  /// The indices of the partitions that a server keeps.
  func indices(on server: String) -> [Int] { (0..<count).filter { servers[$0 % servers.count] == server } }
}
