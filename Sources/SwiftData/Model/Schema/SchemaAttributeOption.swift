#if canImport(ObjectiveC)
  public import Foundation
#endif

extension Schema.Attribute {
  /// An option of `@Attribute`.
  ///
  /// (Apple's documentation, `Schema.Attribute.Option`.)
  public struct Option: Hashable, Codable, Sendable, CustomDebugStringConvertible {
    private let kind: Kind

    private enum Kind: Hashable, Codable {
      case unique
      case externalStorage
      case allowsCloudEncryption
      case preserveValueOnDeletion
      case ephemeral
      case spotlight
      case codable
      case indexed
      case originalName(String)
      case transformable(String)
    }

    private init(_ kind: Kind) { self.kind = kind }

    /// Values are unique. Inserting a model with an existing value updates the stored model.
    public static var unique: Option { Option(.unique) }

    /// Stores large values in files next to the store.
    public static var externalStorage: Option { Option(.externalStorage) }

    /// Encrypts the value in the store if the configuration has a key (``ModelConfiguration/encryptionKey``).
    /// Errors and logs never show it. (Apple's encrypts it in CloudKit.)
    public static var allowsCloudEncryption: Option { Option(.allowsCloudEncryption) }

    /// Keeps the value in the history as part of a tombstone when the model is deleted.
    public static var preserveValueOnDeletion: Option { Option(.preserveValueOnDeletion) }

    /// Tracks changes of the property but does not store it.
    public static var ephemeral: Option { Option(.ephemeral) }

    /// Maintains a full-text index for ``ModelContext/search(_:matching:limit:)``. It affects `String` properties only.
    /// (Apple's framework offers the value to Spotlight.)
    public static var spotlight: Option { Option(.spotlight) }

    /// Stores the value in its `Codable` form even if its type has a simpler one.
    public static var codable: Option { Option(.codable) }

    /// Stores the value as bytes of the value transformer registered under a name.
    public static func transformable(by transformerName: String) -> Option { Option(.transformable(transformerName)) }

    /// Stores the value as bytes of a value transformer.
    ///
    /// The transformer is registered under its class name if that name is free.
    public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
      Option(.transformable(ValueTransformer.registeredName(of: transformerType)))
    }

    // MARK: - Beyond Apple's

    /// Maintains an index on the property. Articles about SwiftData use this option. Apple's compiler refuses it: write `#Index`.
    public static var indexed: Option { Option(.indexed) }

    /// A synonym of ``ephemeral``, which articles about SwiftData use. Apple's compiler refuses it: write `@Transient` or `.ephemeral`.
    public static var transient: Option { Option(.ephemeral) }

    /// The former name of the property. Articles about SwiftData use this option. Apple's compiler refuses it: write
    /// `@Attribute(originalName:)`.
    public static func originalName(_ name: String) -> Option { Option(.originalName(name)) }

    // MARK: - For the engine

    package var formerName: String? { if case .originalName(let name) = kind { name } else { nil } }
    package var transformerName: String? { if case .transformable(let name) = kind { name } else { nil } }

    /// The option as text, different from the text of every other option.
    var code: String {
      switch kind {
      case .unique: "unique"
      case .externalStorage: "external"
      case .allowsCloudEncryption: "encrypted"
      case .preserveValueOnDeletion: "preserved"
      case .ephemeral: "ephemeral"
      case .spotlight: "spotlight"
      case .codable: "codable"
      case .indexed: "indexed"
      case .originalName(let name): "was \(name)"
      case .transformable(let name): "by \(name)"
      }
    }

    /// The option as written in source.
    public var debugDescription: String {
      switch kind {
      case .originalName(let name): ".originalName(\"\(name)\")"
      case .transformable(let name): ".transformable(by: \"\(name)\")"
      default: ".\(kind)"
      }
    }
  }
}
