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

    /// No two models have the same value; inserting a second one updates the first.
    public static var unique: Option { Option(.unique) }

    /// Keeps large values in files beside the store.
    public static var externalStorage: Option { Option(.externalStorage) }

    /// Encrypts the value in the store's file, where the configuration has a key
    /// (``ModelConfiguration/encryptionKey``); errors and logs never show it. (Apple's encrypts it in CloudKit.)
    public static var allowsCloudEncryption: Option { Option(.allowsCloudEncryption) }

    /// Keeps the value in the history when the model is deleted.
    public static var preserveValueOnDeletion: Option { Option(.preserveValueOnDeletion) }

    /// Tracks changes of the property but does not store it.
    public static var ephemeral: Option { Option(.ephemeral) }

    /// Keeps a full-text index over the text, for ``ModelContext/search(_:_:limit:)``. (Apple's framework offers the value
    /// to Spotlight.) Without effect on other types than `String`.
    public static var spotlight: Option { Option(.spotlight) }

    /// Stores the value in its `Codable` form, also where its type has a simpler one.
    public static var codable: Option { Option(.codable) }

    /// Stores what the value transformer registered under a name makes of the value.
    public static func transformable(by transformerName: String) -> Option { Option(.transformable(transformerName)) }

    /// Stores what a value transformer of a type makes of the value.
    ///
    /// The type is registered under its class name, unless one is registered under it already.
    public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
      Option(.transformable(ValueTransformer.registeredName(of: transformerType)))
    }

    // MARK: - Beyond Apple's

    /// Keeps an index over the property. Apple's framework spells this `#Index`.
    public static var indexed: Option { Option(.indexed) }

    /// The same as ``ephemeral``.
    public static var transient: Option { Option(.ephemeral) }

    /// The same as `@Attribute(originalName:)`.
    public static func originalName(_ name: String) -> Option { Option(.originalName(name)) }

    // MARK: - For the engine

    package var formerName: String? { if case .originalName(let name) = kind { name } else { nil } }
    package var transformerName: String? { if case .transformable(let name) = kind { name } else { nil } }

    /// The option as it is written in source.
    public var debugDescription: String {
      switch kind {
      case .originalName(let name): ".originalName(\"\(name)\")"
      case .transformable(let name): ".transformable(by: \"\(name)\")"
      default: ".\(kind)"
      }
    }
  }
}
