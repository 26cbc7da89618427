/// The model classes of a program, as a view needs them.
public struct SyncModels: Sendable {
  /// A property of a class.
  public struct Property: Hashable, Sendable {
    /// The kind of a property.
    ///
    /// Of a relationship with two sides, the records of one side store it. The other side is derived.
    public enum Kind: Hashable, Sendable {
      /// A value.
      case attribute
      /// A to-one that the record stores. `isExclusive`: only one object leads to a target. With a cascade, the record owns the target.
      case toOne(WireName, isExclusive: Bool, isCascade: Bool = false)
      /// A to-one that is derived from the exclusive to-one `inverse` of the target's class. With a cascade, the target goes with
      /// the record.
      case inverseToOne(WireName, inverse: ExactText, isCascade: Bool = false)
      /// A list that is derived from the to-one `inverse` of its members' class. With a cascade, members go with the owner.
      case list(WireName, inverse: ExactText, isCascade: Bool = false)
      /// A to-many whose edges the record stores. With a cascade, members go with the owner.
      case members(WireName, isCascade: Bool = false)
      /// A to-many that is derived from the to-many `inverse` of its members' class. The record stores the order of its own list, as
      /// places of edges that are not present. With a cascade, members go with the owner.
      case inverseMembers(WireName, inverse: ExactText, isCascade: Bool = false)
    }

    /// The name in the program.
    public var name: ExactText
    /// The name on the wire, under which a program writes: the oldest name.
    public var wire: WireName
    /// The kind.
    public var kind: Kind
    /// The names on the wire under which a program reads. A renamed property reads both of its names, and the later write counts.
    public fileprivate(set) var readNames: [WireName]
    /// The class that declares the property.
    public fileprivate(set) var declaringClass: WireName = ""
    /// Whether the targets of the relationship own the record that stores it: the inverse has a cascade.
    public fileprivate(set) var isOwnedByTarget = false

    /// Makes a property.
    public init(_ name: ExactText, _ kind: Kind, wire: WireName? = nil) {
      (self.name, self.wire, self.kind) = (name, wire ?? name, kind)
      readNames = [self.wire]
    }

    /// The field that holds the place of the record in the list that a to-one makes.
    public var placeField: WireName { Self.placeField(wire) }

    /// The fields under which a program reads the place of the record in the list that a to-one makes.
    var placeFields: [WireName] { readNames.map(Self.placeField) }

    private static func placeField(_ wire: WireName) -> WireName { WireName("place:" + wire.text) }

    /// The class at the other end of a relationship; nil for an attribute.
    public var destination: WireName? {
      switch kind {
      case .attribute: nil
      case .toOne(let entity, _, _), .inverseToOne(let entity, _, _), .list(let entity, _, _), .members(let entity, _),
        .inverseMembers(let entity, _, _):
        entity
      }
    }

    /// The property at the other end of a derived relationship; nil for one that the record stores.
    public var inverse: ExactText? {
      switch kind {
      case .inverseToOne(_, let inverse, _), .list(_, let inverse, _), .inverseMembers(_, let inverse, _): inverse
      case .attribute, .toOne, .members: nil
      }
    }

    /// Whether the relationship has a cascade.
    public var isCascade: Bool {
      switch kind {
      case .attribute: false
      case .toOne(_, _, let isCascade), .inverseToOne(_, _, let isCascade), .list(_, _, let isCascade),
        .members(_, let isCascade), .inverseMembers(_, _, let isCascade):
        isCascade
      }
    }

    /// Whether the record owns what the relationship leads to, and stores the relationship.
    var ownsTargets: Bool { inverse == nil && isCascade }

    /// Whether only one object leads to a target of the to-one.
    var isExclusive: Bool { if case .toOne(_, isExclusive: true, _) = kind { true } else { false } }
  }

  /// A class as its declaration says it, without what it inherits.
  public struct ModelClass: Hashable, Sendable {
    /// The class that it inherits from.
    public var superclass: WireName?
    /// The properties.
    public var properties: [Property]
    /// The sets of properties whose values are unique among the records of the class and of its subclasses.
    public var unique: [[ExactText]]

    /// Makes a class.
    public init(_ properties: [Property], unique: [[ExactText]] = [], superclass: WireName? = nil) {
      (self.properties, self.unique, self.superclass) = (properties, unique, superclass)
    }
  }

