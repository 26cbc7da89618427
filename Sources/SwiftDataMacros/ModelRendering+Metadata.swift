import SwiftSyntax

// Renders `schemaMetadata`: one entry per property in index order, then constraints and indices.

extension ModelDeclaration {
  func metadataEntries() -> [String] {
    let properties = properties.map { property in
      entry(
        name: property.name,
        keyPath: "\\\(name).\(property.reference)",
        defaultValue: property.metadataDefault,
        metadata: property.metadata
      )
    }
    return properties
      + constraints(uniqueConstraints, name: "__unique", type: "Unique")
      + constraints(indices, name: "__index", type: "Index")
  }

  private func entry(name: String, keyPath: String, defaultValue: String, metadata: String) -> String {
    """
    SwiftData.Schema.PropertyMetadata(
      name: "\(name)", keypath: \(keyPath), defaultValue: \(defaultValue),
      metadata: \(metadata))
    """
  }

  private func constraints(_ lists: [LabeledExprListSyntax], name: String, type: String) -> [String] {
    lists.enumerated().compactMap { position, list in
      // A constraint over inherited properties alone still needs a key path of the class.
      guard let first = list.firstKeyPath else { return nil }
      let keyPath = first.hasPrefix("\\.") ? "\\\(self.name)\(first.dropFirst(1))" : first
      let metadata = "SwiftData.Schema.\(type)<\(self.name)>(\(list.trimmedDescription))"
      return entry(name: "\(name)\(position)", keyPath: keyPath, defaultValue: "nil", metadata: metadata)
    }
  }
}

extension PersistedProperty {
  /// The initial value with the type context that an implicit member or an empty literal needs.
  fileprivate var metadataDefault: String {
    guard relationship == nil, let initialValue else { return "nil" }
    guard let type = writtenType?.storedDescription else { return "(\(initialValue.trimmedDescription))" }
    return "(\(initialValue.trimmedDescription)) as \(type)"
  }

  fileprivate var metadata: String {
    if let attribute, !attribute.labeledArguments.isEmpty {
      return "SwiftData.Schema.Attribute(\(attribute.argumentText))"
    }
    if attribute != nil { return "SwiftData.Schema.Attribute()" }
    guard let relationship else { return "nil" }
    return "SwiftData.Schema.Relationship(\(RelationshipArguments(relationship).text))"
  }
}

/// The arguments of `@Relationship` as `Schema.Relationship` takes them.
private struct RelationshipArguments {
  let text: String

  private static let order = [
    "deleteRule", "minimumModelCount", "maximumModelCount", "originalName", "inverse", "hashModifier",
  ]
  private static let synonyms = ["minimum": "minimumModelCount", "maximum": "maximumModelCount"]

  init(_ attribute: AttributeSyntax) {
    let arguments = attribute.labeledArguments
    let options = arguments.filter { $0.label == nil }.map { $0.expression.trimmedDescription }
    let labeled = arguments.compactMap { argument -> (label: String, value: String)? in
      guard let label = argument.label?.text else { return nil }
      return (Self.synonyms[label] ?? label, argument.expression.trimmedDescription)
    }
    let sorted = Self.order.flatMap { label in labeled.filter { $0.label == label } }
    text = (options + sorted.map { "\($0.label): \($0.value)" }).joined(separator: ", ")
  }
}

extension AttributeSyntax {
  fileprivate var argumentText: String {
    labeledArguments.map { argument in
      (argument.label.map { "\($0.text): " } ?? "") + argument.expression.trimmedDescription
    }.joined(separator: ", ")
  }
}

extension LabeledExprListSyntax {
  /// The first key path in a list of `[\.a, \.b]` or `.binary([\.a])`.
  fileprivate var firstKeyPath: String? {
    for argument in self {
      let list =
        argument.expression.as(FunctionCallExprSyntax.self)?.arguments.first?.expression ?? argument.expression
      if let first = list.as(ArrayExprSyntax.self)?.elements.first { return first.expression.trimmedDescription }
    }
    return nil
  }
}
