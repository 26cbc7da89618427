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
      /// The to-one at the other end of the exclusive to-one `inverse`. With a cascade, the holder of that one goes with this object.
      case holder(WireName, inverse: ExactText, isCascade: Bool)
      /// A list that is derived from the to-one `inverse` of its members' class. With a cascade, members go with the owner.
      case list(WireName, inverse: ExactText, isCascade: Bool)
      /// A to-many whose edges the record stores. With a cascade, members go with the owner.
      case members(WireName, isCascade: Bool)
      /// The to-many at the other end of the edges of `inverse`. With a cascade, their holders go with this object.
      case memberOf(WireName, inverse: ExactText, isCascade: Bool)
    }

    /// The name in the program.
    public var name: ExactText
    /// The name on the wire.
    public var wire: WireName
    /// The kind.
    public var kind: Kind
    /// Whether the target of a to-one that the record stores goes with the record.
    public var ownsTarget: Bool

    /// Makes a property.
    public init(_ name: ExactText, _ kind: Kind, wire: WireName? = nil, ownsTarget: Bool = false) {
      (self.name, self.kind, self.wire, self.ownsTarget) = (name, kind, wire ?? name, ownsTarget)
    }

    /// The field that holds the place of the record in the list that a to-one makes. For edges: the property whose edges hold only the
    /// places of the record in the lists at their other ends.
    public var placeField: WireName { WireName("place:" + wire.text) }
  }

  /// Properties whose values together are unique.
  public struct UniqueSet: Hashable, Sendable {
    /// The class that declares the set.
    public var entity: WireName
    /// The names of the properties on the wire.
    public var properties: [WireName]

    /// Makes a set.
    public init(_ entity: WireName, _ properties: [WireName]) { (self.entity, self.properties) = (entity, properties) }
  }

  /// The properties, by class. A class has those of its superclasses too.
  public let classes: [WireName: [Property]]
  /// Each class with its superclasses, the class itself first.
  private let lineages: [WireName: [WireName]]
  /// The unique sets, by class.
  private let unique: [WireName: [UniqueSet]]
  /// The to-ones by which the target owns the holder, by class: their inverse has a cascade.
  private let owners: [WireName: Set<ExactText>]
  /// The stored to-ones and edges that make a list at the other end, by class.
  private let listed: [WireName: Set<ExactText>]
  private let byName: [WireName: [ExactText: Property]]

  /// Makes the description of a program's classes.
  /// - Parameters:
  ///   - classes: the properties, by class.
  ///   - superclasses: the superclass of each class that has one.
  ///   - unique: the unique sets that are not one attribute, by the class that declares them.
  public init(
    _ classes: [WireName: [Property]], superclasses: [WireName: WireName] = [:], unique: [UniqueSet] = []
  ) {
    self.classes = classes
    byName = classes.mapValues { Dictionary($0.map { ($0.name, $0) }) { first, _ in first } }
    var lineages: [WireName: [WireName]] = [:]
    for name in classes.keys {
      var lineage = [name]
      while let next = superclasses[lineage[lineage.count - 1]], !lineage.contains(next) { lineage.append(next) }
      lineages[name] = lineage
    }
    self.lineages = lineages
    var owners: [WireName: Set<ExactText>] = [:]
    var listed: [WireName: Set<ExactText>] = [:]
    for property in classes.values.joined() {
      switch property.kind {
      case .list(let target, let inverse, let isCascade), .memberOf(let target, let inverse, let isCascade):
        listed[target, default: []].insert(inverse)
        if isCascade { owners[target, default: []].insert(inverse) }
      case .holder(let target, let inverse, isCascade: true): owners[target, default: []].insert(inverse)
      case .attribute, .toOne, .members, .holder: break
      }
    }
    func inherited(_ sets: [WireName: Set<ExactText>]) -> [WireName: Set<ExactText>] {
      lineages.mapValues { $0.reduce(into: []) { $0.formUnion(sets[$1] ?? []) } }
    }
    (self.owners, self.listed) = (inherited(owners), inherited(listed))
    self.unique = classes.reduce(into: [:]) { result, entry in
      let lineage = lineages[entry.key] ?? []
      let single = entry.value.compactMap { property -> UniqueSet? in
        guard case .attribute(isUnique: true) = property.kind else { return nil }
        let declaring = lineage.last { classes[$0]?.contains { $0.name == property.name } ?? false }
        return UniqueSet(declaring ?? entry.key, [property.wire])
      }
      result[entry.key] = single + unique.filter { lineage.contains($0.entity) }
    }
  }

  /// A property of a class.
  public subscript(entity: WireName, name: ExactText) -> Property? { byName[entity]?[name] }

  /// Whether the target of a to-one owns the holder, or the member of an edge owns it.
  public func isOwner(_ property: Property, of entity: WireName) -> Bool {
    owners[entity]?.contains(property.name) ?? false
  }

  /// Whether a stored to-one or a property of edges makes a list at the other end.
  public func isListed(_ property: Property, of entity: WireName) -> Bool {
    listed[entity]?.contains(property.name) ?? false
  }

  /// Whether objects of a class are objects of another class, too.
  public func isKind(_ entity: WireName, of ancestor: WireName) -> Bool {
    entity == ancestor || lineages[entity]?.contains(ancestor) ?? false
  }

  /// The class that declares a property, for all subclasses the same.
  public func declaring(_ name: ExactText, of entity: WireName) -> WireName {
    lineages[entity]?.last { byName[$0]?[name] != nil } ?? entity
  }

  /// The properties of a class whose values are unique.
  public func uniqueSets(of entity: WireName) -> [UniqueSet] { unique[entity] ?? [] }
}
