import SwiftSyntax
import SwiftSyntaxBuilder

// Renders the members that `@Model` adds to a class. ModelRendering+Engine.swift renders those that the engine calls.

extension ModelDeclaration {
  func renderedMembers() -> [DeclSyntax] {
    var members: [String] = []
    if mayInherit { members.append(renderedOffset()) }
    if isSubclass {
      members.append(renderedSubclassBackingInitializer())
    } else {
      members.append(renderedState())
      members.append(renderedRootTypealias())
      members.append(renderedBackingData())
      if needsPlainInitializer { members.append("\(access)init() {}") }
    }
    if hasLateProperties {
      members.append(
        "@exclusivity(unchecked) private final var _$backingData = SwiftData.__InitialBackingData<\(name)>()")
    }
    members.append(renderedBackingInitializer())
    members.append(renderedDecoder())
    members += renderedMetadata()
    members += renderedEntity()
    members += renderedEngine()
    return members.map { DeclSyntax(unparsed: $0) }
  }

  // MARK: - Words that depend on the class

  /// `nonisolated(unsafe)` for storage of an isolated class. The engine's members are nonisolated and touch an object
  /// only where its context runs.
  var storageIsolation: String { globalActor == nil ? "" : "nonisolated(unsafe) " }

  /// The modifiers of an instance member that subclasses override.
  var memberPrefix: String {
    isSubclass ? "\(overridableAccess)nonisolated override " : "\(overridableAccess)nonisolated "
  }

  /// The modifiers of a type member that subclasses override.
  private var staticPrefix: String {
    if isSubclass { return "\(overridableAccess)nonisolated override class " }
    return isFinal ? "\(access)nonisolated static " : "\(overridableAccess)nonisolated class "
  }

  /// The deprecation attribute. A member that names a deprecated property is deprecated too, or the compiler warns. The
  /// engine calls it through the protocol, which is not deprecated.
  var deprecation: String {
    properties.contains { $0.declaration.isDeprecated } ? "@available(*, deprecated)\n" : ""
  }

  // MARK: - State and initialisers

  private var needsPlainInitializer: Bool { !hasDesignatedInitializer && propertiesWithoutDefault.isEmpty }

  private func renderedState() -> String {
    // Unchecked, because the engine accesses one field at a time on every property read.
    "@exclusivity(unchecked) \(storageIsolation)\(access)final var __state = SwiftData.__ModelState()"
  }

  /// The number of persisted properties of the superclass, which is the index of the class's first own property.
  private func renderedOffset() -> String {
    if isSubclass, let superclass {
      return "nonisolated private static let __offset = \(superclass).__entity.__propertyCount"
    }
    return "nonisolated private static var __offset: Swift.Int {\n  0\n}"
  }

  /// Subclasses override the root's initializer, whose parameter names the root.
  private func renderedRootTypealias() -> String { "\(access)typealias __RootModel = \(name)" }

  private func renderedBackingInitializer() -> String {
    let model = isSubclass ? "__RootModel" : name
    return """
      \(access)nonisolated required convenience init(backingData: any SwiftData.BackingData<\(model)>) {
        do {
          try self.init(__row: SwiftData.__backingReader(backingData, for: Self.__entity))
        } catch {
          SwiftData.__backingFailure(error)
        }
      }
      """
  }

  /// A subclass's own backing data.
  private func renderedSubclassBackingInitializer() -> String {
    """
    \(access)nonisolated convenience init(backingData: any SwiftData.BackingData<\(name)>) {
      do {
        try self.init(__row: SwiftData.__backingReader(backingData, for: Self.__entity))
      } catch {
        SwiftData.__backingFailure(error)
      }
    }
    """
  }

  private func renderedBackingData() -> String {
    """
    \(access)nonisolated final var persistentBackingData: any SwiftData.BackingData<\(name)> {
      get {
        SwiftData.__InlineBackingData(self)
      }
      set {
        SwiftData.__copy(newValue, into: self)
      }
    }
    """
  }

  // MARK: - Schema

  private func renderedMetadata() -> [String] {
    let type = "[SwiftData.Schema.PropertyMetadata]"
    let list = metadata()
    guard let globalActor else {
      return ["\(deprecation)\(staticPrefix)var schemaMetadata: \(type) {\n\(list.indented)\n}"]
    }
    // A key path to an isolated property can only be formed in isolated code, but carries no isolation.
    let crossing = """
      \(deprecation)\(staticPrefix)var schemaMetadata: \(type) {
        // Forming key paths and default values touches no actor state, so the cast may drop the isolation.
        Swift.unsafeBitCast(
          \(name).__isolatedMetadata as \(globalActor.trimmedDescription) () -> \(type), to: (() -> \(type)).self)()
      }
      """
    let isolated = """
      \(deprecation)\(globalActor.trimmedDescription) private static func __isolatedMetadata() -> \(type) {
      \(list.indented)
      }
      """
    return [crossing, isolated]
  }

  private func renderedEntity() -> [String] {
    let superentity = superclass.map { isSubclass ? ", superentity: \($0).__entity" : "" } ?? ""
    return [
      "nonisolated private static let __cachedEntity = SwiftData.__Entity(\(name).self\(superentity))",
      "\(staticPrefix)var __entity: SwiftData.__Entity {\n  \(name).__cachedEntity\n}",
    ]
  }
}
