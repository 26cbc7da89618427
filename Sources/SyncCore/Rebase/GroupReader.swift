/// Finds groups of records with equal unique values where no index says which row shows a record: in the middle of a rebase.
struct GroupReader<Source: RecordSource> {
  private let records: Source
  private let models: SyncModels
  private var shown: [RecordKey: Bool] = [:]
  /// Whether no row of an earlier zone stands for a group, by the least key of the group.
  private var first: [RecordKey: Bool] = [:]

  init(_ records: Source, _ models: SyncModels) { (self.records, self.models) = (records, models) }

  /// The records of a row, by its key; none if the record is not shown, or if its row has another key.
  mutating func members(ofRow key: RecordKey) throws -> [RecordKey] {
    guard try !values(of: key).isEmpty else { return [] }
    let group = try group(of: key)
    return try group.min() == key && isFirst(group) ? group : []
  }

  /// Whether a record is shown: it is here, and no dead record owns it, directly or through other records.
  private mutating func isShown(_ key: RecordKey) throws -> Bool {
    if let known = shown[key] { return known }
    let isShown =
      try records.isHere(key, models) && !records.isOwned(key, models) { try records.registers(of: $0)?.dead != nil }
    shown[key] = isShown
    return isShown
  }

  private mutating func values(of key: RecordKey) throws -> [UniqueValue] {
    guard try isShown(key), let record = try records.registers(of: key) else { return [] }
    return UniqueValue.all(of: record, models)
  }

  private mutating func group(of key: RecordKey) throws -> [RecordKey] {
    var (found, stack, seen) = (Set([key]), [key], Set<UniqueValue>())
    while let next = stack.popLast() {
      for value in try values(of: next) where seen.insert(value).inserted {
        for other in try records.records(with: value) where other.zone == key.zone && !found.contains(other) {
          guard try isShown(other) else { continue }
          found.insert(other)
          stack.append(other)
        }
      }
    }
    return Array(found)
  }

  /// Whether no row of an earlier zone stands for a group.
  private mutating func isFirst(_ group: [RecordKey]) throws -> Bool {
    guard let lead = group.min() else { return false }
    if let known = first[lead] { return known }
    // A hostile participant can make a long chain of groups, so nothing here calls itself.
    var stack = [(lead: lead, rivals: try rivals(of: group))]
    while let (lead, rivals) = stack.last {
      if rivals.keys.contains(where: { first[$0] == true }) {
        first[lead] = false
      } else if let next = rivals.filter({ first[$0.key] == nil }).min(by: { $0.key < $1.key }) {
        stack.append((next.key, try self.rivals(of: next.value)))
        continue
      } else {
        first[lead] = true
      }
      stack.removeLast()
    }
    return first[lead] == true
  }

  /// The groups of earlier zones that have a value of a group, by their least keys.
  private mutating func rivals(of group: [RecordKey]) throws -> [RecordKey: [RecordKey]] {
    var rivals: [RecordKey: [RecordKey]] = [:]
    for key in group {
      for value in try values(of: key) {
        for rival in try records.records(with: value) where rival.zone < key.zone {
          guard try isShown(rival) else { continue }
          let other = try self.group(of: rival)
          rivals[other.min() ?? rival] = other
        }
      }
    }
    return rivals
  }
}
