import Foundation

/// Facts about common property types without asking the runtime. The first lookup of a conformance searches all
/// conformances of the program, which takes longer than most of opening a store.
enum ValueTypes {
  private typealias Column = any (__ColumnValue & Sendable).Type

  private static let columns: [ObjectIdentifier: Column] = {
    let types: [Column] = [
      String.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self,
      UInt32.self, UInt64.self, Double.self, Float.self, Bool.self, Decimal.self, Character.self, Date.self, UUID.self,
      URL.self, Data.self,
    ]
    return Dictionary(uniqueKeysWithValues: types.map { (ObjectIdentifier($0), $0) })
  }()

  /// The wrapped type of an optional, or nil for any other type.
  static func wrapped(by type: any Any.Type) -> (any Any.Type)? {
    if columns[ObjectIdentifier(type)] != nil { return nil }
    switch TypeKind(type) {
    case .optional: return TypeKind.argument(of: type)
    case .unknown: return (type as? any __OptionalValue.Type)?.__wrapped
    case .classType, .enumeration, .structure, .array, .existential: return nil
    }
  }

  /// The value inside any number of optionals.
  static func unwrapped(_ value: Any) -> Any? {
    var value = value
    while true {
      let type = Swift.type(of: value)
      if columns[ObjectIdentifier(type)] != nil { return value }
      let kind = TypeKind(type)
      if kind == .optional, let column = columns[ObjectIdentifier(TypeKind.argument(of: type))] {
        return unwrapped(value, as: column)
      }
      switch kind {
      case .classType, .enumeration, .structure, .array, .existential: return value
      case .optional, .unknown:
        guard let optional = value as? any __OptionalValue else { return value }
        guard let inner = optional.__unwrapped else { return nil }
        value = inner
      }
    }
  }

  /// The value in an optional of a type.
  private static func unwrapped<V: __ColumnValue & Sendable>(_ value: Any, as _: V.Type) -> Any? {
    // The cast cannot fail, because the value's own type says that it is an optional of this type.
    value as! V?
  }

  /// Whether the type is one of the common ones with their own column type. It has none of the engine's other protocols.
  static func isColumn(_ type: any Any.Type) -> Bool { columns[ObjectIdentifier(type)] != nil }

  /// The type as one with its own column type, or nil.
  static func column(_ type: any Any.Type) -> (any __ColumnValue.Type)? {
    if let known = columns[ObjectIdentifier(type)] { return known }
    switch TypeKind(type) {
    // No type of these kinds has a column type of its own.
    case .classType, .enumeration, .array, .existential: return nil
    case .optional, .structure, .unknown: return type as? any __ColumnValue.Type
    }
  }

  /// The type as a model class, or nil.
  static func model(_ type: any Any.Type) -> (any PersistentModel.Type)? {
    switch TypeKind(type) {
    case .classType, .unknown: type as? any PersistentModel.Type
    case .enumeration, .structure, .array, .optional, .existential: nil
    }
  }

  /// The class of the models of a to-many, or nil for any other type.
  static func members(_ type: any Any.Type) -> (any PersistentModel.Type)? {
    switch TypeKind(type) {
    case .array: model(TypeKind.argument(of: type))
    case .unknown: (type as? any RelationshipCollection.Type)?.__elementType
    case .classType, .enumeration, .structure, .optional, .existential: nil
    }
  }
}

/// The kind of a type, from the runtime's description of it (Swift's `docs/ABI/TypeMetadata.rst`).
///
/// The layout is part of Swift's stable ABI on Apple's platforms. Elsewhere it is the same so far. ``isKnown`` checks it
/// on types of each kind; if it differs, all types are `unknown`, and the engine asks the runtime for conformances.
enum TypeKind {
  case classType, structure, enumeration, optional, array
  /// `Any`, which is the type of an attribute that does not say its own, and `any P`.
  case existential
  /// Another kind, or another layout.
  case unknown

  init(_ type: any Any.Type) { self = Self.isKnown ? Self.kind(of: type) : .unknown }

  /// The argument of an optional or array type, whose kind is known.
  static func argument(of type: any Any.Type) -> any Any.Type {
    unsafeBitCast(word(2, of: type), to: Any.Type.self)
  }

  private static func word(_ index: Int, of type: any Any.Type) -> UInt {
    unsafeBitCast(type, to: UnsafePointer<UInt>.self)[index]
  }

  private static func kind(of type: any Any.Type) -> TypeKind {
    switch word(0, of: type) {
    case 0x200: word(1, of: type) == word(1, of: [Int].self) ? .array : .structure
    case 0x201: .enumeration
    case 0x202: .optional
    case 0x303: .existential
    // A class has zero, or a pointer where Objective-C is.
    case 0, 0x800...: .classType
    default: .unknown
    }
  }

  private enum Choice { case one, two }
  private struct Pair { let number: Int }
  private final class Object {}

  private static let isKnown: Bool = {
    let types: [(any Any.Type, TypeKind)] = [
      (Int?.self, .optional), (String?.self, .optional), (Object?.self, .optional), ([String].self, .array),
      ([Object].self, .array), (Pair.self, .structure), (Int.self, .structure),
      (ContiguousArray<Pair>.self, .structure),
      (Choice.self, .enumeration), (Object.self, .classType), (Any.self, .existential),
      ((any Error).self, .existential),
    ]
    return types.allSatisfy { kind(of: $0) == $1 } && argument(of: String?.self) == String.self
      && argument(of: Object?.self) == Object.self && argument(of: [Object].self) == Object.self
  }()
}

/// A collection whose JSON is the array of its elements.
protocol JSONArray: Collection {}
extension Array: JSONArray {}
extension ArraySlice: JSONArray {}
extension ContiguousArray: JSONArray {}
extension Set: JSONArray {}
