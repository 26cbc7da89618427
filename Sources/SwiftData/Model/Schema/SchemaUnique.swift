extension Schema {
  // @unchecked Sendable because it is immutable and key paths of models capture nothing.
  /// The sets of properties of a `#Unique`. No two models share all values of a set.
  ///
  /// (Apple's documentation, `Schema.Unique`.)
  public final class Unique<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The sets of properties.
    public let constraints: [[PartialKeyPath<T>]]

    /// Names sets of properties.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    /// The key paths as the compiler prints them.
    public var debugDescription: String { "#Unique(\(constraints))" }

    /// Compares the sets of properties, in order.
    public static func == (left: Unique, right: Unique) -> Bool { left.constraints == right.constraints }
    /// Hashes the sets of properties.
    public func hash(into hasher: inout Hasher) { hasher.combine(constraints) }

    /// Decodes the names of the properties.
    /// - Throws: `DecodingError`, also if the model has no such property.
    public init(from decoder: any Decoder) throws {
      constraints = try [PropertyNames](from: decoder).map { try $0.keyPaths(of: T.self, decoder) }
    }

    /// Encodes the names of the properties.
    public func encode(to encoder: any Encoder) throws {
      try constraints.map { try PropertyNames($0, encoder) }.encode(to: encoder)
    }
  }

  // @unchecked Sendable because it is immutable and key paths of models capture nothing.
  /// The indices of an `#Index`.
  ///
  /// (Apple's documentation, `Schema.Index`.)
  public final class Index<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// One index.
    public enum Types<P: PersistentModel> {
      /// An index for equality, ranges and sorting.
      case binary([PartialKeyPath<P>])
      /// An R*Tree over one to five numbers or dates, for predicates that bound them, such as a map's region or a span
      /// of time. It cannot sort, and does not support other types.
      case rtree([PartialKeyPath<P>])

      package var keyPaths: [PartialKeyPath<P>] {
        switch self {
        case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
        }
      }
    }

    /// The indices.
    public let indices: [Types<T>]

    /// Declares binary indices.
    public init(_ binaryIndices: [PartialKeyPath<T>]...) { indices = binaryIndices.map { .binary($0) } }

    /// Declares indices of given kinds.
    public init(_ indices: Types<T>...) { self.indices = indices }

    /// The key paths as the compiler prints them.
    public var debugDescription: String { "#Index(\(indices))" }

    /// Compares the indices, in order.
    public static func == (left: Index, right: Index) -> Bool { left.indices == right.indices }
    /// Hashes the indices.
    public func hash(into hasher: inout Hasher) { hasher.combine(indices) }

    private struct Coded: Codable {
      var kind: String
      var properties: PropertyNames
    }

    /// Decodes the kinds and the names of the properties.
    /// - Throws: `DecodingError`, also if the model has no such property.
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

/// The common part of `#Unique` and `#Index`. They list properties and are not properties, so they have no name and no
/// type.
protocol PropertyListing: SchemaProperty {
  /// The lists, in order.
  var keyPathLists: [[AnyKeyPath]] { get }
  /// Whether each list declares an R*Tree.
  var isRTree: [Bool] { get }
}

extension PropertyListing {
  /// Empty: a list of properties has no name.
  public var name: String {
    get { "" }
    set {}
  }
  /// Empty: a list of properties has no name.
  public var originalName: String {
    get { "" }
    set {}
  }
  /// The type of the description itself.
  public var valueType: any Any.Type {
    get { Self.self }
    set {}
  }

  /// The lists as index terms, with nil for a list that contains an unsupported key path.
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
  // A key path literal of a generic type is made again each time.
  var keyPathLists: [[AnyKeyPath]] { indices.map { $0.keyPaths } }
  var isRTree: [Bool] { indices.map { if case .rtree = $0 { true } else { false } } }
}

/// The names of the properties, because key paths are valid in this process only.
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

  /// The key paths of the properties. Inherited properties have no key path of the class itself.
  func keyPaths<T: PersistentModel>(of type: T.Type, _ decoder: any Decoder) throws -> [PartialKeyPath<T>] {
    try names.map { name in
      if let keyPath = T.__entity.property(named: name)?.keyPath as? PartialKeyPath<T> { return keyPath }
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(T.self) declares no persisted property \(name)")
      )
    }
  }
}
