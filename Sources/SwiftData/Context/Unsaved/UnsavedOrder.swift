/// The unsaved objects that a fetch takes, in its order, kept for the next fetch of the same kind.
///
/// A screen fetches, counts and pages the same way after each edit. The second fetch then looks only at the objects that
/// changed since the first one.
struct UnsavedOrders {
  private struct Order {
    let entity: ObjectIdentifier
    let shape: QueryShape
    let values: [SQLValue]
    /// An array of the fetched class, sorted. Some of the objects may be deleted.
    var objects: Any
    /// The objects that changed since.
    var touched: Set<ObjectIdentifier> = []
  }

  /// A screen has a few lists.
  private static let capacity = 4
  /// The one that was asked for last comes last.
  private var orders: [Order] = []

  /// Called when an object becomes unsaved or ceases to be, and when one of its properties changes.
  mutating func touch(_ object: any PersistentModel) {
    for index in orders.indices { orders[index].touched.insert(ObjectIdentifier(object)) }
  }

  mutating func removeAll() { orders = [] }

  /// Returns the objects, deleted ones among them.
  /// - Parameters:
  ///   - all: all unsaved objects of the class.
  ///   - find: the object with an identity, if it is unsaved and of the class.
  ///   - takes: whether the predicate takes an object.
  /// - Complexity: for each object that changed O(log *n*) calls of `precedes`; besides that O(*n*) comparisons of addresses
  ///   for *n* unsaved objects.
  mutating func objects<M: PersistentModel>(
    _ shape: QueryShape, all: () -> [M], find: (ObjectIdentifier) -> M?, takes: (M) -> Bool, precedes: (M, M) -> Bool
  ) -> [M] {
    let entity = ObjectIdentifier(M.__entity)
    guard
      let place = orders.firstIndex(where: { $0.entity == entity && $0.shape == shape && $0.values == shape.values })
    else {
      let objects = all().filter(takes).sorted(by: precedes)
      if orders.count == Self.capacity { orders.removeFirst() }
      orders.append(Order(entity: entity, shape: shape, values: shape.values, objects: objects))
      return objects
    }
    var order = orders.remove(at: place)
    // The class is part of what was looked for.
    var objects = order.objects as! [M]
    if !order.touched.isEmpty {
      // The array is changed in place.
      order.objects = ()
      if order.touched.count <= 8 {
        // An edit between two fetches touches one object. Among 8,000 objects, hashing all addresses takes 0.2 ms, and comparing
        // them with eight takes 0.05 ms.
        for touched in order.touched {
          if let place = objects.firstIndex(where: { ObjectIdentifier($0) == touched }) { objects.remove(at: place) }
        }
      } else {
        objects.removeAll { order.touched.contains(ObjectIdentifier($0)) }
      }
      for object in order.touched.compactMap(find) where takes(object) {
        var (low, high) = (0, objects.count)
        while low < high {
          let middle = (low + high) / 2
          if precedes(object, objects[middle]) { high = middle } else { low = middle + 1 }
        }
        objects.insert(object, at: low)
      }
      (order.objects, order.touched) = (objects, [])
    }
    orders.append(order)
    return objects
  }
}

extension QueryExecutor {
  /// Returns the inserted and changed objects that a fetch takes, in its order. Returns nil if the predicate or the order
  /// reads more than attributes, or if an index finds the objects sooner.
  func sortedUnsaved<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ query: StoreQuery, takes: (M) -> Bool
  ) -> [M]? {
    let reads = query.reads.condition.properties + query.reads.order.properties
    guard reads.allSatisfy({ $0.isOfRow && $0.property.isAttribute }), !isLookedUp(descriptor.predicate),
      let shape = QueryShape(descriptor.predicate, descriptor.sortBy, nonNFC: 0)
    else { return nil }
    var orders = UnsavedOrders()
    // Taken out, so that the lookups below may use the other indices.
    swap(&orders, &context.unsavedIndices.orders)
    let found = orders.objects(
      shape, all: { unsaved(M.self) }, find: { unsavedObject($0) as? M }, takes: takes,
      precedes: order(by: descriptor.sortBy))
    swap(&orders, &context.unsavedIndices.orders)
    return context.deleted.isEmpty ? found : found.filter { !$0.__state.flags.contains(.deleted) }
  }
}
