import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in. The library's Macros.swift declares its macros.
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
    CompositeMacro.self,
    PredicateMacro.self,
    ModelExpressionMacro.self,
  ]
}
