extension Schema {
  /// A type whose `==` compares raw values.
  ///
  /// A struct with a raw value, such as a typed identifier, is stored by its raw value. The struct may have an `==` of its own,
  /// such as one that ignores case, and the engine cannot see that. So Swift compares each row in a predicate, and the struct
  /// cannot be unique. A struct that conforms to this protocol is compared by its raw value in SQL, which can use an
  /// index, and can be unique:
  ///
  /// ```swift
  /// struct OrderID: Schema.ComparedByRawValue, Hashable, Codable { let rawValue: UUID }
  /// ```
  ///
  /// Enums without associated values need not conform, because the engine compares all their cases.
  public protocol ComparedByRawValue: RawRepresentable, Equatable {}
}

/// Whether types with a raw value are compared by it.
///
/// `==` of such a type may be the program's own, and no metadata says so. It is known of an enum without associated values, whose
/// cases are all its values: each is compared with each, once. It is known of a type that says so. Of all others it is unknown.
enum RawEquality {
  private static let known = Lock<[ObjectIdentifier: Bool]>([:])

  /// Whether values are equal in Swift exactly if their raw values are. True for a type that has no `==`.
  static func isOfRawValues(_ type: any RawRepresentable.Type) -> Bool {
    let id = ObjectIdentifier(type)
    if let answer = known.withLock({ $0[id] }) { return answer }
    // Outside the lock, because it runs the program's `==`.
    let answer = examine(type)
    known.withLock { $0[id] = answer }
    return answer
  }

  private static func examine(_ type: any RawRepresentable.Type) -> Bool {
    if type is any Schema.ComparedByRawValue.Type { return true }
    guard let type = type as? any (RawRepresentable & Equatable).Type else { return true }
    return compare(type)
  }

  private static func compare<R: RawRepresentable & Equatable>(_: R.Type) -> Bool {
    guard let cases = EnumCases.all(of: R.self) else { return false }
    let raws = cases.map { $0.rawValue as? AnyHashable }
    return cases.indices.allSatisfy { one in
      cases.indices.allSatisfy { other in (cases[one] == cases[other]) == (raws[one] != nil && raws[one] == raws[other])
      }
    }
  }
}

/// Whether values of types with a raw value are encoded as it.
///
/// `encode(to:)` may be the program's own, and no metadata says so. So each value of an enum is encoded, once. Of other types it is
/// unknown.
enum RawCoding {
  private static let known = Lock<[ObjectIdentifier: Bool]>([:])

  static func isOfRawValues(_ type: any (RawRepresentable & Encodable).Type) -> Bool {
    let id = ObjectIdentifier(type)
    if let answer = known.withLock({ $0[id] }) { return answer }
    // Outside the lock, because it runs the program's `encode(to:)`.
    let answer = compare(type)
    known.withLock { $0[id] = answer }
    return answer
  }

  private static func compare<R: RawRepresentable & Encodable>(_: R.Type) -> Bool {
    guard let cases = EnumCases.all(of: R.self) else { return false }
    return cases.allSatisfy { value in
      guard let raw = value.rawValue as? any Encodable, let expected = try? JSONCoding.encode(attribute: raw) else {
        return false
      }
      return (try? JSONCoding.encode(attribute: value)) == expected
    }
  }
}

/// The values of an enum without associated values.
///
/// Swift's `docs/ABI/TypeMetadata.rst` describes the layout, as for ``TypeKind``.
enum EnumCases {
  /// An enum with more cases is not examined.
  private static let limit = 256

  private typealias Inject = @convention(c) (UnsafeMutableRawPointer, UInt32, UnsafeRawPointer) -> Void

  private enum Sample { case first, second, third }

  /// Whether the layout is the expected one.
  private static let isKnown = read(Sample.self, limit: 8) == [.first, .second, .third]

  /// All values, or nil if the type is not such an enum or has too many cases.
  static func all<T>(of type: T.Type) -> [T]? {
    TypeKind(type) == .enumeration && isKnown ? read(type, limit: limit) : nil
  }

  private static func read<T>(_ type: T.Type, limit: Int) -> [T]? {
    let metadata = unsafeBitCast(type as any Any.Type, to: UnsafePointer<UInt>.self)
    guard TypeKind(type) == .enumeration, let descriptor = UnsafePointer<UInt32>(bitPattern: metadata[1]),
      let witnesses = UnsafePointer<UInt>(bitPattern: (metadata - 1)[0])
    else { return nil }
    let (withPayload, count) = (descriptor[5] & 0xFF_FFFF, descriptor[6])
    // Types that C declares have no cases here.
    guard withPayload == 0, count > 0, count <= limit else { return nil }
    let hasEnumWitnesses = UnsafePointer<UInt32>(OpaquePointer(witnesses + 10))[0] & 0x20_0000 != 0
    guard hasEnumWitnesses, witnesses[13] != 0 else { return nil }
    let inject = unsafeBitCast(witnesses[13], to: Inject.self)
    return (0..<count).map { tag in
      withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { place in
        let start = place.baseAddress!
        inject(UnsafeMutableRawPointer(start), tag, UnsafeRawPointer(metadata))
        return start.move()
      }
    }
  }
}
