extension Schema {
  // @unchecked Sendable because all its state is behind a mutex.
  /// The description of a property that holds related models.
  ///
  /// (Apple's documentation, `Schema.Relationship`.)
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The effect of a deletion on the related models.
    public enum DeleteRule: String, Hashable, Codable, Sendable {
      /// The related models keep their references.
      case noAction
      /// The related models lose their references to the deleted model.
      case nullify
      /// The related models are deleted too.
      case cascade
      /// The deletion is refused while related models exist: saving throws.
      case deny

      /// A synonym of ``noAction``, which articles about SwiftData use. Apple's compiler refuses it: write `.noAction`.
      public static var none: DeleteRule { .noAction }
    }

    /// An option of `@Relationship`.
    public struct Option: Hashable, Codable, CustomDebugStringConvertible, Sendable {
      fileprivate let name: String

      /// The name of the option.
      public var debugDescription: String { name }

      /// No two models are related to the same model.
      public static var unique: Option { Option(name: "unique") }
    }

    // @unchecked Sendable because key paths of models capture nothing and metatypes have no state.
    private struct State: @unchecked Sendable {
      var name = ""
      var originalName: String?
      var keypath: AnyKeyPath?
      var options: [Option] = []
      var valueType = SchemaValueType(Any.self)
      var isOptional = false
      var isToOne = true
      var destination = ""
      var deleteRule = DeleteRule.nullify
      var inverseName: String?
      var inverseKeyPath: AnyKeyPath?
      var minimum: Int?
      var maximum: Int?
      var hashModifier: String?
    }

    private let state: Lock<State>

    /// Describes a property with `@Relationship`. The declaration supplies its name and type.
    /// - Parameters:
    ///   - options: how the relationship is stored.
    ///   - deleteRule: the effect of a deletion on the related models.
    ///   - minimumModelCount: the minimum number of related models at a save; 0 or nil means any.
    ///   - maximumModelCount: the maximum number of related models at a save; 0 or nil means any.
    ///   - originalName: the name in older stores.
    ///   - inverse: the property at the other end.
    ///   - hashModifier: distinguishes versions of the property that are otherwise equal.
    public init(
      _ options: Option...,
      deleteRule: DeleteRule = .nullify,
      minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0,
      originalName: String? = nil,
      inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      state = Lock(
        State(
          originalName: originalName,
          options: options,
          deleteRule: deleteRule,
          inverseKeyPath: inverse,
          minimum: minimumModelCount,
          maximum: maximumModelCount,
          hashModifier: hashModifier
        )
      )
    }

    /// Makes a relationship with shorter labels for the counts. Apple's compiler refuses it: write `minimumModelCount` and
    /// `maximumModelCount`.
    public convenience init(
      _ options: Option...,
      deleteRule: DeleteRule = .nullify,
      minimum: Int?,
      maximum: Int? = 0,
      originalName: String? = nil,
      inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      self.init(
        deleteRule: deleteRule,
        minimumModelCount: minimum,
        maximumModelCount: maximum,
        originalName: originalName,
        inverse: inverse,
        hashModifier: hashModifier
      )
      self.options = options
    }

    /// Makes a relationship with a shorter label for the maximum. Apple's compiler refuses it: write `maximumModelCount`.
    public convenience init(
      _ options: Option...,
      deleteRule: DeleteRule = .nullify,
      maximum: Int?,
      originalName: String? = nil,
      inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      self.init(
        deleteRule: deleteRule,
        maximumModelCount: maximum,
        originalName: originalName,
        inverse: inverse,
        hashModifier: hashModifier
      )
      self.options = options
    }

    /// The relationship of a property, from its declaration and the engine's description.
    package init(_ property: __Property, inverse: __Property?) {
      let source = property.relationship!.snapshot
      state = Lock(
        State(
          name: property.name,
          originalName: source.originalName,
          keypath: property.keyPath,
          options: source.options,
          valueType: SchemaValueType(property.valueType),
          isOptional: property.isOptional,
          isToOne: property.isToOne,
          destination: property.destination!.__entity.name,
          deleteRule: source.deleteRule,
          inverseName: inverse?.name,
          inverseKeyPath: source.inverseKeyPath ?? inverse?.keyPath,
          minimum: source.minimum,
          maximum: source.maximum,
          hashModifier: source.hashModifier
        )
      )
    }

    private var snapshot: State { state.withLock { $0 } }

