import Foundation

extension Schema {
  // @unchecked Sendable because all its state is behind a mutex.
  /// The description of a property that holds a value.
  ///
  /// (Apple's documentation, `Schema.Attribute`.)
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    // @unchecked Sendable because default values are only read and metatypes have no state.
    fileprivate struct State: @unchecked Sendable {
      var name = ""
      var originalName: String?
      var options: [Option] = []
      var valueType = SchemaValueType(Any.self)
      var defaultValue: Any?
      /// The default value of a decoded attribute as JSON text.
      var defaultText: String?
      var isOptional = false
      var hashModifier: String?
    }

    private let state: Lock<State>

    private init(state: State) { self.state = Lock(state) }

    /// Describes a property with `@Attribute`. The declaration supplies its name and type.
    /// - Parameters:
    ///   - options: how the property is stored.
    ///   - originalName: the name in older stores.
    ///   - hashModifier: distinguishes versions of the property that are otherwise equal.
    public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.init(
        name: "",
        originalName: originalName,
        options: options,
        valueType: Any.self,
        hashModifier: hashModifier
      )
    }

    /// Describes an attribute of an entity that is made by hand.
    public init(
      name: String,
      originalName: String? = nil,
      options: [Option] = [],
      valueType: any Any.Type,
      defaultValue: Any? = nil,
      hashModifier: String? = nil
    ) {
      state = Lock(
        State(
          name: name,
          originalName: originalName ?? options.lazy.compactMap(\.formerName).first,
          options: options.filter { $0.formerName == nil },
          valueType: SchemaValueType(valueType),
          defaultValue: defaultValue,
          isOptional: ValueTypes.wrapped(by: valueType) != nil,
          hashModifier: hashModifier
        )
      )
    }

    /// The name of the property.
    public var name: String {
      get { state.withLock { $0.name } }
      set { state.withLock { $0.name = newValue } }
    }

    /// The name in older stores, or `name` if the property was not renamed.
    public var originalName: String {
      get { state.withLock { $0.originalName ?? $0.name } }
      set { state.withLock { $0.originalName = newValue } }
    }

    /// How the property is stored.
    public var options: [Option] {
      get { state.withLock { $0.options } }
      set { state.withLock { $0.options = newValue } }
    }

    /// The declared type, or `Any` if the schema was loaded from a file and the type is not a standard one.
    public var valueType: any Any.Type {
      get { state.withLock { $0.valueType }.type }
      set {
        let type = SchemaValueType(newValue)
        state.withLock { $0.valueType = type }
      }
    }

    /// The default value of the declaration.
    public var defaultValue: Any? {
      get { snapshot.defaultValue }
      set {
        state.withLock {
          $0.defaultValue = newValue
          $0.defaultText = nil
        }
      }
    }

    /// Whether the property may be nil.
    public var isOptional: Bool {
      get { state.withLock { $0.isOptional } }
      set { state.withLock { $0.isOptional = newValue } }
    }

    /// Distinguishes versions of the property that are otherwise equal.
    public var hashModifier: String? {
      get { state.withLock { $0.hashModifier } }
      set { state.withLock { $0.hashModifier = newValue } }
    }

    /// True.
    public var isAttribute: Bool { true }
    /// Whether the options contain `.unique`.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether the property is not stored (``Option/ephemeral``).
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether a value transformer encodes the value.
    public var isTransformable: Bool { transformerName != nil }
    /// Whether the value is stored in its `Codable` form.
    public var isCodable: Bool { options.contains(.codable) }

    /// The former name of a renamed property.
    package var formerName: String? { state.withLock { $0.originalName } }
    package var transformerName: String? { options.lazy.compactMap(\.transformerName).first }
    package var valueTypeName: String { state.withLock { $0.valueType.name } }

    private var snapshot: State { state.withLock { $0 } }

    // MARK: - Hashing

    /// Compares name, former name, options, type, optionality, hash modifier and default value.
    public static func == (left: Attribute, right: Attribute) -> Bool {
      left === right || (type(of: left) == type(of: right) && left.isEqual(to: right))
    }

    func isEqual(to other: Attribute) -> Bool {
      let (left, right) = (snapshot, other.snapshot)
      return left.name == right.name && left.originalName == right.originalName && left.options == right.options
        && left.valueType == right.valueType && left.isOptional == right.isOptional
        && left.hashModifier == right.hashModifier && left.encodedDefault == right.encodedDefault
    }

    /// Hashes the name and the type.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(valueTypeName)
    }

    /// The declaration in short form: `name: String [.unique]`.
    public var debugDescription: String {
      let state = snapshot
      let options = state.options.isEmpty ? "" : " \(state.options)"
      return "\(state.name): \(state.valueType.name)\(options)"
    }

    // MARK: - Coding

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, valueType, defaultValue, isOptional, hashModifier
    }

    /// Decodes an attribute.
    /// - Throws: `DecodingError`.
    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var state = State()
      state.name = try container.decode(String.self, forKey: .name)
      state.originalName = try container.decodeIfPresent(String.self, forKey: .originalName)
      state.options = try container.decodeIfPresent([Option].self, forKey: .options) ?? []
      state.valueType = try container.decode(SchemaValueType.self, forKey: .valueType)
      state.isOptional = try container.decode(Bool.self, forKey: .isOptional)
      state.hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
      state.defaultText = try container.decodeIfPresent(String.self, forKey: .defaultValue)
      if let text = state.defaultText, let type = state.valueType.type as? any Decodable.Type {
        state.defaultValue = try JSONCoding.decode(type, from: Data(text.utf8))
      }
      self.state = Lock(state)
    }

    /// Encodes the attribute. A default value whose type is not `Codable` is left out.
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
      let state = snapshot
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(state.name, forKey: .name)
      try container.encodeIfPresent(state.originalName, forKey: .originalName)
      if !state.options.isEmpty { try container.encode(state.options, forKey: .options) }
      try container.encode(state.valueType, forKey: .valueType)
      try container.encode(state.isOptional, forKey: .isOptional)
      try container.encodeIfPresent(state.hashModifier, forKey: .hashModifier)
      try container.encodeIfPresent(state.encodedDefault, forKey: .defaultValue)
    }

    /// Adds all that ``encode(to:)`` writes.
    func add(to sum: inout Fingerprint) {
      let state = snapshot
      sum.combine(state.name)
      sum.combine(state.originalName)
      sum.combine(state.options.count)
      for option in state.options { sum.combine(option.code) }
      sum.combine(state.valueType.name)
      sum.combine(state.isOptional)
      sum.combine(state.hashModifier)
      state.addDefault(to: &sum)
    }
  }
}

