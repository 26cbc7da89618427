import Foundation

/// Facts about common property types without asking the runtime. The first lookup of a conformance searches all
/// conformances of the program, which takes longer than most of opening a store.
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

  /// The wrapped type of an optional, or nil for any other type.
  static func wrapped(by type: any Any.Type) -> (any Any.Type)? {
    let identifier = ObjectIdentifier(type)
    if columns[identifier] != nil { return nil }
    return optionals[identifier] ?? (type as? any __OptionalValue.Type)?.__wrapped
  }

  /// The type as one with its own column type, or nil.
  static func column(_ type: any Any.Type) -> (any __ColumnValue.Type)? {
    columns[ObjectIdentifier(type)] ?? type as? any __ColumnValue.Type
  }
}
