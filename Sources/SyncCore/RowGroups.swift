/// Step 2 of a view: which row shows a record.
///
/// Within a zone, records with equal unique values are one row. Its key is their least key. Between zones, the first zone's row
/// stands for the others, which are not shown. So no value of a record gets into a row of another zone.
public struct RowGroups: Sendable {
  /// The records that each row joins, all of its zone, in order.
  public private(set) var members: [RecordKey: [RecordKey]] = [:]
  /// The row that shows a record.
  public private(set) var row: [RecordKey: RecordKey] = [:]
  /// The record of each zone that a row stands for.
  public private(set) var aliases: [RecordKey: [ZoneName: RecordName]] = [:]

  /// Groups the records that are shown.
  public init(_ here: [RecordKey: Registers], _ models: SyncModels) {
    let values = here.mapValues { UniqueValue.all(of: $0, models) }
    var taken: [UniqueValue: RecordKey] = [:]
    for (lead, keys) in Self.groups(values).sorted(by: { $0.key < $1.key }) {
      let keys = keys.sorted()
      let unique = keys.flatMap { values[$0] ?? [] }
      let other = unique.lazy.compactMap { taken[$0] }.first
      let row = other ?? lead
      for key in keys {
        self.row[key] = row
        if aliases[row]?[key.zone] == nil { aliases[row, default: [:]][key.zone] = key.name }
      }
      guard other == nil else { continue }
      members[lead] = keys
      for value in unique { taken[value] = lead }
    }
  }

  /// The records of each zone that share a unique value, directly or through others, by their least key.
  private static func groups(_ values: [RecordKey: [UniqueValue]]) -> [RecordKey: [RecordKey]] {
    struct ZonedValue: Hashable {
      var zone: ZoneName
      var value: UniqueValue
    }
    var parent: [RecordKey: RecordKey] = [:]
    func root(_ key: RecordKey) -> RecordKey {
      var key = key
      while let next = parent[key] { key = next }
      return key
    }
    var first: [ZonedValue: RecordKey] = [:]
    for (key, unique) in values {
      for value in unique {
        let zoned = ZonedValue(zone: key.zone, value: value)
        guard let other = first[zoned] else {
          first[zoned] = key
          continue
        }
        let (one, two) = (root(key), root(other))
        if one != two { parent[max(one, two)] = min(one, two) }
      }
    }
    return Dictionary(grouping: values.keys, by: root)
  }
}
