@_spi(Reflection) import Swift

/// The stored properties of a struct, from its type's description. No value is needed.
struct StructFields {
  struct Field {
    let name: String
    let offset: Int
    let type: Any.Type
  }

  let fields: [Field]

  /// Returns nil for other types, and for structs whose module was compiled without descriptions of its types.
  init?(of type: Any.Type) {
    guard TypeKind(type) == .structure else { return nil }
    var (fields, end) = ([Field](), 0)
    let isComplete = _forEachField(of: type, options: []) { name, offset, type, _ in
      fields.append(Field(name: String(cString: name), offset: offset, type: type))
      end = max(end, offset + Self.size(of: type))
      return true
    }
    guard isComplete, !fields.isEmpty, end == Self.size(of: type) else { return nil }
    self.fields = fields
  }

  private static func size(of type: Any.Type) -> Int {
    func size<T>(_: T.Type) -> Int { MemoryLayout<T>.size }
    return _openExistential(type, do: size)
  }
}
