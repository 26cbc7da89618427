import Foundation

extension ModelConfiguration {
  /// Checks the name and the location. With a CloudKit database, also checks the models by CloudKit's rules.
  /// - Throws: ``SwiftDataError/configurationFileNameTooLong``,
  ///   ``SwiftDataError/configurationFileNameContainsInvalidCharacters``, or ``SwiftDataError/loadIssueModelContainer``
  ///   with all violations of CloudKit's rules.
  public func validate() throws {
    if !isStoredInMemoryOnly {
      guard url.isFileURL else {
        throw SwiftDataError(
          .loadIssueModelContainer,
          message: "the configuration \"\(name)\" has the URL \(url), which is not a file; use URL(fileURLWithPath:)"
        )
      }
      // A slash in the name would otherwise become part of the path.
      try Self.validate(fileName: namesFile ? name + ".store" : url.lastPathComponent, isNamed: namesFile)
    }
    if let schema { try validate(models: schema) }
  }

  /// Checks the models by the rules of the service that syncs the store, or by CloudKit's if the configuration names a
  /// database and nothing syncs it.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` with all violations.
  package func validate(models schema: Schema) throws {
    if let sync = ContainerSync.current.withLock({ $0 }), sync.syncs(self) {
      try sync.check(schema, self)
    } else if cloudKitDatabase.isNamed {
      try CloudKitRules.check(schema)
    }
  }

  private static func validate(fileName: String, isNamed: Bool) throws {
    let invalid = fileName.unicodeScalars.contains { $0 == "/" || $0.properties.generalCategory == .control }
    if invalid || ["", ".", "..", "/"].contains(fileName) || isNamed && fileName == ".store" {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters,
        message: "\"\(fileName)\" cannot be the file of a store; leave out slashes and control characters, and name it"
      )
    }
    // File systems allow 255 bytes. SQLite's journals add up to eight.
    let limit = 255 - "-journal".utf8.count
    if fileName.utf8.count > limit {
      throw SwiftDataError(
        .configurationFileNameTooLong,
        message: "\"\(fileName.prefix(40))…\" has \(fileName.utf8.count) bytes; a store's file name may have \(limit)"
      )
    }
  }
}
