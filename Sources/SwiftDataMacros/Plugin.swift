import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plugin: what the declarations in the library's Macros.swift name.
@main
struct SwiftDataMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self,
    PersistedPropertyMacro.self,
    AttributeMacro.self,
    RelationshipMacro.self,
    TransientMacro.self,
    UniqueMacro.self,
    IndexMacro.self,
    ModelActorMacro.self,
    PredicateMacro.self,
    ModelExpressionMacro.self,
  ]
}
