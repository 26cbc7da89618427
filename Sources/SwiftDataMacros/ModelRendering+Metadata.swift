import SwiftSyntax

// Renders `schemaMetadata`: one entry per property in index order, then constraints and indices.

extension ModelDeclaration {
  /// The value of `schemaMetadata`.
  func metadata() -> String {
    // A key path to an isolated property can only be made in isolated code, so not later.
    let isLazy = globalActor == nil && !hasMembersNamedLikeTypes
    let entries =
      properties.map { entry(of: $0, isLazy: isLazy) }
      + constraints(uniqueConstraints, name: "__unique", type: "Unique")
      + constraints(indices, name: "__index", type: "Index")
    return entries.isEmpty ? "[]" : "[\n\(entries.joined(separator: ",\n").indented)\n]"
  }

  /// - Parameter isLazy: whether the key path may be made when it is first needed, and the type be named.
  private func entry(of property: PersistedProperty, isLazy: Bool) -> String {
    let (value, metadata) = (property.metadataDefault, property.metadata)
    let keyPath = "\\\(name).\(property.reference)"
    // Only the key path knows a type that is not written.
    guard isLazy, let type = property.type.map({ "(\($0)).self" }) else {
      let rest = [value.map { "defaultValue: \($0)" }, metadata.map { "metadata: \($0)" }].compactMap(\.self)
      return propertyMetadata(property.name, keyPath, rest)
    }
    // Without arguments for what is rare, because each default argument costs the type checker.
    if !property.isSlot, !property.isLet, value == nil, metadata == nil {
      return "SwiftData.__property(\"\(property.name)\", \(type), \(keyPath))"
    }
    let kind = property.isSlot ? "SwiftData.__kind(\(type))" : "nil"
    return """
      SwiftData.__describedProperty(
        "\(property.name)", \(type), \(keyPath), \(kind), \(property.isLet), \(value ?? "nil"),
        \(metadata ?? "nil"))
      """
  }

  private func propertyMetadata(_ name: String, _ keyPath: String, _ rest: [String]) -> String {
    let arguments = ["name: \"\(name)\"", "keypath: \(keyPath)"] + rest
    return "SwiftData.Schema.PropertyMetadata(\n  \(arguments.joined(separator: ", ")))"
  }

  private func constraints(_ lists: [LabeledExprListSyntax], name: String, type: String) -> [String] {
    lists.enumerated().compactMap { position, list in
      // A constraint over inherited properties alone still needs a key path of the class.
      guard let first = list.firstKeyPath else { return nil }
      let keyPath = first.hasPrefix("\\.") ? "\\\(self.name)\(first.dropFirst(1))" : first
      let metadata = "metadata: SwiftData.Schema.\(type)<\(self.name)>(\(list.trimmedDescription))"
      return propertyMetadata("\(name)\(position)", keyPath, [metadata])
    }
  }
}

extension PersistedProperty {
  /// The initial value with the type context that an implicit member or an empty literal needs.
  fileprivate var metadataDefault: String? {
    guard relationship == nil, let initialValue else { return nil }
    guard let type = writtenType?.storedDescription else { return "(\(initialValue.trimmedDescription))" }
    return "(\(initialValue.trimmedDescription)) as \(type)"
  }

  fileprivate var metadata: String? {
    if let attribute, !attribute.labeledArguments.isEmpty {
      return "SwiftData.Schema.Attribute(\(attribute.argumentText))"
    }
    if attribute != nil { return "SwiftData.Schema.Attribute()" }
    guard let relationship else { return nil }
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
