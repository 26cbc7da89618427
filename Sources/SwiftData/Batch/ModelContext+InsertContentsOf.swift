extension ModelContext {
  /// Inserts objects and everything that they reach, in order, as ``insert(_:)`` does with each. (Not Apple's.)
  public func insert<Models: Sequence>(contentsOf models: Models) where Models.Element: PersistentModel {
    for model in models { state.insert(model) }
  }
}