  /// A set of properties whose values are unique, as a class or one that it inherits from declares it.
  struct UniqueSet: Sendable {
    var declaringClass: WireName
    var properties: [Property]
  }

  /// The rules of a class, found once. Most lists are empty for most classes.
  final class Rules: Sendable {
    /// All properties. The inherited ones come first.
    let properties: [Property]
    let unique: [UniqueSet]
    /// The relationships by which a record owns the targets.
    let owning: [Property]
    /// The relationships by which the targets own a record.
    let owned: [Property]
    /// The to-ones by which only one object leads to a target.
    let exclusive: [Property]
    /// The relationships that the records of the class store.
    let stored: [Property]
    /// The relationships that are derived from relationships of other classes.
    let derived: [Property]

    init(_ properties: [Property], _ unique: [UniqueSet]) {
      (self.properties, self.unique) = (properties, unique)
      owning = properties.filter(\.ownsTargets)
      owned = properties.filter(\.isOwnedByTarget)
      exclusive = properties.filter(\.isExclusive)
      stored = properties.filter { $0.destination != nil && $0.inverse == nil }
      derived = properties.filter { $0.inverse != nil }
    }
  }

  private let declared: [WireName: ModelClass]
  /// The properties, by class. Those that a class inherits come first.
  public let classes: [WireName: [Property]]
  let rules: [WireName: Rules]
  /// Each class with those that it inherits from, from the root on.
  private let lineages: [WireName: [WireName]]
  /// The wire names of relationships by which the holder owns the target.
  let owningNames: [WireName]
  /// Whether records of any class own others.
  var hasOwners: Bool { !owningNames.isEmpty || !ownedNames.isEmpty }
  /// The wire names of relationships by which the target owns the holder.
  let ownedNames: [WireName]

  /// Makes the description of a program's classes.
  public init(_ declared: [WireName: ModelClass]) {
    var lineages: [WireName: [WireName]] = [:]
    for name in declared.keys {
      var (lineage, next) = ([WireName](), Optional(name))
      while let current = next, declared[current] != nil, !lineage.contains(current) {
        lineage.append(current)
        next = declared[current]?.superclass
      }
      lineages[name] = lineage.reversed()
    }
    var owned: [WireName: Set<ExactText>] = [:]
    for property in declared.values.lazy.flatMap(\.properties) where property.isCascade {
      if let entity = property.destination, let inverse = property.inverse {
        owned[entity, default: []].insert(inverse)
      }
    }
    var classes: [WireName: [Property]] = [:]
    for (name, lineage) in lineages {
      var properties: [Property] = []
      for declaring in lineage {
        for var property in declared[declaring]?.properties ?? [] {
          property.declaringClass = declaring
          property.isOwnedByTarget = lineage.contains { owned[$0]?.contains(property.name) ?? false }
          properties.append(property)
        }
      }
      let names = Set(properties.map(\.wire))
      for index in properties.indices where !names.contains(properties[index].name) {
        properties[index].readNames.append(properties[index].name)
      }
      classes[name] = properties
    }
    (self.declared, self.classes, self.lineages) = (declared, classes, lineages)
    var rules: [WireName: Rules] = [:]
    for (name, properties) in classes {
      let unique = (lineages[name] ?? []).flatMap { declaring in
        (declared[declaring]?.unique ?? []).map { names in
          UniqueSet(
            declaringClass: declaring, properties: names.compactMap { name in properties.first { $0.name == name } })
        }
      }
      rules[name] = Rules(properties, unique)
    }
    self.rules = rules
    let all = classes.values.joined()
    owningNames = Set(all.filter(\.ownsTargets).flatMap(\.readNames)).sorted()
    ownedNames = Set(all.filter(\.isOwnedByTarget).flatMap(\.readNames)).sorted()
  }

  /// A property of a class.
  public subscript(entity: WireName, name: ExactText) -> Property? { classes[entity]?.first { $0.name == name } }

  /// Whether a class is another one or inherits from it.
  public func isKind(_ entity: WireName, of other: WireName) -> Bool {
    entity == other || lineages[entity]?.contains(other) ?? false
  }
}

extension SyncModels: Hashable {
  /// Compares the declarations.
  public static func == (left: SyncModels, right: SyncModels) -> Bool { left.declared == right.declared }
  /// Hashes the declarations.
  public func hash(into hasher: inout Hasher) { hasher.combine(declared) }
}
