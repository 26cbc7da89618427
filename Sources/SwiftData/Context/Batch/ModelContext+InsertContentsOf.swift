extension ModelContext {
  /// Inserts objects and everything reachable from them, in order, as ``insert(_:)`` does. (Not Apple's.)
  public func insert<Models: Sequence>(contentsOf models: Models) where Models.Element: PersistentModel {
    for model in models { state.insert(model) }
  }
}