extension Schema.Attribute.State {
  /// The default value as JSON text, or nil if there is none or its type has no JSON form.
  var encodedDefault: String? {
    if let defaultText { return defaultText }
    guard let value = defaultValue as? any Encodable, let data = try? JSONCoding.encode(value) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// Adds the default value. The usual types need no encoder.
  fileprivate func addDefault(to sum: inout Fingerprint) {
    switch defaultText == nil ? defaultValue : nil {
    case let text as String: sum.combine(["text", text])
    case let number as Int: sum.combine(["number", String(number)])
    case let flag as Bool: sum.combine(["flag", flag ? "true" : "false"])
    default: sum.combine(encodedDefault)
    }
  }
}

extension Schema {
  // @unchecked Sendable because all its state is behind a mutex.
  /// An attribute with members: a `Codable` struct.
  ///
  /// (Apple's documentation, `Schema.CompositeAttribute`.)
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    private let parts: Lock<[Attribute]>

    /// Describes a composite attribute. Assign its members to ``properties``.
    public override init(
      name: String,
      originalName: String? = nil,
      options: [Option] = [],
      valueType: any Any.Type,
      defaultValue: Any? = nil,
      hashModifier: String? = nil
    ) {
      parts = Lock([])
      super.init(
        name: name,
        originalName: originalName,
        options: options,
        valueType: valueType,
        defaultValue: defaultValue,
        hashModifier: hashModifier
      )
    }

    /// The members of the value.
    public var properties: [Attribute] {
      get { parts.withLock { $0 } }
      set { parts.withLock { $0 = newValue } }
    }

    override func add(to sum: inout Fingerprint) {
      super.add(to: &sum)
      let parts = properties
      sum.combine(parts.count)
      for part in parts { part.add(to: &sum) }
    }

    override func isEqual(to other: Attribute) -> Bool {
      guard let other = other as? CompositeAttribute else { return false }
      return super.isEqual(to: other) && properties == other.properties
    }

    private enum CodingKeys: CodingKey { case properties }

    /// Decodes an attribute with its parts.
    /// - Throws: `DecodingError`.
    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let properties = try container.decode([CodedProperty].self, forKey: .properties)
      parts = Lock(properties.compactMap { $0.property as? Attribute })
      try super.init(from: decoder)
    }

    public override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(properties.map(CodedProperty.init), forKey: .properties)
    }
  }
}
