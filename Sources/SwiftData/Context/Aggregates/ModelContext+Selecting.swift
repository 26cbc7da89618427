import Foundation

extension ModelContext {
  /// Fetches the values of some properties of the matching models, in order, without loading the models.
  ///
  ///     for (title, artist) in try context.fetch(descriptor, selecting: \.title, \.album?.artist?.name) { … }
  ///
  /// A key path may lead through to-one relationships and into stored structs (`\.address.city`);
  /// `\.album?.persistentModelID` reads a relationship's key. Unsaved changes apply as in ``fetch(_:)``. (Not Apple's.)
  /// - Parameters:
  ///   - descriptor: the predicate, the order and the bounds.
  ///   - keyPaths: the properties to read. With one key path the result is an array of its values.
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)``, and ``SwiftDataError/unsupportedKeyPath`` or
  ///   ``SwiftDataError/transientProperty`` if the store does not have the property.
  /// - Complexity: one statement. If unsaved changes may affect the result, the matching models are loaded instead.
  public func fetch<T: PersistentModel, each Value>(
    _ descriptor: FetchDescriptor<T>, selecting keyPaths: repeat KeyPath<T, each Value>
  ) throws -> [(repeat each Value)] {
    try state.used(.read) { try state.queries.fetch(descriptor, selecting: repeat each keyPaths) }
  }
}

extension QueryExecutor {
  func fetch<M: PersistentModel, each Value>(
    _ descriptor: FetchDescriptor<M>, selecting keyPaths: repeat KeyPath<M, each Value>
  ) throws -> [(repeat each Value)] {
    var columns = [SQLFragment]()
    var makers = [Any]()
    return try values(of: descriptor) { store in
      try lower(descriptor) { state in
        func plan<V>(_ keyPath: KeyPath<M, V>, _ state: inout LoweringState) throws {
          let (decoder, own) = ColumnDecoder<V>.of(try state.value(at: keyPath), &state)
          makers.append(DecodedColumn(decoder: decoder, position: Int32(columns.count)))
          columns += own
        }
        for keyPath in repeat each keyPaths { try plan(keyPath, &state) }
        return columns
      }
    } run: { query, _ in
      var next = makers.makeIterator()
      // Cannot fail: the closure above appended one element per element of the pack, in order.
      let decoders = (repeat next.next() as! DecodedColumn<each Value>)
      let list = columns.isEmpty ? "1" : columns.list
      let statement = query.statement(list, ordered: true, joining: query.valueJoins)
      return try rows(statement, of: query.table, cancellable: true) { row in (repeat try (each decoders).read(row)) }
    } compute: { objects in
      objects.map { object in (repeat object[keyPath: each keyPaths]) }
    }
  }
}

/// A decoder and the position of its columns.
struct DecodedColumn<Value> {
  let decoder: ColumnDecoder<Value>
  let position: Int32

  func read(_ reader: SQLRows) throws -> Value { try decoder(reader, at: position) }
}
