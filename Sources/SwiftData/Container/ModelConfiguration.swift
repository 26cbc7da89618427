public import Foundation

/// Where the models of a container are kept, which models, and how.
///
/// (Apple's documentation, `ModelConfiguration`.)
public struct ModelConfiguration: Identifiable, Hashable, Sendable, DataStoreConfiguration, CustomDebugStringConvertible
{
  /// The store that is opened with it.
  public typealias Store = DefaultStore

  /// The file of the store; `/dev/null` for a store in memory.
  public let url: URL
  /// The name of the configuration; the file is named after it.
  public let name: String
  /// The models that the store keeps; nil is all of the container.
  public var schema: Schema?
  /// Whether models can be saved.
  public let allowsSave: Bool
  /// Whether the store is gone with its container.
  public let isStoredInMemoryOnly: Bool
  /// Where several programs share stores.
  public let groupContainer: GroupContainer
  /// The CloudKit database that the store is meant to sync with.
  public let cloudKitDatabase: CloudKitDatabase
  /// What a save does with a model whose unique value is taken. (Not Apple's.)
  public var uniquenessViolations = UniquenessPolicy.update
  /// What a save that returned survives. (Not Apple's.)
  public var durability = Durability.normal
  /// How long, in seconds, an operation waits for another process that has the store locked. (Not Apple's.)
  public var lockTimeout: Double = 5
  /// Whether a program stops where it uses a context of the container from two threads at a time, or the main context away
  /// from the main actor, as `-com.apple.CoreData.ConcurrencyDebug 1` makes Apple's. Otherwise a debug build logs each
  /// place once, and one thread waits for the other. (Not Apple's.)
  public var trapsOnConcurrencyMisuse = false
  /// Whether saves are kept in the history. They always are; it is accepted for code that says so. (Not Apple's.)
  public var isHistoryEnabled = true
  /// How long, in seconds, the history keeps a transaction; nil keeps all. Older ones are forgotten when the store is
  /// opened and, in a store that stays open, every thousand saves. (Not Apple's.)
  public var historyRetention: Double?

  /// Encrypts attributes with the option `.allowsCloudEncryption` in the store's file; nil, the default, keeps them as
  /// they are. A store that is there already is encrypted, or decrypted, when it is opened. (Not Apple's.)
  public var encryptionKey: ModelConfiguration.EncryptionKey?
  /// Keys that were ``encryptionKey`` once: they read what they wrote. ``ModelContainer/reencrypt()`` makes them
  /// unnecessary. (Not Apple's.)
  public var formerEncryptionKeys: [ModelConfiguration.EncryptionKey] = []

  /// Called on the opening thread while a migration writes rows anew, every 50,000 rows. (Not Apple's.)
  public var migrationProgress: (@Sendable (ModelConfiguration.MigrationProgress) -> Void)? {
    get { progress.call }
    set { progress.call = newValue }
  }
  private var progress = ProgressHandler()

