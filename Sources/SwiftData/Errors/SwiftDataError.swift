public import Foundation

/// What went wrong, where, and what to do about it.
///
/// Errors are equal, and match in a `catch`, when their codes are: `catch SwiftDataError.unsupportedPredicate` takes
/// every error about a predicate, whatever it says. The SQL of a statement that failed is part of
/// ``debugDescription`` only. (Apple's documentation, `SwiftDataError`; the codes that it does not have are marked.)
public struct SwiftDataError: Error, Hashable, Sendable {
  /// What kind of error it is.
  public let code: Code
  /// The entity that it is about.
  public let entity: String?
  /// The property that it is about.
  public let property: String?
  /// What happened in this case.
  public let message: String?
  /// The error that caused it.
  public let underlyingError: (any Error)?
  /// The statement that failed. It may hold names of tables and columns, never values.
  package let sql: String?

  /// Makes an error.
  package init(
    _ code: Code,
    entity: String? = nil,
    property: String? = nil,
    message: String? = nil,
    sql: String? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.entity = entity
    self.property = property
    self.message = message
    self.sql = sql
    self.underlyingError = underlying
  }

  /// The same error, said of an entity's property.
  package func of(_ entity: String, _ property: String) -> SwiftDataError {
    SwiftDataError(
      code, entity: entity, property: property, message: message, sql: sql, underlying: underlyingError)
  }

  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// Whether an error has the same code: what `catch SwiftDataError.unsupportedPredicate` asks.
  public static func ~= (left: SwiftDataError, right: any Error) -> Bool {
    (right as? SwiftDataError)?.code == left.code
  }
}

// MARK: - Codes

extension SwiftDataError {
  /// The kind of an error. More may come.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Base: String {
      case includePendingChangesWithBatchSize, unsupportedPredicate, unsupportedKeyPath
      case sortingPendingChangesWithIdentifiers, unsupportedSortDescriptor, historyTokenExpired
      case invalidTransactionFetchRequest
      case duplicateConfiguration, configurationFileNameTooLong, configurationFileNameContainsInvalidCharacters
      case configurationSchemaNotFoundInContainerSchema, loadIssueModelContainer, modelValidationFailure
      case missingModelContext, backwardMigration, unknownSchema, unknownDataStoreSchema
      case unreadableValue, unwritableValue, uniquenessViolation, deleteDenied, relationshipAcrossContexts
      case encryptionKey
      case notADatabase, storeLocked, storeReadOnly, newerSchema, storeFull, storeDamaged, objectWithoutContext
      case missingContainer, transientProperty, staleObject, unsupportedFeature, io
    }

    fileprivate let base: Base

    /// The name of the code.
    public var description: String { base.rawValue }

    package static let includePendingChangesWithBatchSize = Code(base: .includePendingChangesWithBatchSize)
    package static let unsupportedPredicate = Code(base: .unsupportedPredicate)
    package static let unsupportedKeyPath = Code(base: .unsupportedKeyPath)
    package static let sortingPendingChangesWithIdentifiers = Code(base: .sortingPendingChangesWithIdentifiers)
    package static let unsupportedSortDescriptor = Code(base: .unsupportedSortDescriptor)
    package static let historyTokenExpired = Code(base: .historyTokenExpired)
    package static let invalidTransactionFetchRequest = Code(base: .invalidTransactionFetchRequest)
    package static let duplicateConfiguration = Code(base: .duplicateConfiguration)
    package static let configurationFileNameTooLong = Code(base: .configurationFileNameTooLong)
    package static let configurationFileNameContainsInvalidCharacters = Code(
      base: .configurationFileNameContainsInvalidCharacters
    )
    package static let configurationSchemaNotFoundInContainerSchema = Code(
      base: .configurationSchemaNotFoundInContainerSchema
    )
    package static let loadIssueModelContainer = Code(base: .loadIssueModelContainer)
    package static let modelValidationFailure = Code(base: .modelValidationFailure)
    package static let missingModelContext = Code(base: .missingModelContext)
    package static let backwardMigration = Code(base: .backwardMigration)
    package static let unknownSchema = Code(base: .unknownSchema)
    package static let unknownDataStoreSchema = Code(base: .unknownDataStoreSchema)
    package static let unreadableValue = Code(base: .unreadableValue)
    package static let unwritableValue = Code(base: .unwritableValue)
    package static let uniquenessViolation = Code(base: .uniquenessViolation)
    package static let deleteDenied = Code(base: .deleteDenied)
    package static let relationshipAcrossContexts = Code(base: .relationshipAcrossContexts)
    package static let encryptionKey = Code(base: .encryptionKey)
    package static let notADatabase = Code(base: .notADatabase)
    package static let storeLocked = Code(base: .storeLocked)
    package static let storeReadOnly = Code(base: .storeReadOnly)
    package static let newerSchema = Code(base: .newerSchema)
    package static let storeFull = Code(base: .storeFull)
    package static let storeDamaged = Code(base: .storeDamaged)
    package static let objectWithoutContext = Code(base: .objectWithoutContext)
    package static let missingContainer = Code(base: .missingContainer)
    package static let transientProperty = Code(base: .transientProperty)
    package static let staleObject = Code(base: .staleObject)
    package static let unsupportedFeature = Code(base: .unsupportedFeature)
    package static let io = Code(base: .io)
  }
}

