import SwiftData

/// The models as they are now.
///
/// Against ``SortedSchemaV4``: ``MessageVectorEntity`` is new. For ``SharedInbox`` a message knows whose stores have it
/// (`deliveredTo`), an attachment its file (`contents`), and ``SyncStateEntity`` the server and what it counted.
public enum SortedSchemaV5: VersionedSchema {
  /// 5.0.0
  public static let versionIdentifier = Schema.Version(5, 0, 0)
  /// The models of the app.
  public static var models: [any PersistentModel.Type] { SortedSchemaV4.models + [MessageVectorEntity.self] }
}
