public import Foundation

/// The location, the models and the options of a store. (Apple's documentation, `ModelConfiguration`.)
public struct ModelConfiguration: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
  /// The file of the store, or `/dev/null` for a store in memory.
  public let url: URL
  /// The name of the configuration, which is also the default file name.
  public let name: String
  /// The models in the store, or nil for all models of the container.
  public var schema: Schema?
  /// Whether the store is writable.
  public let allowsSave: Bool
  /// Whether the store is in memory and ends with its container.
  public let isStoredInMemoryOnly: Bool
  /// The location that several programs share.
  public let groupContainer: GroupContainer
  /// The CloudKit database that the store syncs with.
  public let cloudKitDatabase: CloudKitDatabase
  /// The effect of saving a model whose unique value is taken. (Not Apple's.)
  public var uniquenessPolicy = UniquenessPolicy.upsert
  /// Whether an acknowledged save also survives a power cut. (Not Apple's.)
  public var durability = Durability.normal
  /// The time that an operation waits for another process's lock on the store. (Not Apple's.)
  public var lockTimeout = Duration.seconds(5)
  /// The time that a fetch or a save waits for a connection that other fetches and saves of this program use. Then it throws
  /// ``SwiftDataError/storeLocked``. (Not Apple's.)
  public var connectionTimeout = Duration.seconds(120)
  /// Whether the program stops when it uses a context from two threads at once, or the main context off the main actor,
  /// as Apple's does with `-com.apple.CoreData.ConcurrencyDebug 1`. Otherwise a debug build logs each place once, and
  /// the second thread waits. (Not Apple's.)
  public var trapsOnConcurrencyMisuse = false
  /// Has no effect, because the history is always enabled. For code that sets it. (Not Apple's.)
  public var isHistoryEnabled = true
  /// The time that the history keeps a transaction, or nil for no limit. Older transactions are deleted when
  /// the store opens and after every thousand saves. (Not Apple's.)
  public var historyRetention: Duration?

  /// The key that encrypts attributes with the option `.allowsCloudEncryption` in the store file. With nil, the
  /// default, they are stored unencrypted. Opening an existing store encrypts or decrypts it. (Not Apple's.)
  public var encryptionKey: ModelConfiguration.EncryptionKey?
  /// Former values of ``encryptionKey``, which decrypt older values. ``ModelContainer/reencrypt()`` makes them
  /// unnecessary. (Not Apple's.)
  public var previousEncryptionKeys: [ModelConfiguration.EncryptionKey] = []

  /// Called on the opening thread every 50,000 rows while a migration rewrites rows. (Not Apple's.)
  public var migrationProgress: (@Sendable (ModelConfiguration.MigrationProgress) -> Void)? {
    get { progress.call }
    set { progress.call = newValue }
  }
  private var progress = ProgressHandler()

  /// Equal for all configurations.
  private struct ProgressHandler: Hashable, Sendable {
    var call: (@Sendable (ModelConfiguration.MigrationProgress) -> Void)?
    static func == (left: Self, right: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// Whether the file is named after the configuration.
  let namesFile: Bool
  /// The name of a configuration that is given none.
  static let defaultName = "default"

  /// The effect of saving a model whose unique value another stored model has.
  public enum UniquenessPolicy: Hashable, Sendable {
    /// Updates the stored model, whose identity the inserted model takes over. Apple's framework does this.
    case upsert
    /// Throws ``SwiftDataError/uniquenessViolation`` and saves nothing.
    case reject
  }

  /// The events that an acknowledged save survives.
  ///
  /// With either value, the store is never damaged and never has half a save, and an acknowledged save survives a crash
  /// or kill of the program. They differ if the machine stops by a power cut or a kernel crash.
  public enum Durability: Hashable, Sendable {
    /// The newest saves may be lost if the machine stops, each completely. Saves that write or remove files of
    /// `.externalStorage` attributes, and all saves before them, are not lost. SQLite's `synchronous=NORMAL`.
    case normal
    /// An acknowledged save survives a machine stop. Each save waits for the disk once. SQLite's `synchronous=FULL`.
    case full

    var pragma: String {
      switch self {
      case .normal: "NORMAL"
      case .full: "FULL"
      }
    }
  }

  // MARK: - Making

  /// Makes a configuration with the default name.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Makes a configuration for some models and the models that they reach.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: forTypes.isEmpty ? nil : Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Makes a configuration whose file is in the program's data directory.
  ///
  /// - Parameters:
  ///   - name: the name. The file is `NAME.store`, or `default.store` without a name.
  ///   - schema: the models in the store, or nil for all models of the container.
  ///   - isStoredInMemoryOnly: whether the store is in memory and ends with its container.
  ///   - allowsSave: whether the store is writable.
  ///   - groupContainer: the location that several programs share.
  ///   - cloudKitDatabase: the database to sync with. `automatic` is the server that the program registered first, or none.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? Self.defaultName
    self.schema = schema
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    self.namesFile = true
    self.url =
      isStoredInMemoryOnly
      ? URL(fileURLWithPath: "/dev/null")
      : DefaultLocation.directory(of: groupContainer).appendingPathComponent(self.name + ".store")
  }

  /// Makes a configuration with a custom file.
  ///
  /// - Parameters:
  ///   - name: the name. The default is the file name without its extension.
  ///   - schema: the models in the store, or nil for all models of the container.
  ///   - url: the file.
  ///   - allowsSave: whether the store is writable.
  ///   - cloudKitDatabase: the database to sync with. `automatic` is the server that the program registered first, or none.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.isStoredInMemoryOnly = false
    self.allowsSave = allowsSave
    self.groupContainer = .none
    self.namesFile = false
    self.cloudKitDatabase = cloudKitDatabase
    self.url = url
  }

  /// Makes a configuration with a flag for the history. The flag has no effect: the history is always enabled. Some articles about SwiftData
  /// use it. Apple's compiler refuses it.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic,
    isHistoryEnabled: Bool
  ) {
    self.init(
      name,
      schema: schema,
      isStoredInMemoryOnly: isStoredInMemoryOnly,
      allowsSave: allowsSave,
      groupContainer: groupContainer,
      cloudKitDatabase: cloudKitDatabase
    )
    self.isHistoryEnabled = isHistoryEnabled
  }

  /// Makes a configuration with a flag for the history. The flag has no effect: the history is always enabled. Some articles about SwiftData
  /// use it. Apple's compiler refuses it.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic,
    isHistoryEnabled: Bool
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave, cloudKitDatabase: cloudKitDatabase)
    self.isHistoryEnabled = isHistoryEnabled
  }

  /// Makes a configuration with another parameter order, which some articles about SwiftData use. Apple's compiler refuses it.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    cloudKitDatabase: CloudKitDatabase,
    allowsSave: Bool,
    isHistoryEnabled: Bool
  ) {
    self.init(
      name,
      schema: schema,
      allowsSave: allowsSave,
      cloudKitDatabase: cloudKitDatabase,
      isHistoryEnabled: isHistoryEnabled
    )
  }

  // MARK: - Details

  /// The name of the configuration.
  public var id: String { name }

  /// The identifier of the group container, or nil.
  public var groupAppContainerIdentifier: String? { groupContainer.identifier }

  /// The identifier of the CloudKit container, or nil.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.identifier }

  /// The name, the location and the options that differ from the defaults.
  public var debugDescription: String {
    var parts = ["\(name): \(isStoredInMemoryOnly ? "in memory" : url.path)"]
    if !allowsSave { parts.append("read-only") }
    if let identifier = cloudKitContainerIdentifier { parts.append("CloudKit \(identifier)") }
    if uniquenessPolicy == .reject { parts.append("throws on collisions") }
    return "ModelConfiguration(" + parts.joined(separator: ", ") + ")"
  }
}