// MARK: - Apple's values

extension SwiftDataError {
  /// A fetch in batches asked for unsaved changes too.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// A predicate has a part that the store cannot compute.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// A key path is no persisted property.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// A fetch of identifiers asked for an order that takes unsaved changes into account.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// A sort descriptor orders by something that the store cannot compute.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  /// A history token is older than the history that the store still has.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// A request for history makes no sense.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
  /// Two configurations of one container have the same name or file.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// The name of a configuration is too long for a file name.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// The name of a configuration has characters that a file name cannot have.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters
  )
  /// A configuration has a model that its container does not have.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema
  )
  /// A container could not be made.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// A model breaks a rule of its declaration.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// Something needs a context and has none.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// A migration would lead to an older version.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// A schema is not one that the operation knows.
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  /// The schema of a store is none that the migration plan knows.
  public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)
}

// MARK: - Values of our own

extension SwiftDataError {
  /// A stored value does not fit its property. (Not Apple's.)
  public static let unreadableValue = SwiftDataError(.unreadableValue)
  /// The value of a property cannot be stored. (Not Apple's.)
  public static let unwritableValue = SwiftDataError(.unwritableValue)
  /// Two models have the same value for something unique. (Not Apple's.)
  public static let uniquenessViolation = SwiftDataError(.uniquenessViolation)
  /// A model cannot be deleted while others are related to it. (Not Apple's.)
  public static let deleteDenied = SwiftDataError(.deleteDenied)
  /// Models of two contexts were related. (Not Apple's.)
  public static let relationshipAcrossContexts = SwiftDataError(.relationshipAcrossContexts)
  /// The key of encrypted values is missing, or none. (Not Apple's.)
  public static let encryptionKey = SwiftDataError(.encryptionKey)
  /// The file of a store is no database. (Not Apple's.)
  public static let notADatabase = SwiftDataError(.notADatabase)
  /// Another process keeps the store locked. (Not Apple's.)
  public static let storeLocked = SwiftDataError(.storeLocked)
  /// The store can be read only. (Not Apple's.)
  public static let storeReadOnly = SwiftDataError(.storeReadOnly)
  /// A newer version of the app wrote the store. (Not Apple's.)
  public static let newerSchema = SwiftDataError(.newerSchema)
  /// There is no room left for the store. (Not Apple's.)
  public static let storeFull = SwiftDataError(.storeFull)
  /// The file of a store is damaged. (Not Apple's.)
  public static let storeDamaged = SwiftDataError(.storeDamaged)
  /// An object was used that belongs to no context. (Not Apple's.)
  public static let objectWithoutContext = SwiftDataError(.objectWithoutContext)
  /// An object was used whose container is gone. (Not Apple's.)
  public static let missingContainer = SwiftDataError(.missingContainer)
  /// A property that is not stored was asked of the store. (Not Apple's.)
  public static let transientProperty = SwiftDataError(.transientProperty)
  /// An object with unsaved changes was deleted elsewhere. (Not Apple's.)
  public static let staleObject = SwiftDataError(.staleObject)
  /// The store that keeps the models does not offer it. (Not Apple's.)
  public static let unsupportedFeature = SwiftDataError(.unsupportedFeature)
  /// Reading or writing a file failed. (Not Apple's.)
  public static let io = SwiftDataError(.io)
}

