public import Foundation

/// The name of an object, the same on all replicas: a UUID of version 7 in lowercase, which sorts by age.
public struct RecordName: Hashable, Comparable, Codable, Sendable, CodingKeyRepresentable, CustomStringConvertible {
  /// The text.
  public let text: String
  /// The same as ``text``.
  public var description: String { text }

  /// Takes a name as it is.
  public init(_ text: String) { self.text = text }

  /// Makes a new name.
  /// - Parameters:
  ///   - milliseconds: the time since 1970.
  ///   - random: where its 74 random bits come from.
  public init(milliseconds: Int64, using random: inout some RandomNumberGenerator) {
    let high = UInt64(bitPattern: milliseconds) << 16 | 0x7000 | UInt64.random(in: 0...0xFFF, using: &random)
    let low = UInt64.random(in: 0...(.max >> 2), using: &random) | 0x8000_0000_0000_0000
    let digits = Self.hex(high) + Self.hex(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    self.text = text
  }

  private static func hex(_ value: UInt64) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  /// Orders names by their texts.
  public static func < (left: RecordName, right: RecordName) -> Bool { left.text < right.text }

  /// Decodes the text.
  public init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
  /// The text as the key of a JSON object.
  public var codingKey: any CodingKey { Key(stringValue: text) }
  /// Reads the key of a JSON object.
  public init?<T: CodingKey>(codingKey: T) { self.init(codingKey.stringValue) }
}

/// The value of a field of a record.
public enum FieldValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case data(Data)
  /// A to-one relationship.
  case record(RecordName)
  /// Bytes that travel apart, named by their SHA-256 in lowercase hexadecimal digits.
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
  public var fields: [String: FieldWrite]
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
  public var id: UUID
  /// The replica that saved.
  public var replica: UInt64
  /// What was changed, in order.
  public var changes: [RecordChange]

  /// Makes a transaction.
  public init(id: UUID, replica: UInt64, changes: [RecordChange]) {
    (self.id, self.replica, self.changes) = (id, replica, changes)
  }

  /// All moments that it carries.
  public var times: [HybridTime] { changes.flatMap(\.times) }

  /// The assets that it names.
  public var assets: [(sha256: String, size: Int)] {
    changes.flatMap { change in
      change.fields.values.compactMap { if case .asset(let name, let size) = $0.value { (name, size) } else { nil } }
    }
  }
}
