// Parts of captured values that may not be there. Swift would trap. A predicate fails only where it needs the part.

extension __Build {
  /// The element at an index of a captured collection, or nil if the index is out of range.
  public static func element<C: Collection>(
    _ collection: C,
    _ index: C.Index,
    _ get: (C, C.Index) -> C.Element
  ) -> C.Element? {
    index >= collection.startIndex && index < collection.endIndex ? get(collection, index) : nil
  }

  /// A part of a captured collection, or nil if the range is not inside it.
  public static func element<C: Collection, Bounds: RangeExpression>(
    _ collection: C,
    _ bounds: Bounds,
    _ get: (C, Bounds) -> C.SubSequence
  ) -> C.SubSequence? where Bounds.Bound == C.Index {
    guard let range = CapturedRange(bounds) else { return get(collection, bounds) }
    // The casts cannot fail, because the bounds have the type of the indices.
    let lower = range.lower.map { $0 as! C.Index } ?? collection.startIndex
    let upper = range.upper.map { $0 as! C.Index } ?? collection.endIndex
    let isInside =
      lower >= collection.startIndex && lower <= upper
      && (range.isClosed && range.upper != nil ? upper < collection.endIndex : upper <= collection.endIndex)
    return isInside ? get(collection, bounds) : nil
  }

  /// The result of a subscript of a type that is not a collection.
  @_disfavoredOverload
  public static func element<Base, Key, T>(_ base: Base, _ key: Key, _ get: (Base, Key) -> T) -> T? { get(base, key) }

  /// The value of an optional chain whose rest may fail: nil if the rest fails, and a value that is nil if the chain ends before it.
  public static func chain<Base, T>(_ base: Base?, _ rest: (Base) -> T?) -> T?? {
    guard let base else { return .some(nil) }
    return rest(base).map { .some($0) }
  }

  /// The value at the end of an optional chain. A chain to an optional adds no other optional.
  public static func flat<T>(_ value: T???) -> T?? { value.map { $0.flatMap(\.self) } }

  /// The value at the end of an optional chain.
  public static func flat<T>(_ value: T??) -> T?? { value }

  /// `value ?? other` of captured values, where `other` is nil if it fails.
  public static func present<T>(_ value: T?, or other: @autoclosure () -> T?) -> T? { value ?? other() }

  /// `value ?? other` of captured values with an optional on the right.
  public static func present<T>(_ value: T?, or other: @autoclosure () -> T??) -> T?? {
    if let value { .some(value) } else { other() }
  }

  /// A captured divisor, or nil if it is zero.
  public static func divisor<T: BinaryInteger>(_ value: T) -> T? { value == 0 ? nil : value }

  /// A captured divisor of a type that allows division by zero.
  @_disfavoredOverload
  public static func divisor<T>(_ value: T) -> T? { value }

  /// A captured `lower...upper`, or nil if the bounds are in the wrong order or one is NaN.
  public static func closedRange<Bound: Comparable>(_ lower: Bound, _ upper: Bound) -> ClosedRange<Bound>? {
    lower <= upper ? lower...upper : nil
  }

  /// A captured `lower..<upper`, or nil if the bounds are in the wrong order or one is NaN.
  public static func range<Bound: Comparable>(_ lower: Bound, _ upper: Bound) -> Range<Bound>? {
    lower <= upper ? lower..<upper : nil
  }

  /// The only bound of a captured range, or nil if it is NaN.
  public static func bound<Bound: Comparable>(_ value: Bound) -> Bound? { value == value ? value : nil }

  /// A captured number of elements, or nil if it is negative.
  public static func count(_ value: Int) -> Int? { value < 0 ? nil : value }

  /// `list.prefix(number)` and so on of a captured list, or nil if the number is negative.
  public static func part<S: Sequence, Part>(_ list: S, _ number: Int, _ get: (S, Int) -> Part) -> Part? {
    number < 0 ? nil : get(list, number)
  }

  /// The result of a method of the same name of another type.
  @_disfavoredOverload
  public static func part<Base, Argument, Result>(
    _ base: Base, _ argument: Argument, _ get: (Base, Argument) -> Result
  ) -> Result? { get(base, argument) }

  /// `Int(number)` and so on, or nil if the type has no such number.
  public static func integer<Number: BinaryFloatingPoint, I: FixedWidthInteger>(
    _ number: Number, _: I.Type, _ convert: (Number) -> I
  ) -> I? { I(exactly: number.rounded(.towardZero)) }

  /// `Int(number)` and so on, or nil if the type has no such number.
  public static func integer<Number: BinaryInteger, I: FixedWidthInteger>(
    _ number: Number, _: I.Type, _ convert: (Number) -> I
  ) -> I? { I(exactly: number) }

  /// `Int(text)` and so on: what the initializer returns, which is nil itself for a text that is not a number.
  @_disfavoredOverload
  public static func integer<T, I, Result>(_ value: T, _: I.Type, _ convert: (T) -> Result) -> Result? {
    convert(value)
  }
}
