import UntrustedInput

/// Reads an enum as JSON has it: by its name, or by its number, which Google's own clients send.
///
/// - Parameter numbered: all values, at least one; the number of the first one is `first`, and the others follow.
func decodeEnum<T: RawRepresentable<String>>(_ decoder: any Decoder, _ numbered: [T], first: Int) throws -> T {
  let container = try decoder.singleValueContainer()
  if let number = try? container.decode(Untrusted<Int>.self) {
    if let index = number.subtractingSaturating(first).value(in: 0...numbered.count - 1) { return numbered[index] }
  } else if let value = T(rawValue: try container.decode(String.self)) {
    return value
  }
  throw DecodingError.dataCorruptedError(in: container, debugDescription: "no known value of \(T.self)")
}
