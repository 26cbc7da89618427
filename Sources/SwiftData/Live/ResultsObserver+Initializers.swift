public import Foundation

extension ResultsObserver where SectionTitle == Never {
  /// Watches what a descriptor asks for, in a context.
  /// - Parameter isolation: the actor that the context is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, modelContext, isolation)
  }

  /// Watches what a descriptor asks for, in a context of its own.
  /// - Parameter isolation: the actor that the observer is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, ModelContext(modelContainer), isolation)
  }

  /// Watches the models that meet a condition, in an order, in a context.
  /// - Parameter isolation: the actor that the context is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, modelContext, isolation)
  }

  /// Watches the models that meet a condition, in an order, in a context of its own.
  /// - Parameter isolation: the actor that the observer is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, ModelContext(modelContainer), isolation)
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Watches what a descriptor asks for, in a context, in sections by a text.
  /// - Parameter isolation: the actor that the context is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Sectioning(sectionBy), modelContext, isolation)
  }

  /// Watches what a descriptor asks for, in a context of its own, in sections by a text.
  /// - Parameter isolation: the actor that the observer is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Sectioning(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Watches what a descriptor asks for, in a context, in sections by a text; models without one are in the section "".
  /// - Parameter isolation: the actor that the context is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Sectioning(sectionBy), modelContext, isolation)
  }

  /// Watches what a descriptor asks for, in a context of its own, in sections by a text; models without one are in the section "".
  /// - Parameter isolation: the actor that the observer is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Sectioning(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Watches the models that meet a condition, in an order, in a context, in sections by a text.
  /// - Parameter isolation: the actor that the context is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy), modelContext, isolation)
  }

  /// Watches the models that meet a condition, in an order, in a context of its own, in sections by a text.
  /// - Parameter isolation: the actor that the observer is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy), ModelContext(modelContainer),
      isolation)
  }

  /// Watches the models that meet a condition, in an order, in a context, in sections by a text; models without one are in the section "".
  /// - Parameter isolation: the actor that the context is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy), modelContext, isolation)
  }

  /// Watches the models that meet a condition, in an order, in a context of its own, in sections by a text; models without one are in the section "".
  /// - Parameter isolation: the actor that the observer is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy), ModelContext(modelContainer),
      isolation)
  }
}
