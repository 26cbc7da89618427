public import Foundation
public import SwiftData

// MARK: - Lists

extension Query {
  /// Finds all models, in a given context. (Not Apple's.)
  public init<Element: PersistentModel>(modelContext: ModelContext) where Result == [Element] {
    self.init(FetchDescriptor(), modelContext, OpenQuery.list)
  }

  /// Finds what a descriptor asks for.
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel>(
    _ descriptor: FetchDescriptor<Element>, modelContext: ModelContext? = nil
  ) where Result == [Element] {
    self.init(descriptor, modelContext, OpenQuery.list)
  }

  /// Finds the models that meet a condition, in an order.
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    modelContext: ModelContext? = nil
  ) where Result == [Element] {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), modelContext, OpenQuery.list)
  }

  /// Finds the models that meet a condition, in the order of a property.
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    modelContext: ModelContext? = nil
  ) where Result == [Element] {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext, OpenQuery.list)
  }

  /// Finds the models that meet a condition, in the order of a property; models without a value come first.
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    modelContext: ModelContext? = nil
  ) where Result == [Element] {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext, OpenQuery.list)
  }
}

// MARK: - Sections

extension Query {
  /// Finds what a descriptor asks for, in sections that have a value in common.
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel, SectionTitle: Comparable & Hashable>(
    _ descriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, SectionTitle> {
    self.init(descriptor, modelContext, OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Finds the models that meet a condition, in an order, in sections that have a value in common.
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel, SectionTitle: Comparable & Hashable>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, SectionTitle> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors), modelContext, OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Finds the models that meet a condition, in the order of a property, in sections that have a value in common.
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel, SectionTitle: Comparable & Hashable, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, SectionTitle> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext,
      OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Finds the models that meet a condition, in the order of a property, in sections that have a value in common.
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel, SectionTitle: Comparable & Hashable, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, SectionTitle> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext,
      OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Finds what a descriptor asks for, in sections by a text; models without one are in the section "".
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel>(
    _ descriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, String> {
    self.init(descriptor, modelContext, OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Finds the models that meet a condition, in an order, in sections by a text; models without one are in the section "".
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, String> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors), modelContext, OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Finds the models that meet a condition, in the order of a property, in sections by a text; models without one are in the section "".
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, String> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext,
      OpenQuery.sections(Sectioning(sectionBy)))
  }

  /// Finds the models that meet a condition, in the order of a property, in sections by a text; models without one are in the section "".
  /// - Parameter modelContext: the context to fetch from; that of ``withModelContext(_:_:)`` unless given. (Ours.)
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, String> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [SortDescriptor(keyPath, order: order)]), modelContext,
      OpenQuery.sections(Sectioning(sectionBy)))
  }
}
