import SwiftSyntax

// Renders the members that the engine calls to decode, encode and change an object by property index.

extension ModelDeclaration {
  // MARK: - Decoding

  func renderedDecoder() -> String {
    let assignments = properties.enumerated().map { index, property in
      "self.\(property.storageName) = \(property.read(at: runtimeIndex(index)))"
    }
    let placeholders = placeholders.map { "self.\($0.reference) = SwiftData.__placeholder(\($0.type).self)!" }
    let end = isSubclass ? ["try super.init(__row: row)"] : []
    let body = (assignments + placeholders + end).joined(separator: "\n")
    return """
      \(access)nonisolated required init(__row row: SwiftData.__RowReader) throws {
      \(body.indented)
      }
      """
  }

  private func runtimeIndex(_ index: Int) -> String { mayInherit ? "\(name).__offset + \(index)" : "\(index)" }

  // MARK: - Members with one case for each property

  func renderedEngine() -> [String] {
    [
      member(
        "func __access(_ index: Swift.Int, _ access: SwiftData.__PropertyAccess) throws",
        inherited: "try super.__access(index, access)",
        neutral: "break"
      ) { _, property in property.access },
      member(
        "func __relationship(_ index: Swift.Int, _ operation: SwiftData.__RelationshipOperation)\n"
          + "  -> SwiftData.__RelationshipContent",
        inherited: "return super.__relationship(index, operation)",
        neutral: "return .none"
      ) { _, property in
        guard property.isSlot else { return nil }
        return property.settled("return \(property.storageName).__perform(operation, self, index)")
      },
    ]
  }

  /// A function that switches over the class's own properties and delegates the others to the superclass.
  private func member(
    _ signature: String,
    inherited: String,
    neutral: String,
    _ body: (Int, PersistedProperty) -> String?
  ) -> String {
    let cases = properties.enumerated().compactMap { index, property in
      body(index, property).map { "case \(index):\n\($0.indented)" }
    }
    let otherwise = isSubclass ? inherited : neutral
    let subject = mayInherit ? "index - \(name).__offset" : "index"
    let statements =
      cases.isEmpty
      ? (otherwise == "break" ? "" : otherwise)
      : "switch \(subject) {\n\(cases.joined(separator: "\n"))\ndefault:\n\(otherwise.indented)\n}"
    return "\(memberPrefix)\(signature) {\n\(statements.indented)\n}"
  }
}

extension PersistedProperty {
  /// The expression that decodes the property from `row`.
  fileprivate func read(at index: String) -> String {
    switch (coding, type) {
    case (.transformable, let type?): "try row.transformable(\(index), as: \(type).self)"
    case (.codable, let type?): "try row.codable(\(index), as: \(type).self)"
    default:
      switch storage {
      case .inPlace(let type), .direct(let type): "try row.column(\(index), as: \(type).self)"
      case .slot: "try row.slot(\(index))"
      }
    }
  }

  /// A statement after the one that takes over an initial value.
  fileprivate func settled(_ statement: String) -> String { settling.map { "\($0)\n\(statement)" } ?? statement }

  /// The statement that passes the storage to an access.
  fileprivate var access: String {
    let function =
      switch coding {
      case .column: isSlot ? "slot" : "attribute"
      case .transformable: "transformable"
      case .codable: "codable"
      }
    guard isLet else { return settled("try access.\(function)(&\(storageName), index)") }
    // Through `self`, because a constant may be named `index` or `access`.
    return """
      if access.onlyReads {
        var __constant = self.\(storageName)
        try access.\(function)(&__constant, index)
      }
      """
  }
}
