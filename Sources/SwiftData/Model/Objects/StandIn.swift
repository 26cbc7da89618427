import Foundation

/// Objects that stand in for rows that are gone: the target of a required to-one, or the object of an old identifier.
///
/// A getter must return an object. Its attributes have the defaults of their declarations, or else zero, an empty text, an
/// empty list and so on. No decoder of the program runs.
enum StandIn {
  /// An object without a context.
  /// - Parameter example: an object of the class, or nil if there is none. It is asked only if an attribute's type has no
  ///   value that is known without it.
  static func object(of entity: __Entity, like example: () -> (any PersistentModel)?) -> any PersistentModel {
    var (known, missing) = ([Int: Any](), [__Property]())
    for property in entity.properties where property.isAttribute && !property.isOptional {
      if let value = property.defaultValue ?? value(of: property.valueType) {
        known[property.index] = value
      } else {
        missing.append(property)
      }
    }
    if !missing.isEmpty, let example = example() {
      for property in missing { known[property.index] = example.__value(at: property.index) }
    }
    do {
      let object: any PersistentModel = try entity.type.init(__row: StandInReader(known, entity: entity))
      object.__state.flags = .standIn
      return object
    } catch {
      preconditionFailure("\(entity.name) has no row of the asked key and no value can stand in: \(error)")
    }
  }

  /// The error of a relationship to such an object, which would save it as if the program had made it.
  static func error(_ object: any PersistentModel) -> SwiftDataError {
    let entity = type(of: object).__entity.name
    return SwiftDataError(
      .staleObject, entity: entity,
      message:
        "the row of the \(entity) (\(object.persistentModelID)) is gone, and an object with default values stands for"
        + " it, which a relationship does not save; relate an object that a fetch returns, or insert this one as a new object"
    )
  }

  /// A value of a type, made without the type's own code where it has no known one. Nil if there is none.
  static func value(of type: Any.Type) -> Any? {
    func known<T>(_: T.Type) -> Any? { __placeholder(T.self) }
    if let value = _openExistential(type, do: known) { return value }
    if let cases = type as? any CaseIterable.Type { return firstCase(of: cases) }
    func zero<T>(_: T.Type) -> Any? { Self.zero(T.self) }
    func made<T>(_: T.Type) -> Any? { Self.made(T.self) }
    return _openExistential(type, do: zero) ?? _openExistential(type, do: made)
  }

  private static func firstCase<C: CaseIterable>(of type: C.Type) -> Any? { type.allCases.first }

  /// All bits zero, which is the first case of an enum without references.
  private static func zero<T>(_: T.Type) -> Any? {
    guard _isPOD(T.self) else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: max(1, MemoryLayout<T>.size), alignment: MemoryLayout<T>.alignment)
    {
      $0.initializeMemory(as: UInt8.self, repeating: 0)
      return $0.load(as: T.self)
    }
  }

  /// A struct of such values.
  private static func made<T>(_: T.Type) -> Any? {
    guard let fields = StructFields(of: T.self)?.fields else { return nil }
    let values = fields.compactMap { value(of: $0.type) }
    guard values.count == fields.count else { return nil }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { memory in
      let start = UnsafeMutableRawPointer(memory.baseAddress!)
      start.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<T>.size)
      for (field, value) in zip(fields, values) {
        // The cast cannot fail, because the value was made for the field's type.
        func put<F>(_: F.Type) { (start + field.offset).initializeMemory(as: F.self, to: value as! F) }
        _openExistential(field.type, do: put)
      }
      return memory.baseAddress!.move()
    }
  }
}

/// Reads values by property index. A relationship has no target.
private final class StandInReader: __RowReader {
  private let values: [Int: Any]

  init(_ values: [Int: Any], entity: __Entity) {
    self.values = values
    super.init(entity: entity)
    carriesValues = true
  }

  override func value(_ index: Int) -> Any? { values[index] }
  override func faultKey(_ index: Int) -> Int64? { entity.properties[index].isAttribute ? nil : 0 }
}
