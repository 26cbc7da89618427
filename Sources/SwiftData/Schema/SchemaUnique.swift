extension Schema {
  /// The sets of properties that `#Unique` names: no two models have equal values for all properties of a set.
  ///
  /// (Apple's documentation, `Schema.Unique`.)
  // @unchecked Sendable because it is immutable and key paths of models capture nothing.
  public final class Unique<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The sets of properties.
    public let constraints: [[PartialKeyPath<T>]]

    /// Names sets of properties.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    /// The key paths as the compiler prints them.
    public var debugDescription: String { "#Unique(\(constraints))" }

    public static func == (left: Unique, right: Unique) -> Bool { left.constraints == right.constraints }
    public func hash(into hasher: inout Hasher) { hasher.combine(constraints) }

    public init(from decoder: any Decoder) throws {
      constraints = try [PropertyNames](from: decoder).map { try $0.keyPaths(of: T.self, decoder) }
    }

    /// Encodes the names of the properties.
    public func encode(to encoder: any Encoder) throws {
      try constraints.map { try PropertyNames($0, encoder) }.encode(to: encoder)
    }
  }

  /// The indices that `#Index` asks for.
  ///
  /// (Apple's documentation, `Schema.Index`.)
  // @unchecked Sendable because it is immutable and key paths of models capture nothing.
  public final class Index<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// One index.
    public enum Types<P: PersistentModel> {
      /// An index that finds values and orders them.
      case binary([PartialKeyPath<P>])
      /// An index over ranges of one to five numbers or dates (an R*Tree), for predicates that bound them: a map's
      /// region, a span of time. It neither orders nor finds values of other types.
      case rtree([PartialKeyPath<P>])

      package var keyPaths: [PartialKeyPath<P>] {
        switch self {
        case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
        }
      }
    }

    /// The indices.
    public let indices: [Types<T>]

    /// Asks for binary indices.
    public init(_ binaryIndices: [PartialKeyPath<T>]...) { indices = binaryIndices.map { .binary($0) } }

    /// Asks for indices of given kinds.
    public init(_ indices: Types<T>...) { self.indices = indices }

    /// The key paths as the compiler prints them.
    public var debugDescription: String { "#Index(\(indices))" }

    public static func == (left: Index, right: Index) -> Bool { left.indices == right.indices }
    public func hash(into hasher: inout Hasher) { hasher.combine(indices) }

    private struct Coded: Codable {
      var kind: String
      var properties: PropertyNames
    }

    public init(from decoder: any Decoder) throws {
      indices = try [Coded](from: decoder).map {
        let keyPaths = try $0.properties.keyPaths(of: T.self, decoder)
        return $0.kind == "rtree" ? .rtree(keyPaths) : .binary(keyPaths)
      }
    }

    /// Encodes the names of the properties.
    public func encode(to encoder: any Encoder) throws {
      try indices.map {
        let names = try PropertyNames($0.keyPaths, encoder)
        return if case .rtree = $0 { Coded(kind: "rtree", properties: names) } else {
          Coded(kind: "binary", properties: names)
        }
      }.encode(to: encoder)
    }
  }
}

extension Schema.Index.Types: Hashable {}

/// What `#Unique` and `#Index` have in common: they list properties and are none themselves, so they have neither a
/// name nor a type.
protocol PropertyListing: SchemaProperty {
  /// The lists, in order.
  var keyPathLists: [[AnyKeyPath]] { get }
  /// Whether each list asks for an R*Tree.
  var isRTree: [Bool] { get }
}

extension PropertyListing {
  public var name: String {
    get { "" }
    set {}
  }
  public var originalName: String {
    get { "" }
    set {}
  }
  public var valueType: any Any.Type {
    get { Self.self }
    set {}
  }

  /// The lists as terms of an index; nil for a list with a key path that an index cannot have.
  func terms(in entity: __Entity) -> [[IndexTerm]?] {
    keyPathLists.map { list in
      let terms = list.compactMap { IndexTerm($0, in: entity) }
      return terms.count == list.count ? terms : nil
    }
  }
}

extension Schema.Unique: PropertyListing {
  var keyPathLists: [[AnyKeyPath]] { constraints }
  var isRTree: [Bool] { constraints.map { _ in false } }
}

extension Schema.Index: PropertyListing {
  var keyPathLists: [[AnyKeyPath]] { indices.map(\.keyPaths) }
  var isRTree: [Bool] { indices.map { if case .rtree = $0 { true } else { false } } }
}

/// A list of key paths as the names of their properties, the only form that means something outside the process.
private struct PropertyNames: Codable {
  let names: [String]

  init<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], _ encoder: any Encoder) throws {
    names = try keyPaths.map { keyPath in
      if let property = KeyPathResolver.property(at: keyPath, in: T.__entity) { return property.name }
      throw EncodingError.invalidValue(
        keyPath,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "the key path \(keyPath) reads no persisted property of \(T.self)"
        )
      )
    }
  }

  init(from decoder: any Decoder) throws { names = try decoder.singleValueContainer().decode([String].self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(names)
  }

  /// The key paths of the properties. A property that the class inherits has none of the class's own.
  func keyPaths<T: PersistentModel>(of type: T.Type, _ decoder: any Decoder) throws -> [PartialKeyPath<T>] {
    try names.map { name in
      if let keyPath = T.__entity.property(named: name)?.keyPath as? PartialKeyPath<T> { return keyPath }
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(T.self) declares no persisted property \(name)")
      )
    }
  }
}
