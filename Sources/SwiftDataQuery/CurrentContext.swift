import Foundation
public import SwiftData

/// Runs a block with a context that every ``Query`` which is made or first read in it uses, as SwiftUI's `modelContext` in
/// the environment does. Blocks may be nested; the innermost context counts. (Not Apple's.)
/// - Throws: what the block throws.
public func withModelContext<T>(_ context: ModelContext, _ body: () throws -> T) rethrows -> T {
  let outer = ModelContext.current
  ModelContext.current = context
  defer { ModelContext.current = outer }
  return try body()
}

extension ModelContext {
  private static let currentKey = "SwiftData.ModelContext.current"

  /// The context of the innermost ``withModelContext(_:_:)`` on this thread: a block without suspensions stays on it.
  fileprivate(set) static var current: ModelContext? {
    get { Thread.current.threadDictionary[currentKey] as? ModelContext }
    set { Thread.current.threadDictionary[currentKey] = newValue }
  }

  /// A context over no store and no model.
  static func withoutStores() -> ModelContext { ModelContext(ModelContainer(core: ContainerCore())) }
}
