import Foundation
public import SwiftData

/// Runs a block. Every ``Query`` that is created or first read in it uses the given context, as with SwiftUI's
/// environment value `modelContext`. Blocks can be nested; the innermost context is used. (Not Apple's.)
/// - Throws: the error of the block.
public func withModelContext<T>(_ context: ModelContext, _ body: () throws -> T) rethrows -> T {
  let outer = ModelContext.current
  ModelContext.current = context
  defer { ModelContext.current = outer }
  return try body()
}

extension ModelContext {
  private static let currentKey = "SwiftData.ModelContext.current"

  /// The context of the innermost ``withModelContext(_:_:)`` on this thread. A block without suspension points stays on
  /// its thread.
  fileprivate(set) static var current: ModelContext? {
    get { Thread.current.threadDictionary[currentKey] as? ModelContext }
    set { Thread.current.threadDictionary[currentKey] = newValue }
  }

  /// A context without stores and models.
  static func withoutStores() -> ModelContext { ModelContext(ModelContainer(core: ContainerCore())) }
}
