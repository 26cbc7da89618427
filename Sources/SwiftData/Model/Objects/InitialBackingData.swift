// Only code for the expansion of `@Model` uses what is public here and has no description.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The values that init accessors set in `_$backingData`, until the object takes them over.
///
/// Programs have init accessors for the expansion of Apple's macro, which keeps the values of an object there:
///
///     @storageRestrictions(initializes: _textData, accesses: _$backingData)
///     init(initialValue) {
///       _textData = .init()
///       _$backingData.setValue(forKey: \.textData, to: Data(initialValue.utf8))
///     }
public struct __InitialBackingData<Model: PersistentModel> {
  private var values: [AnyKeyPath: Any]?

  public init() {}

  public mutating func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    var changed = values ?? [:]
    changed[forKey] = newValue
    values = changed
  }

  fileprivate mutating func take<Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
    guard values != nil, let value = values!.removeValue(forKey: keyPath) else { return nil }
    if values!.isEmpty { values = nil }
    // It was set for a key path of this type.
    return (value as! Value)
  }
}

/// Takes over the initial value of a property. A property without one stays as it is.
public func __settle<Model: PersistentModel, Value>(
  _ slot: inout __Slot<Value>, _ data: inout __InitialBackingData<Model>, _ keyPath: KeyPath<Model, Value>
) {
  if slot.value == nil, let value = data.take(keyPath) { slot.value = .some(value) }
}
