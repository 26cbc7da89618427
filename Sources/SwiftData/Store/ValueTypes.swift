import Foundation

/// What types of properties are, without asking the runtime where the answer is known: the first time that it is asked
/// whether a type has a conformance, it searches all conformances of the program, which takes longer than most of what
/// else happens when a store is opened.
enum ValueTypes {
  private typealias Column = any (__ColumnValue & Sendable).Type

  private static let (columns, optionals): ([ObjectIdentifier: Column], [ObjectIdentifier: Column]) = {
    var columns = [ObjectIdentifier: Column]()
    var optionals = [ObjectIdentifier: Column]()
    func add<V: __ColumnValue & Sendable>(_: V.Type) {
      columns[ObjectIdentifier(V.self)] = V.self
      optionals[ObjectIdentifier(V?.self)] = V.self
    }
    add(String.self)
    add(Int.self)
    add(Int32.self)
    add(Int64.self)
    add(Double.self)
    add(Bool.self)
    add(Date.self)
    add(UUID.self)
    add(URL.self)
    add(Data.self)
    return (columns, optionals)
  }()

  /// The type that an optional is of; nil for any other type.
  static func wrapped(by type: any Any.Type) -> (any Any.Type)? {
    let identifier = ObjectIdentifier(type)
    if columns[identifier] != nil { return nil }
    return optionals[identifier] ?? (type as? any __OptionalValue.Type)?.__wrapped
  }

  /// The type with a column of its own that `type` is; nil for any other.
  static func column(_ type: any Any.Type) -> (any __ColumnValue.Type)? {
    columns[ObjectIdentifier(type)] ?? type as? any __ColumnValue.Type
  }
}
