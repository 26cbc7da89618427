public import Foundation
public import Observation

/// A fetch whose result stays up to date, for use outside views.
///
///     let observer = try ResultsObserver<Book, Never>(
///       filterBy: #Predicate { $0.isPublished }, sortBy: [SortDescriptor(\.title)], modelContext: context)
///     withObservationTracking { show(observer.results) } onChange: { … }
///
/// It reacts to changes of its own context, saved or not, to saves of other contexts, to batch operations, and to
/// external commits, which take some tenths of a second to arrive. Reading ``results`` returns what a fetch would
/// return at that moment, except for external commits that have not arrived. It notifies observers on the actor in
/// `isolation` soon after a change. Without an actor it notifies them when the context saves, when it processes pending
/// changes, or when the results are read.
///
/// A change that the fetch does not read costs no statement. One changed object is repositioned without reading the
/// others. (Apple's documentation, `ResultsObserver`; the costs are ours.)
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable,
  CustomDebugStringConvertible
{
  /// The context of the results.
  public let modelContext: ModelContext
  /// The property of the sections, or nil without sections.
  public let sectionBy: PartialKeyPath<Element>?

  private let sectioning: Sectioning<Element, SectionTitle>?
  private let live: LiveResults<Element>
  private let registrar = ObservationRegistrar()
  private var shownSections: SectionedResults<Element, SectionTitle>?
  private var shownError: (any Error)?
  private var reminder: LiveReminder?

  /// - Throws: as the fetch.
  package init(
    _ descriptor: FetchDescriptor<Element>, _ sectioning: Sectioning<Element, SectionTitle>?, _ context: ModelContext,
    _ isolation: (any Actor)?
  ) throws {
    let watch = context.state.core.watch()
    self.modelContext = context
    self.sectioning = sectioning
    self.sectionBy = sectioning?.keyPath
    self.live = try LiveResults(sectioning?.sorting(descriptor) ?? descriptor, in: context.state)
    _ = try live.update()
    shownSections = sectioning?.sections(of: live.results)
    let actor: (any Actor)? = isolation ?? (context.isMain ? MainActor.shared : nil)
    reminder = LiveReminder(watch: watch, inbox: context.state.inbox, actor: actor) { [weak self] in
      self?.update()
    }
    if actor == nil { live.onSettled = { [weak self] in self?.update() } }
    live.onStale = { [weak self] in self?.reminder?.remind() }
  }

  // MARK: - Results

  /// The models, in order.
  ///
  /// Apple's can also be set, but its documentation does not say what a set value means, so this one cannot be set.
  public var results: FetchResultsCollection<Element> { FetchResultsCollection(identifiers: list) }

  /// The models, in order, as ``results``.
  package var list: [Element] {
    update()
    registrar.access(self, keyPath: \.results)
    return live.results
  }

  /// The models in sections, in the order of their first models, or nil without `sectionBy`.
  public var sections: SectionedResults<Element, SectionTitle>? {
    update()
    registrar.access(self, keyPath: \.sections)
    return shownSections
  }

  /// The model at a path of a section's number and a place in the section; nil if there is none, or without `sectionBy`.
  /// (Apple's documentation, `ResultsObserver.element(at:)`.)
  public func element(at indexPath: IndexPath) -> Element? {
    guard indexPath.count == 2, let sections, sections.indices.contains(indexPath[0]) else { return nil }
    let section = sections[indexPath[0]]
    return section.indices.contains(indexPath[1]) ? section[indexPath[1]] : nil
  }

  /// The number of a model's section and the model's place in it; nil if it is not among the results, or without `sectionBy`.
  /// (Apple's documentation, `ResultsObserver.indexPath(for:)`.)
  /// - Complexity: O(n) in the models of its section.
  public func indexPath(for element: Element) -> IndexPath? {
    guard let sections, let sectioning, element.modelContext != nil,
      let number = sections.index(ofSectionLike: sectioning.title(element)),
      let place = sections[number].firstIndex(where: { $0 === element })
    else { return nil }
    return [number, place]
  }

  /// The entity and the number of models.
  public var debugDescription: String { "ResultsObserver<\(Element.self)>, \(live.results.count) models" }

  /// The error of the last update, or nil. The results then come from the last successful update. (Not Apple's.)
  public var fetchError: (any Error)? {
    update()
    registrar.access(self, keyPath: \.fetchError)
    return shownError
  }

  // MARK: - The fetch

  /// The order of the models. The section property, if any, sorts first.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { fetchDescriptor.sortBy = newValue }
  }

  /// The condition on models, or nil for all.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { fetchDescriptor.predicate = newValue }
  }

  /// The fetch. Assign another to observe that. (Apple's cannot be assigned.)
  public var fetchDescriptor: FetchDescriptor<Element> {
    get {
      registrar.access(self, keyPath: \.fetchDescriptor)
      return live.descriptor
    }
    set {
      registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {
        live.descriptor = sectioning?.sorting(newValue) ?? newValue
      }
      update()
    }
  }

  // MARK: - Updating

  private func update() {
    do {
      guard let update = try live.update() else { return }
      if shownError != nil { registrar.withMutation(of: self, keyPath: \.fetchError) { shownError = nil } }
      show(update)
    } catch {
      registrar.withMutation(of: self, keyPath: \.fetchError) { shownError = error }
    }
  }

  private func show(_ update: LiveResults<Element>.Update) {
    // The new value is set already, so this only notifies observers.
    if !update.isSameList { registrar.withMutation(of: self, keyPath: \.results) {} }
    guard let sectioning, !update.isSameList || update.touched?.isEmpty != true else { return }
    let sections = sectioning.sections(of: update.new)
    guard !update.isSameList || !sections.isLike(shownSections) else { return }
    registrar.withMutation(of: self, keyPath: \.sections) { shownSections = sections }
  }
}

