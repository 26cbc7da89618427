import Synchronization

extension Schema {
  /// The description of a property that holds related models.
  ///
  /// (Apple's documentation, `Schema.Relationship`.)
  // @unchecked Sendable because all its state is behind a mutex.
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// What happens to the related models when the model is deleted.
    public enum DeleteRule: String, Hashable, Codable, Sendable {
      /// Nothing: the related models keep their references.
      case noAction
      /// The related models lose their reference to the deleted one.
      case nullify
      /// The related models are deleted too.
      case cascade
      /// The model cannot be deleted while it has related models; saving throws.
      case deny

      /// Another name of ``noAction``, which Apple's framework does not have.
      public static var none: DeleteRule { .noAction }
    }

    /// An option of `@Relationship`.
    public struct Option: Hashable, Codable, Sendable {
      private let name: String

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

    private let state: Mutex<State>

    /// Describes a property that `@Relationship` annotates; its name and type come from the declaration.
    /// - Parameters:
    ///   - options: How the relationship is stored.
    ///   - deleteRule: What happens to the related models when the model is deleted.
    ///   - minimumModelCount: How many related models there must be when the model is saved; 0 or nil: any number.
    ///   - maximumModelCount: How many there may be; 0 or nil: any number.
    ///   - originalName: The name in stores made before it was renamed.
    ///   - inverse: The property at the other end.
    ///   - hashModifier: Tells a version of the property from another where nothing else does.
    public init(
      _ options: Option...,
      deleteRule: DeleteRule = .nullify,
      minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0,
      originalName: String? = nil,
      inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      state = Mutex(
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

    /// The same with short names for the counts, which Apple's framework does not have.
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

    /// The same with a short name for the greatest count, which Apple's framework does not have.
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

    /// The relationship of a property, with what the declaration and the engine know of it.
    package init(_ property: __Property, inverse: __Property?) {
      let source = property.relationship!.snapshot
      state = Mutex(
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

    /// The name in stores made before the property was renamed; the same as `name` where it was not.
    public var originalName: String {
      get { snapshot.originalName ?? snapshot.name }
      set { update { $0.originalName = newValue } }
    }

    /// The key path of the property; nil where the schema was read from a file.
    public var keypath: AnyKeyPath? {
      get { snapshot.keypath }
      set { update { $0.keypath = newValue } }
    }

    /// How the relationship is stored.
    public var options: [Option] {
      get { snapshot.options }
      set { update { $0.options = newValue } }
    }

    /// The type as declared; `Any` where the schema was read from a file.
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

    /// What happens to the related models when the model is deleted.
    public var deleteRule: DeleteRule {
      get { state.withLock { $0.deleteRule } }
      set { update { $0.deleteRule = newValue } }
    }

    /// The name of the property at the other end; nil where there is none.
    public var inverseName: String? {
      get { snapshot.inverseName }
      set { update { $0.inverseName = newValue } }
    }

    /// The key path of the property at the other end.
    public var inverseKeyPath: AnyKeyPath? {
      get { snapshot.inverseKeyPath }
      set { update { $0.inverseKeyPath = newValue } }
    }

    /// How many related models there must be when the model is saved; 0 or nil: any number.
    public var minimumModelCount: Int? {
      get { state.withLock { $0.minimum } }
      set { update { $0.minimum = newValue } }
    }

    /// How many related models there may be when the model is saved; 0 or nil: any number.
    public var maximumModelCount: Int? {
      get { state.withLock { $0.maximum } }
      set { update { $0.maximum = newValue } }
    }

    /// Tells a version of the property from another where nothing else does.
    public var hashModifier: String? {
      get { snapshot.hashModifier }
      set { update { $0.hashModifier = newValue } }
    }

    public var isRelationship: Bool { true }
    public var isOptional: Bool { snapshot.isOptional }
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether there is one related model rather than many.
    public var isToOneRelationship: Bool { snapshot.isToOne }

    /// The name that the property had before, where it was renamed.
    package var formerName: String? { snapshot.originalName }
    package var valueTypeName: String { snapshot.valueType.name }

    public static func == (left: Relationship, right: Relationship) -> Bool {
      left === right || left.coded == right.coded
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(destination)
    }

    /// The declaration in short: `tags: [Tag], inverse trips, nullify`.
    public var debugDescription: String {
      let state = snapshot
      let inverse = state.inverseName.map { ", inverse \($0)" } ?? ""
      return "\(state.name): \(state.valueType.name)\(inverse), \(state.deleteRule)"
    }

    // MARK: - Coding

    /// Everything but the key paths, which mean nothing outside the process: the names stand for them.
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

    public init(from decoder: any Decoder) throws {
      let coded = try Coded(from: decoder)
      state = Mutex(
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

    public func encode(to encoder: any Encoder) throws { try coded.encode(to: encoder) }
  }
}