extension ModelConfiguration {
  /// The CloudKit database that a store is meant to sync with.
  ///
  /// Where `SyncRemote.register` of SwiftDataSync named a server for the database, the store syncs with that server.
  /// Otherwise a database that is named makes the models obey CloudKit's rules, and nothing syncs.
  public struct CloudKitDatabase: Hashable, Sendable {
    private enum Kind: Hashable { case automatic, none, named(String) }
    private let kind: Kind

    /// The server that the program registered first, or none. (Apple's is the app's first entitled container.)
    public static let automatic = CloudKitDatabase(kind: .automatic)
    /// No database.
    public static let none = CloudKitDatabase(kind: .none)

    /// The private database of a container.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(kind: .named(privateDBName))
    }

    fileprivate var identifier: String? { if case .named(let name) = kind { name } else { nil } }
    package var isNamed: Bool { identifier != nil }
    /// Whether it is the first database that there is.
    package var isAutomatic: Bool { kind == .automatic }
  }

  /// The location that several programs share.
  public struct GroupContainer: Hashable, Sendable {
    private enum Kind: Hashable { case automatic, none, identifier(String) }
    private let kind: Kind

    /// The app's first entitled group, or none without entitlements.
    public static let automatic = GroupContainer(kind: .automatic)
    /// No group: the store belongs to one program.
    public static let none = GroupContainer(kind: .none)

    /// The group with an identifier. Programs with the same identifier share stores.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(kind: .identifier(groupName))
    }

    fileprivate var identifier: String? { if case .identifier(let name) = kind { name } else { nil } }
  }
}

/// The default directory of stores.
private enum DefaultLocation {
  /// `$XDG_DATA_HOME` or `~/.local/share` (Application Support on Apple's platforms), with a subdirectory for the
  /// program or the group.
  static func directory(of group: ModelConfiguration.GroupContainer) -> URL {
    let folder = group.identifier ?? ProcessInfo.processInfo.processName
    return dataHome.appendingPathComponent(folder, isDirectory: true)
  }

  private static var dataHome: URL {
    // The XDG specification says to ignore a relative path.
    if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    #if os(Linux)
      return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share", isDirectory: true)
    #else
      return FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
    #endif
  }
}

extension ModelConfiguration {
  /// Whether the store is a file that is only read.
  var isFileOnlyRead: Bool { !allowsSave && !isStoredInMemoryOnly }
}
