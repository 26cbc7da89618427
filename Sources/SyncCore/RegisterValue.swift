public import Foundation

/// The value of a field.
///
/// Values have a total order, because it decides between two writes of one time (decision 0036). `null` is the least value and
/// references are the greatest ones. A tombstone replaces all values but references by `null`, and this order makes that commute
/// with the join.
public enum RegisterValue: Hashable, Sendable {
  // The order of the cases is the order of the values.
  /// No value.
  case null
  /// An integer.
  case integer(Int64)
  /// The bit pattern of a number, so that equal values have equal bytes: NaN equals itself, and -0 differs from 0.
  case real(bits: UInt64)
  /// A text.
  case text(ExactText)
  /// Bytes.
  case data(Data)
  /// Bytes that travel apart, named by their SHA-256.
  case asset(sha256: ExactText, size: Int)
  /// A value that only the participants of the zone can read.
  case sealed(Data)
  /// A to-one relationship.
  case reference(Reference)

  /// The reference, if the value is one.
  public var reference: Reference? { if case .reference(let reference) = self { reference } else { nil } }

  /// A floating-point number.
  public static func real(_ number: Double) -> RegisterValue { .real(bits: number.bitPattern) }
}

extension RegisterValue: Comparable {
  /// Orders values by kind, then by content.
  public static func < (left: RegisterValue, right: RegisterValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    case (.text(let left), .text(let right)): left < right
    case (.data(let left), .data(let right)), (.sealed(let left), .sealed(let right)):
      left.lexicographicallyPrecedes(right)
    case (.asset(let left, let leftSize), .asset(let right, let rightSize)):
      left == right ? leftSize < rightSize : left < right
    case (.reference(let left), .reference(let right)): left < right
    default: left.kind < right.kind
    }
  }

  private var kind: Int {
    switch self {
    case .null: 0
    case .integer: 1
    case .real: 2
    case .text: 3
    case .data: 4
    case .asset: 5
    case .sealed: 6
    case .reference: 7
    }
  }
}