// Its models belong to one context.
@available(*, unavailable)
extension ResultsObserver: Sendable {}

/// The grouping of results.
package struct Sectioning<Element: PersistentModel, SectionTitle: Hashable> {
  let keyPath: PartialKeyPath<Element>
  /// The sort descriptor of the section property, which comes first so that sections are contiguous.
  // In an array, because an optimized build cannot link a generic struct that stores a SortDescriptor (Swift 6.3).
  let sort: [SortDescriptor<Element>]
  let title: (Element) -> SectionTitle

  /// The fetch with the section property as first sort descriptor.
  func sorting(_ descriptor: FetchDescriptor<Element>) -> FetchDescriptor<Element> {
    var descriptor = descriptor
    if descriptor.sortBy.first != sort.first { descriptor.sortBy = sort + descriptor.sortBy }
    return descriptor
  }

  func sections(of results: [Element]) -> SectionedResults<Element, SectionTitle> {
    var sections = [(title: SectionTitle, members: [Element])]()
    var places = [SectionTitle: Int]()
    // The section of NaN, which is not equal to itself, so that a dictionary does not find it.
    var unequal: Int?
    for object in results {
      let title = title(object)
      let isFound = title.isEqualToItself
      if let place = isFound ? places[title] : unequal {
        sections[place].members.append(object)
        continue
      }
      if isFound { places[title] = sections.count } else { unequal = sections.count }
      sections.append((title, [object]))
    }
    return SectionedResults(sections.map { ResultsSection(title: $0.title, rows: SectionRows($0.members)) })
  }
}

extension Sectioning where SectionTitle: Comparable {
  package init(_ keyPath: KeyPath<Element, SectionTitle>) {
    self.keyPath = keyPath
    sort = [SortDescriptor(keyPath)]
    title = { $0[keyPath: keyPath] }
  }
}

extension Sectioning where SectionTitle == String {
  /// Nil belongs to the section "".
  package init(_ keyPath: KeyPath<Element, String?>) {
    self.keyPath = keyPath
    sort = [SortDescriptor(keyPath)]
    title = { $0[keyPath: keyPath] ?? "" }
  }
}

extension Equatable {
  fileprivate var isEqualToItself: Bool { self == self }
}

extension SectionedResults {
  /// The place of the section of a title, which may be NaN.
  fileprivate func index(ofSectionLike title: SectionTitle) -> Int? {
    title.isEqualToItself ? index(ofSectionTitled: title) : firstIndex { !$0.title.isEqualToItself }
  }

  /// Whether it has the same titles and section sizes.
  fileprivate func isLike(_ other: Self?) -> Bool {
    guard let other else { return false }
    return count == other.count && zip(self, other).allSatisfy { $0.title == $1.title && $0.count == $1.count }
  }
}
