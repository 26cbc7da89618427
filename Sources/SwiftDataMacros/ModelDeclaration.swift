import SwiftDiagnostics
import SwiftIfConfig
import SwiftSyntax

/// A class with `@Model`, parsed from its source.
struct ModelDeclaration {
  enum Role { case root, subclass }

  let syntax: ClassDeclSyntax
  let role: Role
  /// The name as written.
  let name: String
  /// The persisted properties of the class itself. An element's position is its index after the inherited properties.
  let properties: [PersistedProperty]
  /// Transient properties that need a value when a row is decoded.
  let placeholders: [(reference: String, type: String)]
  /// The argument lists of `#Unique` and `#Index`.
  let uniqueConstraints: [LabeledExprListSyntax]
  let indices: [LabeledExprListSyntax]
  /// Whether init accessors use `_$backingData`, as those for the expansion of Apple's macro do.
  let hasLateProperties: Bool
  private let members: [DeclSyntax]
  private let propertyProblems: [Diagnostic]

  /// - Parameter configuration: selects the active branches of `#if`.
  init(_ syntax: ClassDeclSyntax, role: Role, configuration: (any BuildConfiguration)?) {
    self.syntax = syntax
    self.role = role
    self.name = syntax.name.text
    let members = ActiveMembers(syntax.memberBlock.members, configuration)
    self.members = members.declarations
    let parsed = self.members.compactMap { $0.as(VariableDeclSyntax.self) }
      .flatMap(\.singleConstants).map(PersistedProperty.parse)
    let late = self.members.reduce(into: Set<String>()) { $0.formUnion($1.storageInitializedLate) }
    self.hasLateProperties = !late.isEmpty
    self.properties = parsed.compactMap(\.persisted).map { property in
      late.contains(property.storageName) ? property.initializedLate(in: syntax.name.text) : property
    }
    self.placeholders = parsed.compactMap(\.placeholder)
    self.propertyProblems = members.problems + parsed.flatMap(\.problems)
    let macros = self.members.compactMap { $0.as(MacroExpansionDeclSyntax.self) }
    self.uniqueConstraints = macros.filter { $0.macroName.text == "Unique" }.map(\.arguments)
    self.indices = macros.filter { $0.macroName.text == "Index" }.map(\.arguments)
  }

  var isSubclass: Bool { role == .subclass }

  /// The first type in the inheritance clause. For a subclass it is the superclass.
  var superclass: TypeSyntax? { syntax.inheritanceClause?.inheritedTypes.first?.type.trimmed }

  /// Whether the class may have a superclass. If not, its property indices start at 0.
  var mayInherit: Bool { superclass != nil }

  var isFinal: Bool { syntax.hasModifier(.final) }

  /// The access level of witnesses with a trailing space, or an empty string for the default level.
  var access: String {
    if syntax.hasModifier(.public) || syntax.hasModifier(.open) { return "public " }
    return syntax.hasModifier(.package) ? "package " : ""
  }

  /// The access level of members that subclasses override, also in other modules.
  var overridableAccess: String { syntax.hasModifier(.open) ? "open " : access }

  /// The attribute that isolates the class: `@MainActor`, or an attribute whose name ends like a global actor's.
  var globalActor: AttributeSyntax? {
    guard !syntax.hasModifier(.nonisolated) else { return nil }
    return syntax.attributes.compactMap { $0.as(AttributeSyntax.self) }.first {
      $0.arguments == nil && $0.baseName.hasSuffix("Actor") && $0.baseName != "ModelActor"
    }
  }

  /// Whether the class is isolated to a global actor and declares the `id` of `Identifiable`.
  var declaresIsolatedID: Bool {
    globalActor != nil
      && members.contains { member in
        // A constant of a Sendable type is readable from any isolation.
        guard let variable = member.as(VariableDeclSyntax.self), variable.bindingSpecifier.tokenKind == .keyword(.var),
          !variable.modifiers.contains(where: { ["static", "class", "nonisolated"].contains($0.name.text) })
        else { return false }
        return variable.bindings.contains { $0.pattern.trimmedDescription == "id" }
      }
  }

  /// Whether a property or function is named like a type. In an expression of the class, it would hide a type of that name.
  var hasMembersNamedLikeTypes: Bool {
    members.contains { member in
      let names =
        member.as(VariableDeclSyntax.self)?.bindings.map { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier }
        ?? [member.as(FunctionDeclSyntax.self)?.name]
      return names.contains { $0?.identifier?.name.first?.isUppercase == true }
    }
  }

  var hasDesignatedInitializer: Bool {
    members.contains { member in
      guard let initializer = member.as(InitializerDeclSyntax.self) else { return false }
      return !initializer.modifiers.contains { $0.name.tokenKind == .keyword(.convenience) }
    }
  }

  /// Properties that an initializer must set.
  var propertiesWithoutDefault: [PersistedProperty] { properties.filter { !$0.hasDefault } }

  /// All problems of the class, in source order.
  var problems: [Diagnostic] {
    var problems = propertyProblems
    if !hasDesignatedInitializer {
      if !propertiesWithoutDefault.isEmpty, propertyProblems.isEmpty {
        problems.append(Diagnostics.initializerRequired(self))
      } else if isSubclass {
        problems.append(Diagnostics.inheritsNoInitializer(self))
      }
    }
    return problems
  }
}

/// The members of a type including those in active branches of `#if`.
struct ActiveMembers {
  private(set) var declarations: [DeclSyntax] = []
  private(set) var problems: [Diagnostic] = []

  init(_ members: MemberBlockItemListSyntax, _ configuration: (any BuildConfiguration)?) {
    add(members, configuration)
  }

  private mutating func add(_ members: MemberBlockItemListSyntax, _ configuration: (any BuildConfiguration)?) {
    for member in members {
      guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else {
        declarations.append(member.decl)
        continue
      }
      guard let configuration else {
        // Compilers before 6.2 do not pass the build configuration to macros.
        problems.append(Diagnostics.unknownConfiguration(conditional))
        continue
      }
      if case .decls(let members)? = conditional.activeClause(in: configuration).clause?.elements {
        add(members, configuration)
      }
    }
  }
}

extension DeclSyntax {
  /// The stored properties that an init accessor of the declaration initializes while it accesses `_$backingData`.
  fileprivate var storageInitializedLate: [String] {
    guard let variable = self.as(VariableDeclSyntax.self),
      case .accessors(let accessors)? = variable.bindings.first?.accessorBlock?.accessors
    else { return [] }
    return accessors.flatMap { accessor -> [String] in
      guard accessor.accessorSpecifier.tokenKind == .keyword(.`init`),
        let attribute = accessor.attributes.named("storageRestrictions").first
      else { return [] }
      var names = ["initializes": [String](), "accesses": []]
      var label = ""
      for argument in attribute.labeledArguments {
        label = argument.label?.text ?? label
        names[label, default: []].append(argument.expression.trimmedDescription)
      }
      return names["accesses"]!.contains("_$backingData") ? names["initializes"]! : []
    }
  }
}
