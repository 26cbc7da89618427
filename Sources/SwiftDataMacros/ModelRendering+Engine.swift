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
        "func __reload(_ index: Swift.Int, from row: SwiftData.__RowReader) throws",
        inherited: "try super.__reload(index, from: row)",
        neutral: "break"
      ) { index, property in
        property.isLet ? nil : "\(property.storageName) = \(property.read(at: runtimeIndex(index)))"
      },
      member(
        "func __encode(_ index: Swift.Int, to writer: SwiftData.__ColumnWriter) throws",
        inherited: "try super.__encode(index, to: writer)",
        neutral: "break"
      ) { _, property in property.write },
      member(
        "func __value(at index: Swift.Int) -> Any",
        inherited: "return super.__value(at: index)",
        neutral: "return Swift.Optional<Any>.none as Any"
      ) { _, property in property.value },
      member(
        "func __setValue(_ value: Any, at index: Swift.Int)",
        inherited: "super.__setValue(value, at: index)",
        neutral: "break"
      ) { _, property in property.isLet ? nil : property.assignment },
      member(
        "func __relationship(_ index: Swift.Int, _ operation: SwiftData.__RelationshipOperation)\n"
          + "  -> SwiftData.__RelationshipContent",
        inherited: "return super.__relationship(index, operation)",
        neutral: "return .none"
      ) { _, property in property.isSlot ? "return \(property.storageName).__perform(operation, self, index)" : nil },
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

  fileprivate var write: String {
    switch coding {
    case .column: "try writer.write(\(storageName))"
    case .transformable: "try writer.writeTransformable(\(storageName))"
    case .codable: "try writer.writeCodable(\(storageName))"
    }
  }

  fileprivate var assignment: String {
    "SwiftData.\(isSlot ? "__assignSlot" : "__assign")(&\(storageName), value)"
  }

  /// The expression of a property's value. A fault has no value and stands for itself.
  fileprivate var value: String {
    isSlot ? "return \(storageName).__engineValue" : "return \(storageName) as Any"
  }
}
