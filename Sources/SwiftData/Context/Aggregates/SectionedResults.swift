/// The results of a fetch in sections, in the order of the sections' first elements.
///
/// Its elements are sections, and a section's elements are models. (Apple's documentation, `SectionedResults`. Apple's
/// first parameter is named `Element`, which would hide the collection's own here.)
public struct SectionedResults<Model: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection {
  private let sections: [ResultsSection<Model, SectionTitle>]
  private let places: [SectionTitle: Int]

  package init(_ sections: [ResultsSection<Model, SectionTitle>]) {
    self.sections = sections
    places = Dictionary(zip(sections.map(\.title), sections.indices), uniquingKeysWith: { first, _ in first })
  }

  /// The first position; always 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { sections.count }

  /// The section at a position.
  public subscript(position: Int) -> ResultsSection<Model, SectionTitle> { sections[position] }

  /// The titles of the sections, in order.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }

  /// The section with a title, or nil.
  /// - Complexity: O(1).
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Model, SectionTitle>? {
    places[title].map { sections[$0] }
  }

  /// The place of the section with a title, or nil.
  /// - Complexity: O(1).
  public func index(ofSectionTitled title: SectionTitle) -> Int? { places[title] }

  /// Whether there is a section with a title.
  /// - Complexity: O(1).
  public func contains(sectionTitle title: SectionTitle) -> Bool { places[title] != nil }
}

/// The models of a fetch with one common value.
///
/// (Apple's documentation, `ResultsSection`; lazy loading is ours.)
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Identifiable {
  /// The common value of the section's models.
  public let title: SectionTitle
  private let rows: SectionRows<Element>

  init(title: SectionTitle, rows: SectionRows<Element>) {
    self.title = title
    self.rows = rows
  }

  /// The title.
  public var id: SectionTitle { title }

  /// The first position; always 0.
  public var startIndex: Int { 0 }
  /// The number of models.
  public var endIndex: Int { rows.count }

  /// The model at a position. A model that left the section since the fetch may be a placeholder without a context.
  /// - Complexity: O(1) within a batch of 100 models; one statement per new batch, and one for the first access to the
  ///   section.
  public subscript(position: Int) -> Element { rows[position] }
}

/// The models of a section: loaded, or counted with a way to load them.
final class SectionRows<Element: PersistentModel> {
  let count: Int
  private let load: () -> FetchResultsCollection<Element>
  private lazy var loaded = load()

  init(_ objects: [Element]) {
    count = objects.count
    load = { FetchResultsCollection(identifiers: objects) }
  }

  /// - Parameter keys: reads the keys of the section's models, in order. It is called once, at the first access.
  init(count: Int, state: ContextState, keys: @escaping () throws -> [Int64]) {
    self.count = count
    load = {
      var found = [Int64]()
      do { found = try keys() } catch { state.note(error) }
      // Other saves may have changed the number of rows since the count. No row has the key 0.
      let kept = found.prefix(count) + Array(repeating: 0, count: Swift.max(0, count - found.count))
      return FetchResultsCollection(keys: Array(kept), batchSize: 100, state: state)
    }
  }

  subscript(position: Int) -> Element { loaded[position] }
}
