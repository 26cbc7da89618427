/// The rules for schemas that sync with CloudKit. (Apple's documentation, "Syncing model data across a person's
/// devices".)
package enum CloudKitRules {
  /// Checks a schema.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer``. Its message names every property that breaks a rule.
  package static func check(_ schema: Schema) throws {
    var required: [String] = []
    var relationships: [String] = []
    var unique: [String] = []
    for entity in schema.entities {
      for property in entity.storedProperties {
        let name = "\(entity.name).\(property.name)"
        if let attribute = property as? Schema.Attribute {
          if !attribute.isTransient && !attribute.isOptional && attribute.defaultValue == nil { required.append(name) }
        } else if property is Schema.Relationship, !property.isOptional {
          relationships.append(name)
        }
      }
      unique += entity.uniquenessConstraints.map { "\(entity.name).\($0.joined(separator: "+"))" }
    }
    let broken = [
      ("make these optional or give them a default value", required),
      ("make these relationships optional", relationships),
      ("remove the uniqueness of these", unique),
    ].filter { !$0.1.isEmpty }.map { "\($0): \($1.joined(separator: ", "))" }
    if !broken.isEmpty {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the models break CloudKit's rules; \(broken.joined(separator: "; ")). To sync with your own server,"
          + " which has no such rules, call SyncRemote.register(_:) before creating the container"
      )
    }
  }
}
