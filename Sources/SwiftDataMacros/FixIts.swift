import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The fix-its that diagnostics offer.
enum FixIts {
  private static func fix(_ id: String, _ message: String, _ changes: FixIt.Change...) -> FixIt {
    FixIt(message: Message(id: id, message: message), changes: changes)
  }

  // MARK: - Types

  static func makeFinalClass(_ declaration: some DeclGroupSyntax) -> [FixIt] {
    guard let structure = declaration.as(StructDeclSyntax.self) else { return [] }
    let keyword = structure.structKeyword
    return [
      fix(
        "makeFinalClass",
        "replace 'struct' with 'final class'",
        .replace(
          oldNode: Syntax(keyword),
          newNode: Syntax(TokenSyntax.identifier("final class").withTrivia(of: keyword))
        )
      )
    ]
  }

  static func makeActor(_ declaration: some DeclGroupSyntax) -> [FixIt] {
    let keyword: TokenSyntax
    if let type = declaration.as(ClassDeclSyntax.self), !type.hasModifier(.final), !type.hasModifier(.open) {
      keyword = type.classKeyword
    } else if let type = declaration.as(StructDeclSyntax.self) {
      keyword = type.structKeyword
    } else {
      return []
    }
    return [
      fix(
        "makeActor",
        "replace '\(keyword.text)' with 'actor'",
        .replace(oldNode: Syntax(keyword), newNode: Syntax(TokenSyntax.keyword(.actor).withTrivia(of: keyword)))
      )
    ]
  }

  /// Adds an initializer that takes every property in order.
  static func addInitializer(_ model: ModelDeclaration) -> [FixIt] {
    let properties = model.properties.filter { $0.writtenType != nil }
    let parameters = properties.map { property in
      let value = property.initialValue?.trimmedDescription ?? (property.hasDefault ? "nil" : nil)
      return "\(property.reference): \(property.type ?? "")" + (value.map { " = \($0)" } ?? "")
    }
    var lines = properties.map { "    self.\($0.name) = \($0.reference)" }
    if model.isSubclass { lines.append("    super.init(<#arguments#>)") }
    let source: DeclSyntax = """


        \(raw: model.access)init(\(raw: parameters.joined(separator: ", "))) {
      \(raw: lines.joined(separator: "\n"))
        }
      """
    let members = model.syntax.memberBlock.members
    var member = MemberBlockItemSyntax(decl: source)
    member.leadingTrivia = .newlines(2) + .spaces(2)
    return [
      fix(
        "addInitializer",
        "add an initializer",
        .replace(
          oldNode: Syntax(members),
          newNode: Syntax(members + [member])
        )
      )
    ]
  }

  // MARK: - Properties

  /// Splits `var a: Int, b = 2` into `var a: Int` and `var b = 2`. `var a, b: Int` gives the type to both.
  static func splitBindings(_ variable: VariableDeclSyntax) -> [FixIt] {
    var type: TypeAnnotationSyntax?
    var declarations: [VariableDeclSyntax] = []
    for binding in variable.bindings.reversed() {
      if binding.typeAnnotation != nil || binding.initializer != nil { type = binding.typeAnnotation }
      var single = binding.with(\.trailingComma, nil)
      if single.typeAnnotation == nil, single.initializer == nil { single.typeAnnotation = type }
      single.leadingTrivia = []
      single.trailingTrivia = []
      declarations.insert(variable.with(\.bindings, [single]), at: 0)
    }
    let text = declarations.map(\.trimmedDescription).joined(separator: "\n" + variable.indentation)
    let replacement = DeclSyntax(stringLiteral: text).with(\.leadingTrivia, variable.leadingTrivia)
    return [
      fix(
        "splitBindings",
        "declare each property by itself",
        .replace(
          oldNode: Syntax(variable),
          newNode: Syntax(replacement)
        )
      )
    ]
  }

  static func addTransient(_ variable: VariableDeclSyntax) -> FixIt {
    let attribute = AttributeSyntax(stringLiteral: "@Transient ")
    var changed = variable
    changed.leadingTrivia = []
    changed.attributes.insert(.attribute(attribute), at: changed.attributes.startIndex)
    changed.leadingTrivia = variable.leadingTrivia
    return fix(
      "addTransient",
      "mark the property @Transient",
      .replace(
        oldNode: Syntax(variable),
        newNode: Syntax(changed)
      )
    )
  }

  static func makeVariable(_ variable: VariableDeclSyntax) -> FixIt {
    let keyword = variable.bindingSpecifier
    return fix(
      "makeVariable",
      "replace 'let' with 'var'",
      .replace(
        oldNode: Syntax(keyword),
        newNode: Syntax(TokenSyntax.keyword(.var).withTrivia(of: keyword))
      )
    )
  }

  static func addDefault(_ binding: PatternBindingSyntax) -> FixIt {
    var changed = binding
    changed.trailingTrivia = []
    changed.initializer = InitializerClauseSyntax(
      equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
      value: ExprSyntax(EditorPlaceholderExprSyntax(placeholder: .identifier("<#default#>")))
    )
    changed.trailingTrivia = binding.trailingTrivia
    return fix("addDefault", "add a default value", .replace(oldNode: Syntax(binding), newNode: Syntax(changed)))
  }

  /// Removes an attribute of a variable.
  static func removeAttribute(_ attribute: AttributeSyntax) -> [FixIt] {
    guard let variable = attribute.parent?.parent?.as(VariableDeclSyntax.self) else { return [] }
    var changed = variable.with(\.attributes, variable.attributes.filter { $0.id != attribute.id })
    changed.leadingTrivia = variable.leadingTrivia
    return [
      fix(
        "removeAttribute",
        "remove '@\(attribute.baseName)'",
        .replace(oldNode: Syntax(variable), newNode: Syntax(changed))
      )
    ]
  }
}

extension TokenSyntax {
  fileprivate func withTrivia(of other: TokenSyntax) -> TokenSyntax {
    with(\.leadingTrivia, other.leadingTrivia).with(\.trailingTrivia, other.trailingTrivia)
  }
}

extension SyntaxProtocol {
  /// The indentation of the node's line.
  fileprivate var indentation: String {
    let text = leadingTrivia.description
    return String(text[(text.lastIndex { $0.isNewline }.map { text.index(after: $0) } ?? text.startIndex)...])
  }
}
