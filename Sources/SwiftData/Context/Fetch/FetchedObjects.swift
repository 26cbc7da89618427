/// The objects that a fetch has read so far.
///
/// They are not of the model's type, because a generic function asks the runtime for the type of an array of the model at
/// each append. References without the protocol take half the memory. They are counted by hand, so that the result takes
/// them over without touching each object again.
struct FetchedObjects: ~Copyable {
  private var objects: [Unmanaged<AnyObject>] = []

  var count: Int { objects.count }

  mutating func append(_ object: AnyObject) { objects.append(.passRetained(object)) }

  /// Reverses the objects from a position to the end.
  mutating func reverse(from start: Int) { if count - start > 1 { objects[start...].reverse() } }

  mutating func removeAll() {
    for object in objects { object.release() }
    objects = []
  }

  /// Gives the objects away.
  /// - Parameter areAllEqual: whether all are of the class itself. Otherwise some may be of its subclasses.
  mutating func take<M: PersistentModel>(areAllEqual: Bool) -> [M] {
    defer { objects = [] }
    return Array(unsafeUninitializedCapacity: count) { buffer, count in
      for reference in objects {
        let object = reference.takeRetainedValue()
        // A cast asks the runtime, for each object. It cannot fail: the statement selects the class and its subclasses only.
        let model = areAllEqual || type(of: object) == M.self ? unsafeDowncast(object, to: M.self) : object as! M
        (buffer.baseAddress! + count).initialize(to: model)
        count += 1
      }
    }
  }

  deinit { for object in objects { object.release() } }
}
