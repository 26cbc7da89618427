import SwiftData

extension TableChange {
  /// Refuses what a migration cannot do to partitions.
  ///
  /// The statements on a shard commit at once, over a connection of their own. They wait for the locks that the migration
  /// holds through the store's server once it has read or written rows, as a copy, a rename or the count of displaced values
  /// does. If a migration fails after a rename, the next attempt would find the new name on the shard and rename
  /// another column.
  func checkShards() throws {
    guard let divided = change.partitions[table.new.name] else { return }
    if let plan = copies.first(where: { recodes($0) && (divided.isSharded || $0.columns.contains(divided.column)) }) {
      throw refusal(
        plan.column,
        "its values are \(plan.column.hasCodec ? "encrypted" : "decrypted") from now on, which the store"
          + " \"\(change.store)\" cannot do on shards, nor with the property that divides the rows; copy the objects into a"
          + " store with another namespace")
    }
    let isRefused = { (copy: LayoutPlan.ColumnPlan) in divided.isSharded || copy.columns.contains(divided.column) }
    if let column = copies.first(where: isRefused)?.column {
      throw refusal(
        column,
        "the values move between properties of several classes, which the store \"\(change.store)\" cannot do on"
          + " shards, nor with the property that divides the rows; add a property with another name, fill it, and remove"
          + " this one later")
    }
    guard divided.isSharded else { return }
    if let (former, plan) = renames.first {
      throw refusal(
        plan.column,
        "its column has the name \(former), and the store \"\(change.store)\" renames no columns on shards; keep the name,"
          + " or add a property with another name, fill it, and remove the former one later")
    }
    if let column = news.map(\.column).first(where: { table.old?.column(named: $0.name) != nil }) {
      throw refusal(
        column,
        "it takes the name of another property, whose values the store \"\(change.store)\" cannot remove on shards; give it"
          + " a name that was not used before")
    }
  }

  /// Whether a column gets or loses a codec.
  private func recodes(_ plan: LayoutPlan.ColumnPlan) -> Bool {
    plan.columns.contains { table.old?.column(named: $0)?.isCoded(like: plan.column) == false }
  }

  private func refusal(_ column: LayoutRecord.Column, _ message: String) -> SwiftDataError {
    SwiftDataError(
      .loadIssueModelContainer, entity: column.entity, property: column.propertyName,
      message: message + ". Nothing was changed")
  }
}
