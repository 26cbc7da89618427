/// One version of an app's schema: its models and the version that they make up.
///
/// (Apple's documentation, `VersionedSchema`.)
public protocol VersionedSchema: SendableMetatype {
  /// The models that belong to this version.
  static var models: [any PersistentModel.Type] { get }

  /// The version that the models make up.
  static var versionIdentifier: Schema.Version { get }
}