// MARK: - Text

extension SwiftDataError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
  /// The entity and property, what happened, and what to do.
  public var description: String {
    let place = entity.map { entity in property.map { "\(entity).\($0)" } ?? entity } ?? property
    let parts = [code.summary, message].compactMap(\.self)
    return (place.map { "\($0): " } ?? "") + parts.joined(separator: ": ") + "."
  }

  /// ``description``, the code, the statement and the underlying error.
  public var debugDescription: String {
    var lines = ["SwiftDataError.\(code): \(description)"]
    if let sql { lines.append("SQL: \(sql)") }
    if let underlyingError { lines.append("Underlying error: \(String(reflecting: underlyingError))") }
    return lines.joined(separator: "\n")
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// What happened in this case.
  public var failureReason: String? { message }

  /// What helps in most cases, where the code alone says it.
  public var recoverySuggestion: String? { code.advice }
}

extension SwiftDataError.Code {
  /// One clause that is true of every error with the code.
  fileprivate var summary: String {
    switch base {
    case .includePendingChangesWithBatchSize: "a fetch in batches cannot include unsaved changes"
    case .unsupportedPredicate: "the predicate cannot be computed by the store"
    case .unsupportedKeyPath: "the key path is no persisted property"
    case .sortingPendingChangesWithIdentifiers: "a fetch of identifiers cannot sort unsaved changes"
    case .unsupportedSortDescriptor: "the order cannot be computed by the store"
    case .historyTokenExpired: "the history before the token was deleted"
    case .invalidTransactionFetchRequest: "the request for history is not valid"
    case .duplicateConfiguration: "two configurations have the same name or file"
    case .configurationFileNameTooLong: "the name is too long for a file"
    case .configurationFileNameContainsInvalidCharacters: "the name has characters that a file name cannot have"
    case .configurationSchemaNotFoundInContainerSchema: "the configuration has a model that its container lacks"
    case .loadIssueModelContainer: "the container could not be made"
    case .modelValidationFailure: "the model breaks a rule of its declaration"
    case .missingModelContext: "there is no context"
    case .backwardMigration: "the migration leads to an older version"
    case .unknownSchema: "the schema cannot be used"
    case .unknownDataStoreSchema: "the schema of the store is unknown"
    case .unreadableValue: "the stored value cannot be read"
    case .unwritableValue: "the value cannot be stored"
    case .uniquenessViolation: "the value is not unique"
    case .deleteDenied: "the model cannot be deleted"
    case .relationshipAcrossContexts: "models of two contexts cannot be related"
    case .encryptionKey: "the key of encrypted values is not there"
    case .notADatabase: "the file is no database"
    case .storeLocked: "the store is locked by another process"
    case .storeReadOnly: "the store is read-only"
    case .newerSchema: "a newer version of the app wrote the store"
    case .storeFull: "there is no room left for the store"
    case .storeDamaged: "the file of the store is damaged"
    case .objectWithoutContext: "the object belongs to no context"
    case .missingContainer: "the container of the object is gone"
    case .transientProperty: "the property is not stored"
    case .staleObject: "the object was deleted elsewhere"
    case .unsupportedFeature: "the store does not offer it"
    case .io: "reading or writing failed"
    }
  }

  fileprivate var advice: String? {
    switch base {
    case .includePendingChangesWithBatchSize, .sortingPendingChangesWithIdentifiers:
      "Save first, or set includePendingChanges to false."
    case .configurationFileNameTooLong, .configurationFileNameContainsInvalidCharacters: "Choose another name."
    case .storeLocked: "Close the other process, or try again."
    case .notADatabase, .storeDamaged: "The file was not touched; restore a copy, or move it away to start anew."
    case .newerSchema: "Update the app; the file was not touched."
    case .storeFull: "Make room, then save again."
    case .missingContainer: "Keep the container alive as long as its models are used."
    case .objectWithoutContext, .missingModelContext: "Insert the model into a context first."
    case .relationshipAcrossContexts: "Fetch one of the two by its persistentModelID in the context of the other."
    case .transientProperty: "Use a stored property, or filter the fetched models."
    case .staleObject: "Call rollback(), or insert a new object."
    case .historyTokenExpired: "Read the models anew and start with a fresh token."
    default: nil
    }
  }
}
