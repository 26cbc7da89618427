import Mustache
import Synchronization

/// The stored properties of a view, by name. The templates look them up here.
///
/// Mustache would reflect on the view at each lookup, and look through all of its properties: nine tenths of the time of a page.
/// Here each property is read once for each page.
struct TemplateValues: MustacheParent {
  private let values: [String: Any]

  func child(named name: String) -> Any? { values[name] }

  private init(reflecting view: Any) {
    let children = Mirror(reflecting: view).children
    var values: [String: Any] = [:]
    values.reserveCapacity(children.count)
    // Without a value the lookup goes on in the view around this one.
    for case (let name?, let value) in children { values[name] = Self.value(of: value) }
    self.values = values
  }

  /// What the templates see of a value; nil for an optional without one.
  static func value(of value: Any) -> Any? {
    switch shape(of: value) {
    case .leaf: value
    case .optional: Mirror(reflecting: value).children.first.flatMap { self.value(of: $0.value) }
    // The cast cannot fail: a type has this shape only if its values are `[Any]`.
    case .list: (value as! [Any]).map { self.value(of: $0) ?? $0 }
    case .view: TemplateValues(reflecting: value)
    }
  }

  private enum Shape { case leaf, optional, list, view }

  private static let shapes = Mutex<[ObjectIdentifier: Shape]>([:])

  private static func shape(of value: Any) -> Shape {
    let type = type(of: value)
    return shapes.withLock { shapes in
      if let known = shapes[ObjectIdentifier(type)] { return known }
      let shape: Shape =
        switch Mirror(reflecting: value).displayStyle {
        case .optional: .optional
        case .collection where value is [Any]: .list
        // Other modules' types are texts and numbers.
        case .struct where String(reflecting: type).hasPrefix("SortedWeb.") && !(value is any MustacheParent): .view
        default: .leaf
        }
      shapes[ObjectIdentifier(type)] = shape
      return shape
    }
  }
}
