/// The steps of a key path: its properties, optional chains and forced unwrappings, with their types.
///
/// Swift compares whole key paths only. It cannot take one apart, so `\Song.album?.title`, or an inherited property under
/// the name of a subclass, could only be understood by running its getters. The steps are therefore read from the
/// runtime's own form of a key path (`KeyPathBuffer` of the standard library), in which each step carries the identity
/// by which Swift compares it. Nothing of the program runs.
///
/// The form is checked once, on key paths whose steps are known (`isKnown`). With a runtime of another form no key path
/// has steps, and the engine knows only what it can compare as a whole.
package struct KeyPathSteps {
  package enum Kind: Hashable {
    /// A stored property of a struct or a class, by its offset.
    case stored(offset: Int, inClass: Bool)
    /// A property with accessors, by the identity of its getter.
    case computed(identity: UInt)
    /// A requirement of a protocol. Which property meets it is known only to the conformance's code.
    case requirement
    /// A subscript, or anything else that this type does not read.
    case other
    /// `?`
    case chain
    /// `!`
    case force
    /// The end of an optional chain.
    case wrap
  }

  package struct Step {
    let kind: Kind
    /// The type whose property it is.
    let root: Any.Type
    let value: Any.Type
  }

  let steps: [Step]

  /// Returns nil if the runtime stores key paths in a form that is not known here.
  init?(_ keyPath: AnyKeyPath) {
    guard Self.isKnown, let steps = Self.read(keyPath) else { return nil }
    self.steps = steps
  }

  // MARK: - The runtime's form
  // An object's header, a pointer, then the buffer: a header, and for each step a header with its payload. The types
  // between two steps are in between, aligned as pointers.

  private static let word = MemoryLayout<Int>.size

  private static func read(_ keyPath: AnyKeyPath) -> [Step]? {
    withExtendedLifetime(keyPath) {
      let buffer = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque()) + 3 * word
      let size = Int(buffer.load(as: UInt32.self) & 0xFF_FFFF)
      return steps(UnsafeRawBufferPointer(start: buffer + word, count: size), type(of: keyPath))
    }
  }

  private static func steps(_ bytes: UnsafeRawBufferPointer, _ keyPath: AnyKeyPath.Type) -> [Step]? {
    var (steps, root, position) = ([Step](), keyPath.rootType, 0)
    while position < bytes.count {
      guard let (kind, size) = step(bytes, at: position) else { return nil }
      position += size
      var value = keyPath.valueType
      if position < bytes.count {
        position = (position + word - 1) / word * word
        guard let next = load(UInt.self, bytes, position), let type = UnsafeRawPointer(bitPattern: next) else {
          return nil
        }
        value = unsafeBitCast(type, to: Any.Type.self)
        position += word
      }
      steps.append(Step(kind: kind, root: root, value: value))
      root = value
    }
    return position == bytes.count ? steps : nil
  }

  private static func load<I: FixedWidthInteger>(_: I.Type, _ bytes: UnsafeRawBufferPointer, _ position: Int) -> I? {
    guard position + MemoryLayout<I>.size <= bytes.count else { return nil }
    return bytes.loadUnaligned(fromByteOffset: position, as: I.self)
  }

  /// The step at a position, and its size.
  private static func step(_ bytes: UnsafeRawBufferPointer, at position: Int) -> (Kind, Int)? {
    guard let header = load(UInt32.self, bytes, position) else { return nil }
    switch (header >> 24) & 0x7F {
    case 1: return stored(header, inClass: false, bytes, position)
    case 3: return stored(header, inClass: true, bytes, position)
    case 2: return computed(header, bytes, position)
    case 4:
      let kinds: [Kind] = [.chain, .wrap, .force]
      let payload = Int(header & 0x7F_FFFF)
      return payload < kinds.count ? (kinds[payload], 4) : nil
    default: return nil
    }
  }

  private static func stored(
    _ header: UInt32, inClass: Bool, _ bytes: UnsafeRawBufferPointer, _ position: Int
  ) -> (Kind, Int)? {
    let payload = header & 0x7F_FFFF
    // The greatest payload stands for an offset that follows.
    if payload == 0x7F_FFFF {
      return load(UInt32.self, bytes, position + 4).map { (.stored(offset: Int($0), inClass: inClass), 8) }
    }
    return payload < 0x7F_FFFD ? (.stored(offset: Int(payload), inClass: inClass), 4) : nil
  }

  private static func computed(
    _ header: UInt32, _ bytes: UnsafeRawBufferPointer, _ position: Int
  ) -> (Kind, Int)? {
    let (isSettable, hasArguments) = (header & 0x40_0000 != 0, header & 0x8_0000 != 0)
    // The identity may belong to a stored property or to an entry of a table of functions. By now it is resolved.
    let (isStored, isEntry, resolution) = (header & 0x20_0000 != 0, header & 0x10_0000 != 0, header & 0xF)
    guard resolution == 0, let identity = load(UInt.self, bytes, position + word) else { return nil }
    var size = word * (isSettable ? 4 : 3)
    if hasArguments {
      guard let arguments = load(Int.self, bytes, position + size), arguments >= 0 else { return nil }
      size += 2 * word + arguments + (header & 0x10 != 0 ? word : 0)
    }
    guard position + size <= bytes.count else { return nil }
    if isEntry { return (hasArguments ? .requirement : .other, size) }
    return (isStored ? .other : .computed(identity: identity), size)
  }

  // MARK: - The check of the form

  private final class Sample {
    let constant = 1
    var number: Int { 1 }
    var other: Int { 2 }
    var next: Sample? {
      get { nil }
      set {}
    }
    subscript(index: Int) -> Sample? { nil }
  }

  private struct Value {
    var first: Int
    var second: String
  }

  /// Whether the steps of key paths of known steps are the expected ones.
  private static let isKnown: Bool = {
    func kinds(_ keyPath: AnyKeyPath) -> [Kind]? { read(keyPath)?.map(\.kind) }
    func types(_ keyPath: AnyKeyPath) -> [ObjectIdentifier]? { read(keyPath)?.map { ObjectIdentifier($0.value) } }
    guard let number = kinds(\Sample.number)?.first, let next = kinds(\Sample.next)?.first,
      let other = kinds(\Sample.other)?.first, case .computed = number, case .computed = other, number != other,
      let constant = kinds(\Sample.constant), constant.count == 1, case .stored(_, inClass: true) = constant[0],
      kinds(\Sample.self) == [], kinds(\Value.first) == [.stored(offset: 0, inClass: false)],
      let offset = MemoryLayout<Value>.offset(of: \.second),
      kinds(\Value.second) == [.stored(offset: offset, inClass: false)],
      let element = kinds(\Sample.[3])?.first
    else { return false }
    let optional = ObjectIdentifier(Sample?.self)
    return kinds(\Sample.next?.number) == [next, .chain, number, .wrap]
      && types(\Sample.next?.number)
        == [optional, ObjectIdentifier(Sample.self), ObjectIdentifier(Int.self), ObjectIdentifier(Int?.self)]
      && kinds(\Sample.next!.next?.other) == [next, .force, next, .chain, other, .wrap]
      && kinds(\Sample.[3]?.number) == [element, .chain, number, .wrap]
  }()
}
