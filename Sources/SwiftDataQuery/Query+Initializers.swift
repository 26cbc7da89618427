public import Foundation
public import SwiftData

// MARK: - Lists

extension Query {
  /// Fetches all models from a context. (Not Apple's.)
  public init<Element: PersistentModel>(modelContext: ModelContext) where Result == [Element] {
    self.init(FetchDescriptor(), modelContext, OpenQuery.list)
  }

  /// Fetches the models of a descriptor.
  /// - Parameters:
  ///   - descriptor: the models to fetch and their order.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel>(
    _ descriptor: FetchDescriptor<Element>, animation: Animation? = nil, transaction: Transaction? = nil,
    modelContext: ModelContext? = nil
  ) where Result == [Element] {
    self.init(descriptor, modelContext, OpenQuery.list)
  }

  /// Fetches the models that match a predicate, sorted.
  /// - Parameters:
  ///   - filter: the predicate; nil fetches all models.
  ///   - descriptors: the sort order; empty leaves the order undefined.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: Animation? = nil, transaction: Transaction? = nil, modelContext: ModelContext? = nil
  ) where Result == [Element] {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), modelContext, OpenQuery.list)
  }

  /// Fetches the models that match a predicate, sorted by a property.
  /// - Parameters:
  ///   - filter: the predicate; nil fetches all models.
  ///   - keyPath: the property to sort by.
  ///   - order: the sort direction.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    animation: Animation? = nil, transaction: Transaction? = nil, modelContext: ModelContext? = nil
  ) where Result == [Element] {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext, OpenQuery.list)
  }

  /// Fetches the models that match a predicate, sorted by a property; models without a value come first.
  /// - Parameters:
  ///   - filter: the predicate; nil fetches all models.
  ///   - keyPath: the property to sort by.
  ///   - order: the sort direction.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    animation: Animation? = nil, transaction: Transaction? = nil, modelContext: ModelContext? = nil
  ) where Result == [Element] {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext, OpenQuery.list)
  }
}

// MARK: - Sections

extension Query {
  /// Fetches the models of a descriptor, in sections by a value.
  /// - Parameters:
  ///   - descriptor: the models to fetch and their order.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel, SectionTitle: Comparable & Hashable>(
    _ descriptor: FetchDescriptor<Element>, animation: Animation? = nil, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, SectionTitle> {
    self.init(descriptor, modelContext, OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Fetches the models that match a predicate, sorted, in sections by a value.
  /// - Parameters:
  ///   - filter: the predicate; nil fetches all models.
  ///   - descriptors: the sort order; empty leaves the order undefined.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel, SectionTitle: Comparable & Hashable>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: Animation? = nil, transaction: Transaction? = nil, sectionBy: KeyPath<Element, SectionTitle>,
    modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, SectionTitle> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors), modelContext, OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections by a value.
  /// - Parameters:
  ///   - filter: the predicate; nil fetches all models.
  ///   - keyPath: the property to sort by.
  ///   - order: the sort direction.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel, SectionTitle: Comparable & Hashable, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    animation: Animation? = nil, transaction: Transaction? = nil, sectionBy: KeyPath<Element, SectionTitle>,
    modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, SectionTitle> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext,
      OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections by a value.
  /// - Parameters:
  ///   - filter: the predicate; nil fetches all models.
  ///   - keyPath: the property to sort by.
  ///   - order: the sort direction.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel, SectionTitle: Comparable & Hashable, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    animation: Animation? = nil, transaction: Transaction? = nil, sectionBy: KeyPath<Element, SectionTitle>,
    modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, SectionTitle> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext,
      OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Fetches the models of a descriptor, in sections by an optional string (nil: "").
  /// - Parameters:
  ///   - descriptor: the models to fetch and their order.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel>(
    _ descriptor: FetchDescriptor<Element>, animation: Animation? = nil, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, String> {
    self.init(descriptor, modelContext, OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Fetches the models that match a predicate, sorted, in sections by an optional string (nil: "").
  /// - Parameters:
  ///   - filter: the predicate; nil fetches all models.
  ///   - descriptors: the sort order; empty leaves the order undefined.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: Animation? = nil, transaction: Transaction? = nil, sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, String> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors), modelContext, OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections by an optional string (nil: "").
  /// - Parameters:
  ///   - filter: the predicate; nil fetches all models.
  ///   - keyPath: the property to sort by.
  ///   - order: the sort direction.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    animation: Animation? = nil, transaction: Transaction? = nil, sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, String> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext,
      OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections by an optional string (nil: "").
  /// - Parameters:
  ///   - filter: the predicate; nil fetches all models.
  ///   - keyPath: the property to sort by.
  ///   - order: the sort direction.
  ///   - animation: has no effect.
  ///   - transaction: has no effect.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from; nil uses the context of ``withModelContext(_:_:)``. (Not Apple's.)
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    animation: Animation? = nil, transaction: Transaction? = nil, sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, String> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext,
      OpenQuery.sections(Sectioning(sectionBy)))
  }
}
