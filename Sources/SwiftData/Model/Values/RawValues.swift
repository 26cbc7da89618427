/// Caches the enum values of a statement's rows by their raw text, because few texts repeat often.
///
/// Decoding an enum creates a String and compares it with the raw value of each case.
@usableFromInline
struct __RawValues {
  /// The cached values by column.
  @usableFromInline
  var columns: [AnyObject?] = []

  @usableFromInline
  init() {}

  @inlinable
  func value<V>(of text: __ShortText, _ column: Int32) -> V? {
    known(column, of: V.self)?.values.first { $0.text == text }?.value
  }

  @inlinable
  mutating func remember<V>(_ value: V, of text: __ShortText, _ column: Int32) {
    if let known = known(column, of: V.self) {
      // A cache beyond eight entries would take longer to search than a decoding.
      if known.values.count < 8 { known.values.append((text, value)) }
      return
    }
    while columns.count <= Int(column) { columns.append(nil) }
    columns[Int(column)] = Known<V>(text, value)
  }

  /// Classes that share a column may store enums of two types in it.
  @inlinable
  func known<V>(_ column: Int32, of: V.Type) -> Known<V>? {
    guard columns.indices.contains(Int(column)), let known = columns[Int(column)] else { return nil }
    return type(of: known) == Known<V>.self ? unsafeDowncast(known, to: Known<V>.self) : nil
  }

  @usableFromInline
  final class Known<V> {
    @exclusivity(unchecked)
    @usableFromInline
    var values: [(text: __ShortText, value: V)]

    @inlinable
    init(_ text: __ShortText, _ value: V) { values = [(text, value)] }
  }
}

/// A text of at most 15 bytes.
public struct __ShortText: Equatable {
  @usableFromInline
  let low: UInt64
  /// The highest byte is the number of bytes.
  @usableFromInline
  let high: UInt64

  /// Returns nil if the text is longer.
  public init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count < 16 else { return nil }
    let count = UInt64(bytes.count)
    let raw = UnsafeRawBufferPointer(bytes)
    if count < 8 {
      var word: UInt64 = 0
      for byte in raw.reversed() { word = word << 8 | UInt64(byte) }
      (low, high) = (word, count << 56)
    } else {
      // The last eight bytes overlap the first ones, which are shifted out.
      let last = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self))
      low = UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self))
      high = (count == 8 ? 0 : last >> (8 * (16 - count))) | count << 56
    }
  }
}
