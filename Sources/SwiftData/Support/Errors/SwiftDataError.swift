public import Foundation

/// An error with its code, its place and a remedy.
///
/// Errors are equal, and match in a `catch`, if their codes are equal: `catch SwiftDataError.unsupportedPredicate`
/// catches every error about a predicate. Only ``debugDescription`` includes the SQL of a failed statement. (Apple's
/// documentation, `SwiftDataError`; additional codes are marked.)
public struct SwiftDataError: Error, Hashable, Sendable {
  /// The kind of error.
  public let code: Code
  /// The entity that the error concerns.
  public let entity: String?
  /// The property that the error concerns.
  public let property: String?
  /// The problem and the remedy, as a sentence without a full stop.
  public let message: String?
  /// The cause.
  public let underlyingError: (any Error)?
  /// The failed statement. It may contain names of tables and columns, but no values.
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

  /// The same error for an entity's property.
  package func of(_ entity: String, _ property: String) -> SwiftDataError {
    SwiftDataError(
      code, entity: entity, property: property, message: message, sql: sql, underlying: underlyingError)
  }

  /// Compares the codes.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.code == right.code }
  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// Whether an error has the same code, as in `catch SwiftDataError.unsupportedPredicate`.
  public static func ~= (left: SwiftDataError, right: any Error) -> Bool {
    (right as? SwiftDataError)?.code == left.code
  }
}

// MARK: - Codes

extension SwiftDataError {
  /// The kind of an error. Later versions may add codes.
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
  /// A fetch in batches requested unsaved changes.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// The store cannot compute a part of a predicate.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// A key path is not a persisted property.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// A fetch of identifiers requested an order that includes unsaved changes.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// The store cannot compute a sort descriptor.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  /// The history after a token was deleted.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// A history request is invalid.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
  /// Two configurations of one container have the same name or file.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// The name of a configuration is too long for a file name.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// The name of a configuration has characters that file names cannot have.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters
  )
  /// A configuration lists a model that its container does not have.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema
  )
  /// A container could not be created.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// A model violates a rule of its declaration.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// The operation needs a context.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// The migration would lead to an older version.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// The schema is unknown to the operation.
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  /// The migration plan does not contain the store's schema.
  public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)
}

// MARK: - Values of our own

extension SwiftDataError {
  /// A stored value does not fit its property. (Not Apple's.)
  public static let unreadableValue = SwiftDataError(.unreadableValue)
  /// The value of a property cannot be stored. (Not Apple's.)
  public static let unwritableValue = SwiftDataError(.unwritableValue)
  /// Two models have the same value of a unique property. (Not Apple's.)
  public static let uniquenessViolation = SwiftDataError(.uniquenessViolation)
  /// A deny rule prevents the deletion of a model. (Not Apple's.)
  public static let deleteDenied = SwiftDataError(.deleteDenied)
  /// Models of two contexts were related. (Not Apple's.)
  public static let relationshipAcrossContexts = SwiftDataError(.relationshipAcrossContexts)
  /// The key of encrypted values is missing or wrong. (Not Apple's.)
  public static let encryptionKey = SwiftDataError(.encryptionKey)
  /// The store file is not a database. (Not Apple's.)
  public static let notADatabase = SwiftDataError(.notADatabase)
  /// Another process, or another operation of this process, uses the store. (Not Apple's.)
  public static let storeLocked = SwiftDataError(.storeLocked)
  /// The store is read-only. (Not Apple's.)
  public static let storeReadOnly = SwiftDataError(.storeReadOnly)
  /// A newer version of the app wrote the store. (Not Apple's.)
  public static let newerSchema = SwiftDataError(.newerSchema)
  /// The disk is full. (Not Apple's.)
  public static let storeFull = SwiftDataError(.storeFull)
  /// The store file is damaged. (Not Apple's.)
  public static let storeDamaged = SwiftDataError(.storeDamaged)
  /// The object belongs to no context. (Not Apple's.)
  public static let objectWithoutContext = SwiftDataError(.objectWithoutContext)
  /// The container of the object no longer exists. (Not Apple's.)
  public static let missingContainer = SwiftDataError(.missingContainer)
  /// The operation needs a stored property. (Not Apple's.)
  public static let transientProperty = SwiftDataError(.transientProperty)
  /// Another context or process deleted an object with unsaved changes. (Not Apple's.)
  public static let staleObject = SwiftDataError(.staleObject)
  /// The store does not support the operation. (Not Apple's.)
  public static let unsupportedFeature = SwiftDataError(.unsupportedFeature)
  /// Reading or writing a file failed. (Not Apple's.)
  public static let io = SwiftDataError(.io)
}