  /// Makes no difference between configurations.
  private struct ProgressHandler: Hashable, Sendable {
    var call: (@Sendable (ModelConfiguration.MigrationProgress) -> Void)?
    static func == (left: Self, right: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// Whether the file is named after the configuration.
  private let namesFile: Bool

  /// What a save does with a model whose unique value another model in the store has.
  public enum UniquenessPolicy: Hashable, Sendable {
    /// It updates the stored model, and the inserted one takes over its identity, as Apple's framework does.
    case update
    /// It throws ``SwiftDataError/uniquenessViolation`` and saves nothing.
    case throwError
  }

  /// What a save that returned survives.
  ///
  /// With either, the store is never damaged and never has half a save, whatever stops, and a save that returned is
  /// there after the program crashed or was killed. They differ in what happens when the machine stops: the power is
  /// cut, or the kernel crashes.
  public enum Durability: Hashable, Sendable {
    /// The last saves may be gone when the machine stops, each of them whole, the newest first; those that write or
    /// remove files of `.externalStorage` attributes, and all before them, are not. SQLite's `synchronous=NORMAL`.
    case normal
    /// Every save that returned is there when the machine comes back. It costs a wait for the disk in each save.
    /// SQLite's `synchronous=FULL`.
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

  /// Makes a configuration for some models and those that they lead to.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: forTypes.isEmpty ? nil : Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Makes a configuration whose file is in the directory for the data of programs.
  ///
  /// - Parameters:
  ///   - name: The name; the file is `NAME.store`, or `default.store` without one.
  ///   - schema: The models that the store keeps; nil is all of the container.
  ///   - isStoredInMemoryOnly: Whether the store is gone with its container.
  ///   - allowsSave: Whether models can be saved.
  ///   - groupContainer: Where several programs share stores.
  ///   - cloudKitDatabase: The database to sync with. `automatic` is none where there is no CloudKit.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? "default"
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

  /// Makes a configuration whose file is at a place of one's own.
  ///
  /// - Parameters:
  ///   - name: The name; without one, the name of the file without its extension.
  ///   - schema: The models that the store keeps; nil is all of the container.
  ///   - url: The file.
  ///   - allowsSave: Whether models can be saved.
  ///   - cloudKitDatabase: The database to sync with. `automatic` is none where there is no CloudKit.
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

  /// The same with a word about the history, which Apple's framework does not have.
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

  /// The same with a word about the history, which Apple's framework does not have.
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

  /// The same in the order of the seeds, which Apple's framework does not have.
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

  /// The identifier of the group container; nil where there is none.
  public var groupAppContainerIdentifier: String? { groupContainer.identifier }

  /// The identifier of the CloudKit container; nil where none is named.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.identifier }

  /// The name, the place and what differs from the default.
  public var debugDescription: String {
    var parts = ["\(name): \(isStoredInMemoryOnly ? "in memory" : url.path)"]
    if !allowsSave { parts.append("read-only") }
    if let identifier = cloudKitContainerIdentifier { parts.append("CloudKit \(identifier)") }
    if uniquenessViolations == .throwError { parts.append("throws on collisions") }
    return "ModelConfiguration(" + parts.joined(separator: ", ") + ")"
  }

  /// Checks the name and the place, and the models by CloudKit's rules where a database is named.
  /// - Throws: ``SwiftDataError/configurationFileNameTooLong``,
  ///   ``SwiftDataError/configurationFileNameContainsInvalidCharacters``, or
  ///   ``SwiftDataError/loadIssueModelContainer`` with all that breaks CloudKit's rules.
  public func validate() throws {
    if !isStoredInMemoryOnly {
      guard url.isFileURL else {
        throw SwiftDataError(
          .loadIssueModelContainer,
          message: "the configuration \"\(name)\" has the URL \(url), which is no file; use URL(fileURLWithPath:)"
        )
      }
      // A slash in the name would have ended up in the path rather than in the file's name.
      try Self.validate(fileName: namesFile ? name + ".store" : url.lastPathComponent, isNamed: namesFile)
    }
    if let schema { try validate(models: schema) }
  }

  /// Checks the models that the store will keep by CloudKit's rules, where a database is named.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` with all that breaks them.
  package func validate(models schema: Schema) throws {
    if cloudKitDatabase.isNamed { try CloudKitRules.check(schema) }
  }

  private static func validate(fileName: String, isNamed: Bool) throws {
    let invalid = fileName.unicodeScalars.contains { $0 == "/" || $0.properties.generalCategory == .control }
    if invalid || ["", ".", "..", "/"].contains(fileName) || isNamed && fileName == ".store" {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters,
        message: "\"\(fileName)\" cannot be the file of a store; leave out slashes and control characters, and name it"
      )
    }
    // File systems allow 255 bytes; SQLite adds up to eight for its journals.
    let limit = 255 - "-journal".utf8.count
    if fileName.utf8.count > limit {
      throw SwiftDataError(
        .configurationFileNameTooLong,
        message: "\"\(fileName.prefix(40))…\" has \(fileName.utf8.count) bytes; a store's file name may have \(limit)"
      )
    }
  }
}

extension ModelConfiguration {
  /// The CloudKit database that a store is meant to sync with.
  ///
  /// A database that is named makes the models obey CloudKit's rules; syncing itself is still to come.
  public struct CloudKitDatabase: Hashable, Sendable {
    private enum Kind: Hashable { case automatic, none, named(String) }
    private let kind: Kind

    /// The database of the first container that the app is entitled to; none where there is no CloudKit.
    public static let automatic = CloudKitDatabase(kind: .automatic)
    /// No database.
    public static let none = CloudKitDatabase(kind: .none)

    /// The private database of a container.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(kind: .named(privateDBName))
    }

    fileprivate var identifier: String? { if case .named(let name) = kind { name } else { nil } }
    package var isNamed: Bool { identifier != nil }
  }

  /// Where several programs share stores.
  public struct GroupContainer: Hashable, Sendable {
    private enum Kind: Hashable { case automatic, none, identifier(String) }
    private let kind: Kind

    /// The first group that the app is entitled to; none where there are no entitlements.
    public static let automatic = GroupContainer(kind: .automatic)
    /// No group: the store belongs to the program.
    public static let none = GroupContainer(kind: .none)

    /// The group of an identifier: programs that name the same one find the same stores.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(kind: .identifier(groupName))
    }

    fileprivate var identifier: String? { if case .identifier(let name) = kind { name } else { nil } }
  }
}

/// Where stores are that name no place of their own.
private enum DefaultLocation {
  /// `$XDG_DATA_HOME` or `~/.local/share`, Application Support on Apple's systems, and in it a directory of the
  /// program or the group.
  static func directory(of group: ModelConfiguration.GroupContainer) -> URL {
    let folder = group.identifier ?? ProcessInfo.processInfo.processName
    return dataHome.appendingPathComponent(folder, isDirectory: true)
  }

  private static var dataHome: URL {
    // The specification of XDG says to ignore a relative path.
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
