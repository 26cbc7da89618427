public import Foundation

/// The value of a field of a record.
public enum FieldValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case data(Data)
  /// A to-one relationship.
  case record(RecordName)
  /// Bytes that travel apart, named by their SHA-256 in lowercase hexadecimal digits. Decoding checks that the size is one of
  /// ``SyncWire/assetSizes``.
  case asset(sha256: String, size: Int)
  /// A value that only the participants of the zone can read.
  case sealed(Data)
}

/// A new value of a field.
public struct FieldWrite: Hashable, Sendable {
  /// The value.
  public var value: FieldValue
  /// When it was written. The latest write wins.
  public var time: HybridTime
  /// When the value was written that the writer saw and replaced; nil if the field had none. A write that replaces
  /// another value than its writer saw is a conflict.
  public var over: HybridTime?

  /// Makes a write.
  public init(_ value: FieldValue, _ time: HybridTime, over: HybridTime?) {
    (self.value, self.time, self.over) = (value, time, over)
  }
}

/// What happened to one member of a to-many relationship.
///
/// A to-many is an add-wins set: each addition has a tag, and a removal names the tags that its writer saw.
public struct MemberWrite: Hashable, Sendable {
  /// The tag of an addition.
  public var add: HybridTime?
  /// The tags that a removal takes away.
  public var remove: [HybridTime]?
  /// The place of the member in the owner's list.
  public var place: FieldWrite?
  /// The place of the owner in the member's list, where the member has one.
  public var inversePlace: FieldWrite?

  /// Makes an empty write.
  public init() {}
}

/// What a transaction does to one record.
public struct RecordChange: Hashable, Sendable {
  /// The record.
  public var record: RecordName
  /// The name of its model class.
  public var entity: String
  /// New values, by property.
  public var fields: PropertyMap<FieldWrite>
  /// Changes of to-many relationships, by property and member.
  public var members: [String: [RecordName: MemberWrite]]?
  /// When the record was deleted.
  public var deleted: HybridTime?

  /// Makes an empty change.
  public init(_ record: RecordName, _ entity: String) {
    (self.record, self.entity, self.fields) = (record, entity, [:])
  }

  /// Whether the change is empty.
  public var isEmpty: Bool { fields.isEmpty && members == nil && deleted == nil }

  /// The assets that it names.
  package var assets: [(sha256: String, size: Int)] {
    // Most changes name none.
    guard fields.containsValue({ if case .asset = $0.value { true } else { false } }) else { return [] }
    return fields.values.compactMap { if case .asset(let sha256, let size) = $0.value { (sha256, size) } else { nil } }
  }

  /// All moments that it carries.
  public var times: [HybridTime] {
    fields.values.map(\.time) + (deleted.map { [$0] } ?? [])
      + (members ?? [:]).values.flatMap { members in
        members.values.flatMap { member in
          [member.add, member.place?.time, member.inversePlace?.time].compactMap(\.self)
        }
      }
  }
}

/// One save of one replica: all of it is seen, or nothing.
public struct SyncTransaction: Hashable, Sendable, Identifiable {
  /// Its identity. A server that knows it does not take it again.
  public var id: UUID { didSet { bytes = nil } }
  /// The replica that saved.
  public var replica: UInt64 { didSet { bytes = nil } }
  /// What was changed, in order.
  public var changes: [RecordChange] { didSet { bytes = nil } }
  /// ``encoded``, if it was read or kept. It is written several times on its way.
  var bytes: Data?

  /// Compares what it says.
  public static func == (left: SyncTransaction, right: SyncTransaction) -> Bool {
    left.id == right.id && left.replica == right.replica && left.changes == right.changes
  }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Makes a transaction.
  public init(id: UUID, replica: UInt64, changes: [RecordChange]) {
    (self.id, self.replica, self.changes) = (id, replica, changes)
  }

  /// All moments that it carries.
  public var times: [HybridTime] { changes.flatMap(\.times) }

  /// The latest moment that it carries; nil if it carries none.
  public var latestTime: HybridTime? {
    var latest: HybridTime?
    for change in changes {
      for (_, write) in change.fields where latest.map({ $0 < write.time }) ?? true { latest = write.time }
      guard change.members != nil || change.deleted != nil else { continue }
      for time in change.times where latest.map({ $0 < time }) ?? true { latest = time }
    }
    return latest
  }

  /// The assets that it names.
  public var assets: [(sha256: String, size: Int)] { changes.flatMap(\.assets) }
}