// MARK: - Text

extension SwiftDataError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
  /// The entity and property, the problem, and the remedy.
  public var description: String {
    let place = entity.map { entity in property.map { "\(entity).\($0)" } ?? entity } ?? property
    // A message has its own remedy, so the summary and the advice of the code are for errors without one.
    let text = message ?? code.summary
    let sentence = place.map { "\($0): \(text)" } ?? text.prefix(1).uppercased() + text.dropFirst()
    let advice = message == nil ? code.advice.map { " " + $0 } : nil
    return sentence + (sentence.hasSuffix(".") ? "" : ".") + (advice ?? "")
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

  /// The description of this case.
  public var failureReason: String? { message }

  /// The remedy, if the code determines it.
  public var recoverySuggestion: String? { code.advice }
}

extension SwiftDataError.Code {
  /// A clause that is true for every error with the code.
  fileprivate var summary: String {
    switch base {
    case .includePendingChangesWithBatchSize: "a fetch in batches cannot include unsaved changes"
    case .unsupportedPredicate: "the store cannot compute the predicate"
    case .unsupportedKeyPath: "the key path is not a persisted property"
    case .sortingPendingChangesWithIdentifiers: "a fetch of identifiers cannot sort unsaved changes"
    case .unsupportedSortDescriptor: "the store cannot compute the order"
    case .historyTokenExpired: "history after the token was deleted"
    case .invalidTransactionFetchRequest: "the history request is invalid"
    case .duplicateConfiguration: "two configurations have the same name or file"
    case .configurationFileNameTooLong: "the name is too long for a file"
    case .configurationFileNameContainsInvalidCharacters: "the name has characters that a file name cannot have"
    case .configurationSchemaNotFoundInContainerSchema: "the configuration has a model that its container lacks"
    case .loadIssueModelContainer: "the container could not be created"
    case .modelValidationFailure: "the model violates a rule of its declaration"
    case .missingModelContext: "there is no ModelContext"
    case .backwardMigration: "the migration leads to an older version"
    case .unknownSchema: "the schema cannot be used"
    case .unknownDataStoreSchema: "the schema of the store is unknown"
    case .unreadableValue: "the stored value cannot be read"
    case .unwritableValue: "the value cannot be stored"
    case .uniquenessViolation: "the value is not unique"
    case .deleteDenied: "the model cannot be deleted"
    case .relationshipAcrossContexts: "models of two contexts cannot be related"
    case .encryptionKey: "the key of encrypted values is missing"
    case .notADatabase: "the file is not a database"
    case .storeLocked: "another process or operation uses the store"
    case .storeReadOnly: "the store is read-only"
    case .newerSchema: "a newer version of the app wrote the store"
    case .storeFull: "the disk is full"
    case .storeDamaged: "the store file is damaged"
    case .objectWithoutContext: "the object belongs to no context"
    case .missingContainer: "the container of the object no longer exists"
    case .transientProperty: "the property is not stored"
    case .staleObject: "another context or process deleted the object"
    case .unsupportedFeature: "the store does not support the operation"
    case .io: "reading or writing failed"
    }
  }

  fileprivate var advice: String? {
    switch base {
    case .includePendingChangesWithBatchSize, .sortingPendingChangesWithIdentifiers:
      "Save first, or set includePendingChanges to false."
    case .configurationFileNameTooLong, .configurationFileNameContainsInvalidCharacters: "Choose another name."
    case .storeLocked: "Close the other process, or try again later."
    case .notADatabase, .storeDamaged: "The file was not changed. Restore a copy, or move it away to start empty."
    case .newerSchema: "Update the app. The file was not changed."
    case .storeFull: "Free some space, then save again."
    case .missingContainer: "Keep the container alive while its models are used."
    case .objectWithoutContext, .missingModelContext: "Insert the model into a context first."
    case .relationshipAcrossContexts: "Fetch one of the two by its persistentModelID in the context of the other."
    case .transientProperty: "Use a stored property, or filter the fetched models."
    case .staleObject: "Call rollback(), or insert a new object and delete this one."
    case .historyTokenExpired: "Fetch the models again and start with a new token."
    default: nil
    }
  }
}
