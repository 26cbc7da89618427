public import ArgumentParser

/// A size in bytes, as people write it: `10GiB`, `1.5MB`, `4096`.
///
/// GNU's commands have the same units: K, M, G and T, also as KiB, MiB, GiB and TiB, are powers of 1024, and KB, MB, GB and TB
/// are powers of 1000. A number without a unit counts bytes.
public struct ByteCount: Hashable, Sendable, ExpressibleByArgument {
  /// The number of bytes.
  public let bytes: Int64

  /// Makes a size.
  public init(_ bytes: Int64) { self.bytes = bytes }

  private static let units: [String: Double] = [
    "": 1, "b": 1, "k": 0x1p10, "m": 0x1p20, "g": 0x1p30, "t": 0x1p40, "kib": 0x1p10, "mib": 0x1p20, "gib": 0x1p30,
    "tib": 0x1p40, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
  ]

  /// Reads a size. Returns nil for a text that is not one, for a negative size, and for one above 2^53 bytes.
  public init?(argument: String) {
    let number = argument.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    let unit = argument.dropFirst(number.count).drop { $0 == " " }.lowercased()
    guard number.first != ".", number.last != ".", let value = Double(number), let factor = Self.units[unit] else {
      return nil
    }
    let bytes = (value * factor).rounded()
    guard bytes <= 0x1p53 else { return nil }
    self.bytes = Int64(bytes)
  }

  /// The size with the greatest unit that divides it.
  public var defaultValueDescription: String {
    for (unit, shift) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)] where bytes != 0 {
      if bytes & (1 << shift - 1) == 0 { return "\(bytes >> shift)\(unit)" }
    }
    return "\(bytes)"
  }
}
