extension ModelContext {
  /// Makes a context for the stores of a container.
  public convenience init(_ container: ModelContainer) { self.init(container.core, of: container) }

  /// The container of the context.
  public var container: ModelContainer { owner as? ModelContainer ?? ModelContainer(core: state.core) }
}
