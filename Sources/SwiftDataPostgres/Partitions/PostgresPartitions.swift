public import SwiftData

// @unchecked Sendable because it is immutable, and so is its key path, which only finds the property when a store opens.
/// The division of a class's rows into partitions by a property. (Our own.)
///
///     PostgresConfiguration(url: url, partitions: [.hashed(by: \Message.conversationID, count: 16)])
///
/// A fetch whose predicate says which value the property has reads one partition. The division takes effect when the
/// store creates the table. `Documentation/partitions.md` says what differs from an ordinary table, and how the product
/// `SwiftDataPostgresShards` keeps partitions on other servers.
public struct PostgresPartitions: @unchecked Sendable, Hashable {
  let model: any PersistentModel.Type
  let property: AnyKeyPath
  let count: Int
  /// The servers with the partitions, or nil if the store's own server keeps them.
  let shards: Shards?

  package init(model: any PersistentModel.Type, property: AnyKeyPath, count: Int, shards: Shards? = nil) {
    (self.model, self.property, self.count) = (model, property, count)
    self.shards = shards?.urls.isEmpty == true ? nil : shards
  }

  /// Divides rows by the hash of a property.
  /// - Parameters:
  ///   - property: an attribute or a to-one relationship of the class. Objects of its subclasses are divided too. Every
  ///     unique constraint of the class must contain it.
  ///   - count: the number of partitions, which cannot be changed later.
  public static func hashed<Model: PersistentModel, Value>(
    by property: KeyPath<Model, Value>, count: Int
  ) -> PostgresPartitions {
    PostgresPartitions(model: Model.self, property: property, count: count)
  }

  /// The URLs of the servers with the partitions, in turn.
  private var urls: [String] { shards?.urls ?? [] }

  /// Whether two divisions are of one class, by one property, with one count and the same servers.
  public static func == (left: PostgresPartitions, right: PostgresPartitions) -> Bool {
    left.model == right.model && left.property == right.property && left.count == right.count
      && left.urls == right.urls
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(model))
    hasher.combine(property)
    hasher.combine(count)
    hasher.combine(urls)
  }

  /// The table that it divides.
  /// - Throws: `SwiftDataError.loadIssueModelContainer`.
  func table(in layout: StoreLayout, _ store: String) throws -> PartitionedTable {
    let entity = model.__entity
    func fault(_ property: String?, _ message: String) -> SwiftDataError {
      SwiftDataError(.loadIssueModelContainer, entity: entity.name, property: property, message: message)
    }
    guard let table = layout.tables.first(where: { $0.entity === entity }),
      let record = layout.record.table(named: table.name)
    else { throw fault(nil, "the store \"\(store)\" cannot divide a class that its schema does not have") }
    guard let property = KeyPathResolver.property(at: property, in: entity),
      let column = record.column(named: TableNames.column(for: property))
    else {
      throw fault(nil, "the property by which the rows are divided has no column; name an attribute or a to-one")
    }
    guard !column.hasCodec else {
      throw fault(
        property.name,
        "an encrypted attribute cannot divide rows, because the server compares its cells; name another property")
    }
    let limit = 1...1024
    guard limit.contains(count), urls.count <= count else {
      throw fault(property.name, "a class has 1 to \(limit.upperBound) partitions, and no more servers than partitions")
    }
    if let unique = record.indices.first(where: { $0.isUnique && !$0.columns.contains(column.name) }) {
      throw fault(
        unique.names.joined(separator: ", "),
        "PostgreSQL keeps values unique within a partition only, so that a unique constraint must contain"
          + " \"\(property.name)\", by which the rows are divided; add it to the constraint, or divide by another property"
      )
    }
    let servers = try urls.map { url in
      guard let name = shards?.host.name(ofServerAt: url) else {
        throw fault(
          property.name, "the URL of a shard cannot be read; write postgres://user:password@host:port/database")
      }
      return name
    }
    return PartitionedTable(table: table.name, column: column.name, count: count, servers: servers)
  }
}

extension PostgresPartitions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The class, the number of partitions and the servers. The URLs are omitted because they may contain passwords.
  public var description: String {
    let servers = urls.map { PostgresURL($0)?.place ?? "?" }
    return "PostgresPartitions(\(model), \(count)\(servers.isEmpty ? "" : ", \(servers.joined(separator: ", "))"))"
  }
  /// As ``description``.
  public var debugDescription: String { description }
  /// The contents of ``description``.
  public var customMirror: Mirror { Mirror(self, children: ["partitions": description]) }
}
