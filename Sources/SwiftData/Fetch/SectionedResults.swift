/// The results of a fetch in sections, in the order in which their first elements come in the fetch.
///
/// Walking it gives sections, and walking a section gives models. (Apple's documentation, `SectionedResults`; the name
/// of its first parameter there is `Element`, which here would stand in the way of the collection's own.)
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

  /// The section with a title; nil where there is none.
  /// - Complexity: O(1).
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Model, SectionTitle>? {
    places[title].map { sections[$0] }
  }
}

/// The models of a fetch that have one value in common.
///
/// (Apple's documentation, `ResultsSection`; that models are loaded when they are asked for is ours.)
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Identifiable {
  /// The value that the models of the section have in common.
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

  /// The model at a position. One that left the section since the fetch, which a new fetch would show, may come with
  /// placeholder values and without a context.
  /// - Complexity: O(1) within a batch of 100 models; one statement for each new batch, and one for the first touch of
  ///   the section.
  public subscript(position: Int) -> Element { rows[position] }
}

/// The models of a section: all of them, or as many as were counted and how to load them.
final class SectionRows<Element: PersistentModel> {
  let count: Int
  private let load: () -> FetchResultsCollection<Element>
  private lazy var loaded = load()

  init(_ objects: [Element]) {
    count = objects.count
    load = { FetchResultsCollection(identifiers: objects) }
  }

  /// - Parameter keys: reads the keys of the section's models, in order; called once, when the first is asked for.
  init(count: Int, state: ContextState, keys: @escaping () throws -> [Int64]) {
    self.count = count
    load = {
      var found = [Int64]()
      do { found = try keys() } catch { state.note(error) }
      // Others may have saved since the rows were counted; no row has the key 0.
      let kept = found.prefix(count) + Array(repeating: 0, count: Swift.max(0, count - found.count))
      return FetchResultsCollection(keys: Array(kept), batchSize: 100, state: state)
    }
  }

  subscript(position: Int) -> Element { loaded[position] }
}
