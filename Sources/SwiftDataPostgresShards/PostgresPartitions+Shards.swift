public import SwiftData
public import SwiftDataPostgres

extension PostgresPartitions {
  /// Divides rows by the hash of a property and keeps them on several servers. (Our own.)
  ///
  ///     PostgresConfiguration(
  ///       url: url, partitions: [.hashed(by: \Message.conversationID, count: 16, shards: ["postgres://b/app", "postgres://c/app"])])
  ///
  /// - Parameters:
  ///   - property: an attribute or a to-one relationship of the class. Objects of its subclasses are divided too. Every
  ///     unique constraint of the class must contain it.
  ///   - count: the number of partitions, which cannot be changed later.
  ///   - shards: the URLs of the servers that keep the partitions, in turn. The store's server reaches them through
  ///     `postgres_fdw`. Empty if the store's own server keeps them. There are at most `count`.
  public static func hashed<Model: PersistentModel, Value>(
    by property: KeyPath<Model, Value>, count: Int, shards: [String]
  ) -> PostgresPartitions {
    PostgresPartitions(
      model: Model.self, property: property, count: count, shards: Shards(urls: shards, host: ShardConnections.self))
  }
}
