/// The model classes of a program, as a view needs them.
public struct SyncModels: Hashable, Sendable {
  /// A property of a class.
  public struct Property: Hashable, Sendable {
    /// The kind of a property.
    public enum Kind: Hashable, Sendable {
      /// A value. No two rows of a zone have one value of a unique attribute.
      case attribute(isUnique: Bool)
      /// A to-one that the record stores. `isExclusive`: only one object leads to a target.
      case toOne(WireName, isExclusive: Bool)
      /// A list that is derived from the to-one `inverse` of its members' class. With a cascade, members go with the owner.
      case list(WireName, inverse: ExactText, isCascade: Bool)
      /// A to-many whose edges the record stores. With a cascade, members go with the owner.
      case members(WireName, isCascade: Bool)
    }

    /// The name in the program.
    public var name: ExactText
    /// The name on the wire.
    public var wire: WireName
    /// The kind.
    public var kind: Kind

    /// Makes a property.
    public init(_ name: ExactText, _ kind: Kind, wire: WireName? = nil) {
      (self.name, self.kind, self.wire) = (name, kind, wire ?? name)
    }

    /// The field that holds the place of the record in the list that a to-one makes.
    public var placeField: WireName { WireName("place:" + wire.text) }
  }

  /// The properties, by class.
  public let classes: [WireName: [Property]]
  /// The to-ones by which the target owns the holder, by class: their inverse is a list with a cascade.
  let owners: [WireName: Set<ExactText>]

  /// Makes the description of a program's classes.
  public init(_ classes: [WireName: [Property]]) {
    self.classes = classes
    var owners: [WireName: Set<ExactText>] = [:]
    for property in classes.values.joined() {
      if case .list(let target, let inverse, isCascade: true) = property.kind {
        owners[target, default: []].insert(inverse)
      }
    }
    self.owners = owners
  }

  /// A property of a class.
  public subscript(entity: WireName, name: ExactText) -> Property? { classes[entity]?.first { $0.name == name } }

  /// Whether the target of a to-one owns the holder.
  public func isOwner(_ property: Property, of entity: WireName) -> Bool {
    owners[entity]?.contains(property.name) ?? false
  }
}
