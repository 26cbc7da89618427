/// The name of a property or of a model class on the wire: the oldest name that it had.
public typealias WireName = ExactText

/// The name of a zone, which is the same for all accounts.
///
/// An account's own zone carries the account's name. So a name that another account wrote never means the reader's own zone.
public enum ZoneName: Hashable, Comparable, Sendable {
  // The order of the cases is the order of zones in a view: an account's own zone goes first.
  /// The zone that an account has for itself.
  case account(ExactText)
  /// The zone of a share.
  case share(ExactText)

  /// Whether the zone is one of a share.
  public var isShare: Bool { if case .share = self { true } else { false } }
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

  /// Orders keys by zone, then by name.
  public static func < (left: RecordKey, right: RecordKey) -> Bool {
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
