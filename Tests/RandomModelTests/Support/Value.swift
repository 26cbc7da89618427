import Foundation

/// A stored value without its type, so that values of two versions of a model can be compared.
indirect enum Value: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// An integer above those of `Int64`.
  case unsigned(UInt64)
  case real(Double)
  case decimal(Decimal)
  case text(String)
  case date(Date)
  case uuid(UUID)
  case url(URL)
  case data(Data)
  case list([Value])
  case set(Set<Value>)
  case record([String: Value])
  /// The object of a to-one relationship, by its serial number.
  case object(Int)
  /// The objects of a to-many relationship, by their serial numbers.
  case objects([Int])

  init(_ number: some FixedWidthInteger) {
    self = Int64(exactly: number).map { Value.integer($0) } ?? Value.unsigned(UInt64(number))
  }
}

/// The plain Swift function of a change says that the store must refuse it.
struct Refused: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

// The changes of values that a migration makes.
extension Value {
  /// The value, or another one instead of nil.
  func or(_ other: Value) -> Value { self == .null ? other : self }

  /// The value, which a property that is not optional takes.
  func required() throws -> Value {
    if self == .null { throw Refused("nil in a required property without a default") }
    return self
  }

  /// The change of a value that is not nil.
  func map(_ change: (Value) throws -> Value) rethrows -> Value { self == .null ? self : try change(self) }

  func fits<Number: FixedWidthInteger>(_: Number.Type) throws -> Value {
    switch self {
    case .integer(let number) where Number(exactly: number) != nil: return self
    case .unsigned(let number) where Number(exactly: number) != nil: return self
    default: throw Refused("\(self) does not fit \(Number.self)")
    }
  }

  func asReal() throws -> Value {
    guard case .integer(let number) = self, number.magnitude <= 1 << 53 else {
      throw Refused("\(self) has more than 53 bits")
    }
    return .real(Double(number))
  }

  func asFloat() throws -> Value {
    guard case .real(let number) = self, number.isNaN || Double(Float(number)) == number else {
      throw Refused("\(self) is not exactly a Float")
    }
    return self
  }

  func isCase<Choice: CaseIterable & Storable>(of _: Choice.Type) throws -> Value {
    if Choice.allCases.contains(where: { $0.plain == self }) { return self }
    throw Refused("\(self) is no case of \(Choice.self)")
  }

  func with(_ member: String, _ value: Value) -> Value {
    guard case .record(var members) = self else { return self }
    members[member] = value
    return .record(members)
  }

  func without(_ member: String) -> Value {
    guard case .record(var members) = self else { return self }
    members[member] = nil
    return .record(members)
  }

  /// The list of a to-many relationship that was a to-one.
  var asList: Value {
    if case .object(let serial) = self { return .objects([serial]) }
    return .objects([])
  }

  /// The object of a to-one relationship that was a to-many.
  func single() throws -> Value {
    guard case .objects(let serials) = self, serials.count <= 1 else { throw Refused("more than one object") }
    return serials.first.map { .object($0) } ?? .null
  }
}
