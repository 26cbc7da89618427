public import Foundation

extension ResultsObserver where SectionTitle == Never {
  /// Watches the models of a descriptor, in a context.
  /// - Parameters:
  ///   - fetchDescriptor: the models to watch and their order.
  ///   - modelContext: the context to fetch from.
  ///   - isolation: the actor that uses the context; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, modelContext, isolation)
  }

  /// Watches the models of a descriptor, in a new context.
  /// - Parameters:
  ///   - fetchDescriptor: the models to watch and their order.
  ///   - modelContainer: the container; the observer creates its own context.
  ///   - isolation: the actor that uses the observer; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, ModelContext(modelContainer), isolation)
  }

  /// Watches the models that match a predicate, sorted, in a context.
  /// - Parameters:
  ///   - filterBy: the predicate; nil watches all models.
  ///   - sortBy: the sort order; nil leaves the order undefined.
  ///   - modelContext: the context to fetch from.
  ///   - isolation: the actor that uses the context; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, modelContext, isolation)
  }

  /// Watches the models that match a predicate, sorted, in a new context.
  /// - Parameters:
  ///   - filterBy: the predicate; nil watches all models.
  ///   - sortBy: the sort order; nil leaves the order undefined.
  ///   - modelContainer: the container; the observer creates its own context.
  ///   - isolation: the actor that uses the observer; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, ModelContext(modelContainer), isolation)
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Watches the models of a descriptor, in a context, in sections by a string.
  /// - Parameters:
  ///   - fetchDescriptor: the models to watch and their order.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from.
  ///   - isolation: the actor that uses the context; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Sectioning(sectionBy), modelContext, isolation)
  }

  /// Watches the models of a descriptor, in a new context, in sections by a string.
  /// - Parameters:
  ///   - fetchDescriptor: the models to watch and their order.
  ///   - sectionBy: the property to section by.
  ///   - modelContainer: the container; the observer creates its own context.
  ///   - isolation: the actor that uses the observer; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Sectioning(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Watches the models of a descriptor, in a context, in sections by an optional string (nil: "").
  /// - Parameters:
  ///   - fetchDescriptor: the models to watch and their order.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from.
  ///   - isolation: the actor that uses the context; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Sectioning(sectionBy), modelContext, isolation)
  }

  /// Watches the models of a descriptor, in a new context, in sections by an optional string (nil: "").
  /// - Parameters:
  ///   - fetchDescriptor: the models to watch and their order.
  ///   - sectionBy: the property to section by.
  ///   - modelContainer: the container; the observer creates its own context.
  ///   - isolation: the actor that uses the observer; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Sectioning(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Watches the models that match a predicate, sorted, in a context, in sections by a string.
  /// - Parameters:
  ///   - filterBy: the predicate; nil watches all models.
  ///   - sortBy: the sort order; nil leaves the order undefined.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from.
  ///   - isolation: the actor that uses the context; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy), modelContext, isolation)
  }

  /// Watches the models that match a predicate, sorted, in a new context, in sections by a string.
  /// - Parameters:
  ///   - filterBy: the predicate; nil watches all models.
  ///   - sortBy: the sort order; nil leaves the order undefined.
  ///   - sectionBy: the property to section by.
  ///   - modelContainer: the container; the observer creates its own context.
  ///   - isolation: the actor that uses the observer; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy), ModelContext(modelContainer),
      isolation)
  }

  /// Watches the models that match a predicate, sorted, in a context, in sections by an optional string (nil: "").
  /// - Parameters:
  ///   - filterBy: the predicate; nil watches all models.
  ///   - sortBy: the sort order; nil leaves the order undefined.
  ///   - sectionBy: the property to section by.
  ///   - modelContext: the context to fetch from.
  ///   - isolation: the actor that uses the context; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy), modelContext, isolation)
  }

  /// Watches the models that match a predicate, sorted, in a new context, in sections by an optional string (nil: "").
  /// - Parameters:
  ///   - filterBy: the predicate; nil watches all models.
  ///   - sortBy: the sort order; nil leaves the order undefined.
  ///   - sectionBy: the property to section by.
  ///   - modelContainer: the container; the observer creates its own context.
  ///   - isolation: the actor that uses the observer; the caller's by default.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy), ModelContext(modelContainer),
      isolation)
  }
}
