public import Foundation
public import Observation

/// A fetch whose result stays up to date, for use outside views.
///
///     let observer = try ResultsObserver<Book, Never>(
///       filterBy: #Predicate { $0.isPublished }, sortBy: [SortDescriptor(\.title)], modelContext: context)
///     withObservationTracking { show(observer.results) } onChange: { … }
///
/// It reacts to changes of its own context, saved or not, to saves of other contexts, of batch operations, and of other
/// processes, which take some tenths of a second to arrive. Whoever reads ``results`` gets what a fetch would give at that
/// moment, but for these. Observers of the properties are told when they change: on the actor in `isolation`, soon after;
/// without one when the context saves, when it processes its pending changes, or when the results are read.
///
/// A change that the fetch does not read costs no statement; one object that changed is put in its place without reading
/// the others. (Apple's documentation, `ResultsObserver`; the costs are ours.)
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
  /// The context whose models the results are. (Not Apple's.)
  public let modelContext: ModelContext
  /// What the results are grouped by; nil where there are no sections.
  public let sectionBy: PartialKeyPath<Element>?

  private let sectioning: Sectioning<Element, SectionTitle>?
  private let live: LiveResults<Element>
  private let registrar = ObservationRegistrar()
  private var shownSections: SectionedResults<Element, SectionTitle>?
  private var shownError: (any Error)?
  private var reminder: LiveReminder?

  /// - Throws: as the fetch does.
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
  public var results: [Element] {
    update()
    registrar.access(self, keyPath: \.results)
    return live.results
  }

  /// The models in sections, in the order of their first models; nil without `sectionBy`.
  public var sections: SectionedResults<Element, SectionTitle>? {
    update()
    registrar.access(self, keyPath: \.sections)
    return shownSections
  }

  /// Why the results are as old as they are: what the last update failed with. (Not Apple's.)
  public var fetchError: (any Error)? {
    update()
    registrar.access(self, keyPath: \.fetchError)
    return shownError
  }

  // MARK: - The fetch

  /// The order of the models. The section comes before it, if there are sections.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { fetchDescriptor.sortBy = newValue }
  }

  /// The condition that models meet; nil is all. (Not Apple's.)
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { fetchDescriptor.predicate = newValue }
  }

  /// What is fetched. Assign another to watch that. (Not Apple's.)
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
    // The new value is there already; that it changed is all that observers are told.
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

/// How results are grouped.
package struct Sectioning<Element: PersistentModel, SectionTitle: Hashable> {
  let keyPath: PartialKeyPath<Element>
  /// The first of the order, so that sections are in one piece.
  // In an array, because an optimised build cannot link a generic struct that stores a SortDescriptor (Swift 6.3).
  let sort: [SortDescriptor<Element>]
  let title: (Element) -> SectionTitle

  /// The fetch with the section as the first of its order.
  func sorting(_ descriptor: FetchDescriptor<Element>) -> FetchDescriptor<Element> {
    var descriptor = descriptor
    if descriptor.sortBy.first != sort.first { descriptor.sortBy = sort + descriptor.sortBy }
    return descriptor
  }

  func sections(of results: [Element]) -> SectionedResults<Element, SectionTitle> {
    var order = [SectionTitle]()
    var members = [SectionTitle: [Element]]()
    for object in results {
      let title = title(object)
      if members[title] == nil { order.append(title) }
      members[title, default: []].append(object)
    }
    return SectionedResults(order.map { ResultsSection(title: $0, rows: SectionRows(members[$0] ?? [])) })
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
  /// Models without a title are in the section "".
  package init(_ keyPath: KeyPath<Element, String?>) {
    self.keyPath = keyPath
    sort = [SortDescriptor(keyPath)]
    title = { $0[keyPath: keyPath] ?? "" }
  }
}

extension SectionedResults {
  /// Whether it has the same titles over as many models.
  fileprivate func isLike(_ other: Self?) -> Bool {
    guard let other else { return false }
    return count == other.count && zip(self, other).allSatisfy { $0.title == $1.title && $0.count == $1.count }
  }
}