    private func update(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// The name of the property.
    public var name: String {
      get { snapshot.name }
      set { update { $0.name = newValue } }
    }

    /// The name in older stores, or `name` if the property was not renamed.
    public var originalName: String {
      get { snapshot.originalName ?? snapshot.name }
      set { update { $0.originalName = newValue } }
    }

    /// The key path of the property, or nil if the schema was loaded from a file.
    public var keypath: AnyKeyPath? {
      get { snapshot.keypath }
      set { update { $0.keypath = newValue } }
    }

    /// How the relationship is stored.
    public var options: [Option] {
      get { snapshot.options }
      set { update { $0.options = newValue } }
    }

    /// The declared type, or `Any` if the schema was loaded from a file.
    public var valueType: any Any.Type {
      get { snapshot.valueType.type }
      set {
        let wrapped = ValueTypes.wrapped(by: newValue)
        update {
          $0.valueType = SchemaValueType(newValue)
          $0.isOptional = wrapped != nil
          $0.isToOne = !((wrapped ?? newValue) is any RelationshipCollection.Type)
        }
      }
    }

    /// The name of the entity at the other end.
    public var destination: String {
      get { snapshot.destination }
      set { update { $0.destination = newValue } }
    }

    /// The effect of a deletion on the related models.
    public var deleteRule: DeleteRule {
      get { state.withLock { $0.deleteRule } }
      set { update { $0.deleteRule = newValue } }
    }

    /// The name of the property at the other end, or nil if there is none.
    public var inverseName: String? {
      get { snapshot.inverseName }
      set { update { $0.inverseName = newValue } }
    }

    /// The key path of the property at the other end.
    public var inverseKeyPath: AnyKeyPath? {
      get { snapshot.inverseKeyPath }
      set { update { $0.inverseKeyPath = newValue } }
    }

    /// The minimum number of related models at a save; 0 or nil means any.
    public var minimumModelCount: Int? {
      get { state.withLock { $0.minimum } }
      set { update { $0.minimum = newValue } }
    }

    /// The maximum number of related models at a save; 0 or nil means any.
    public var maximumModelCount: Int? {
      get { state.withLock { $0.maximum } }
      set { update { $0.maximum = newValue } }
    }

    /// Distinguishes versions of the property that are otherwise equal.
    public var hashModifier: String? {
      get { snapshot.hashModifier }
      set { update { $0.hashModifier = newValue } }
    }

    /// True.
    public var isRelationship: Bool { true }
    /// Whether the property may be nil.
    public var isOptional: Bool { snapshot.isOptional }
    /// Whether the options contain `.unique`.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether the relationship is a to-one.
    public var isToOneRelationship: Bool { snapshot.isToOne }

    /// The former name of a renamed property.
    package var formerName: String? { snapshot.originalName }

    /// Compares everything but the key paths, for which the names stand.
    public static func == (left: Relationship, right: Relationship) -> Bool {
      left === right || left.coded == right.coded
    }

    /// Hashes the name and the destination.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(destination)
    }

    /// The declaration in short form: `tags: [Tag], inverse trips, nullify`.
    public var debugDescription: String {
      let state = snapshot
      let inverse = state.inverseName.map { ", inverse \($0)" } ?? ""
      return "\(state.name): \(state.valueType.name)\(inverse), \(state.deleteRule)"
    }

    // MARK: - Coding

    /// All facts except the key paths, which are valid in this process only. The names replace them.
    private struct Coded: Hashable, Codable {
      var name: String
      var originalName: String?
      var options: [Option]
      var valueType: SchemaValueType
      var isOptional: Bool
      var isToOne: Bool
      var destination: String
      var deleteRule: DeleteRule
      var inverseName: String?
      var minimumModelCount: Int?
      var maximumModelCount: Int?
      var hashModifier: String?
    }

    private var coded: Coded {
      let state = snapshot
      return Coded(
        name: state.name,
        originalName: state.originalName,
        options: state.options,
        valueType: state.valueType,
        isOptional: state.isOptional,
        isToOne: state.isToOne,
        destination: state.destination,
        deleteRule: state.deleteRule,
        inverseName: state.inverseName,
        minimumModelCount: state.minimum,
        maximumModelCount: state.maximum,
        hashModifier: state.hashModifier
      )
    }

    /// Decodes a relationship. It has no key paths.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
      let coded = try Coded(from: decoder)
      state = Lock(
        State(
          name: coded.name,
          originalName: coded.originalName,
          options: coded.options,
          valueType: coded.valueType,
          isOptional: coded.isOptional,
          isToOne: coded.isToOne,
          destination: coded.destination,
          deleteRule: coded.deleteRule,
          inverseName: coded.inverseName,
          minimum: coded.minimumModelCount,
          maximum: coded.maximumModelCount,
          hashModifier: coded.hashModifier
        )
      )
    }

    /// Encodes everything but the key paths.
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws { try coded.encode(to: encoder) }

    /// Adds all that ``encode(to:)`` writes.
    func add(to sum: inout Fingerprint) {
      let state = snapshot
      sum.combine(state.name)
      sum.combine(state.originalName)
      sum.combine(state.options.map(\.name))
      sum.combine(state.valueType.name)
      sum.combine(state.isOptional)
      sum.combine(state.isToOne)
      sum.combine(state.destination)
      sum.combine(state.deleteRule.rawValue)
      sum.combine(state.inverseName)
      sum.combine(state.minimum)
      sum.combine(state.maximum)
      sum.combine(state.hashModifier)
    }
  }
}
