/// The name of a property or of a model class on the wire: the oldest name that it had.
public typealias WireName = ExactText

/// The name of a zone, which is the same for all accounts.
///
/// An account's own zone carries the account's name. So a name that another account wrote never means the reader's own zone.
public struct ZoneName: Hashable, Comparable, Sendable {
  // Each key of a record has a zone. A structure with one text is copied and compared much faster than an enumeration with two.
  /// The name of the account, or of the share.
  public let name: ExactText
  /// Whether the zone is one of a share.
  public let isShare: Bool

  private init(_ name: ExactText, isShare: Bool) { (self.name, self.isShare) = (name, isShare) }

  /// The zone that an account has for itself.
  public static func account(_ name: ExactText) -> ZoneName { ZoneName(name, isShare: false) }

  /// The zone of a share.
  public static func share(_ name: ExactText) -> ZoneName { ZoneName(name, isShare: true) }

  /// Compares the names.
  @inlinable public static func == (left: ZoneName, right: ZoneName) -> Bool {
    left.isShare == right.isShare && left.name == right.name
  }

  /// Orders zones as a view has them: an account's own zone goes first.
  public static func < (left: ZoneName, right: ZoneName) -> Bool {
    left.isShare == right.isShare ? left.name < right.name : right.isShare
  }
}

/// The identity of a record.
///
/// The name stays when the record moves to another zone, so that no value needs rewriting.
public struct RecordKey: Hashable, Comparable, Sendable {
  /// The zone.
  public var zone: ZoneName
  /// The name, which is unique within the zone.
  public var name: RecordName

  /// Makes a key.
  public init(_ zone: ZoneName, _ name: RecordName) { (self.zone, self.name) = (zone, name) }

  /// Hashes the name alone: few zones share a name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name.quickHash) }

  /// The hash that a dictionary uses, of the name alone.
  @inlinable public func _rawHashValue(seed: Int) -> Int { name._rawHashValue(seed: seed) }

  /// Compares the names first, which differ more often.
  @inlinable public static func == (left: RecordKey, right: RecordKey) -> Bool {
    left.name == right.name && left.zone == right.zone
  }

  /// Orders keys by zone, then by name.
  @inlinable public static func < (left: RecordKey, right: RecordKey) -> Bool {
    left.zone == right.zone ? left.name < right.name : left.zone < right.zone
  }
}

/// A reference to a record, as a record of some zone holds it.
public struct Reference: Hashable, Comparable, Sendable {
  /// The name of the target.
  public var name: RecordName
  /// The zone of the target if that was another one than the holder's. It is a hint: the target may have moved.
  public var hint: ZoneName?

  /// Makes a reference.
  public init(_ name: RecordName, hint: ZoneName? = nil) { (self.name, self.hint) = (name, hint) }

  /// Orders references by name, then by hint. A reference without a hint is the least.
  public static func < (left: Reference, right: Reference) -> Bool {
    left.name == right.name ? precedes(left.hint, right.hint) : left.name < right.name
  }
}

/// The order of optional values: nil is the least.
func precedes<Value: Comparable>(_ left: Value?, _ right: Value?) -> Bool {
  guard let right else { return false }
  return left.map { $0 < right } ?? true
}
