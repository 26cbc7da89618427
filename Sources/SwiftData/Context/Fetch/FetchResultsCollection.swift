/// The results of a fetch in batches. Accessing an element loads its batch.
///
/// It keeps the last batch, so iterating in order loads each batch once. (Apple's documentation,
/// `FetchResultsCollection`.)
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let storage: Storage
  /// The first position; always 0.
  public let startIndex = 0
  /// The number of results.
  public let endIndex: Int

  private enum Storage {
    case identifiers([Element])
    case objects(BatchedObjects, (any PersistentModel) -> Element)
  }

  init(identifiers: [Element]) {
    storage = .identifiers(identifiers)
    endIndex = identifiers.count
  }

  init(keys: [Int64], batchSize: Int, state: ContextState) where Element: PersistentModel {
    storage = .objects(
      BatchedObjects(keys: keys, size: Swift.max(1, batchSize), entity: Element.__entity, state: state),
      { $0 as! Element })
    endIndex = keys.count
  }

  /// The result at a position. An object that was deleted since the fetch is a placeholder without a context.
  /// - Complexity: O(1) within a batch; one statement per new batch.
  public subscript(position: Int) -> Element {
    switch storage {
    case .identifiers(let identifiers): identifiers[position]
    case .objects(let batches, let cast): cast(batches.object(at: position))
    }
  }
}

/// Loads objects by key, one batch at a time.
private final class BatchedObjects {
  private let keys: [Int64]
  private let size: Int
  private let entity: __Entity
  private let state: ContextState
  private var start = -1
  private var loaded: [Int64: any PersistentModel] = [:]

  init(keys: [Int64], size: Int, entity: __Entity, state: ContextState) {
    self.keys = keys
    self.size = size
    self.entity = entity
    self.state = state
  }

  func object(at position: Int) -> any PersistentModel {
    let first = position / size * size
    if first != start {
      state.beginUse(.read)
      defer { state.endUse() }
      do {
        let table = try state.core.table(for: entity)
        loaded = try state.queries.objects(withKeys: Array(keys[first..<min(first + size, keys.count)]), in: table)
      } catch {
        loaded = [:]
        state.note(error)
      }
      start = first
    }
    return loaded[keys[position]] ?? StandIn.object(of: entity) { state.queries.example(of: entity) }
  }
}
