/// One version of an app's schema. (Apple's documentation, `VersionedSchema`.)
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version.
  static var models: [any PersistentModel.Type] { get }

  /// The version number.
  static var versionIdentifier: Schema.Version { get }
}
