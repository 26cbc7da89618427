import Foundation

extension ModelContext {
  /// The values of some properties of the models that match, in order, without making models.
  ///
  ///     for (title, artist) in try context.fetch(descriptor, selecting: \.title, \.album?.artist?.name) { … }
  ///
  /// A key path may lead through to-one relationships and into stored structs (`\.address.city`);
  /// `\.album?.persistentModelID` reads a relationship's key. Unsaved changes are in the result as in ``fetch(_:)``.
  /// (Not Apple's.)
  /// - Parameters:
  ///   - descriptor: which models, in which order, and how many of them.
  ///   - keyPaths: what to read of each; with one key path the result is an array of its values.
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)`` does, and ``SwiftDataError/unsupportedKeyPath`` or
  ///   ``SwiftDataError/transientProperty`` for what the store does not know.
  /// - Complexity: one statement. Where unsaved changes can matter, the models that match are loaded instead.
  public func fetch<T: PersistentModel, each Value>(
    _ descriptor: FetchDescriptor<T>, selecting keyPaths: repeat KeyPath<T, each Value>
  ) throws -> [(repeat each Value)] {
    try state.used(.read) { try state.fetch(descriptor, selecting: repeat each keyPaths) }
  }
}

extension ContextState {
  func fetch<M: PersistentModel, each Value>(
    _ descriptor: FetchDescriptor<M>, selecting keyPaths: repeat KeyPath<M, each Value>
  ) throws -> [(repeat each Value)] {
    var columns = [SQLFragment]()
    var makers = [Any]()
    return try values(of: descriptor) { store in
      try lower(descriptor) { state in
        func plan<V>(_ keyPath: KeyPath<M, V>, _ state: inout LoweringState) throws {
          let (decoder, own) = ColumnDecoder<V>.of(try state.value(at: keyPath), &state)
          makers.append(Column(decoder: decoder, position: Int32(columns.count)))
          columns += own
        }
        for keyPath in repeat each keyPaths { try plan(keyPath, &state) }
        return columns
      }
    } run: { query, _ in
      var next = makers.makeIterator()
      // Cannot fail: the closure above appended one of the type for each element of the pack, in order.
      let decoders = (repeat next.next() as! Column<each Value>)
      let list = columns.isEmpty ? "1" : columns.list
      let statement = query.statement(list, ordered: true, joining: query.valueJoins)
      return try rows(statement, of: query.table, cancellable: true) { row in (repeat try (each decoders).read(row)) }
    } compute: { objects in
      objects.map { object in (repeat object[keyPath: each keyPaths]) }
    }
  }
}

/// A decoder and where its columns are.
struct Column<Value> {
  let decoder: ColumnDecoder<Value>
  let position: Int32

  func read(_ reader: SQLRows) throws -> Value { try decoder(reader, at: position) }
}

extension [SQLFragment] {
  /// The fragments, separated by commas.
  var list: SQLFragment { isEmpty ? SQLFragment("") : dropFirst().reduce(self[0]) { $0 + SQLFragment(", ") + $1 } }
}
