/// Reads raw DEFLATE data (RFC 1951), which is how Apple's frameworks compress the model inside a store.
///
/// Any bytes are safe: the reader checks every length, and the result cannot grow beyond a limit.
struct Inflate {
  /// The reason why data is not DEFLATE.
  struct Failure: Error { let reason: String }

  private let bytes: [UInt8]
  private var position = 0
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var output: [UInt8] = []
  private let limit: Int

  private init(_ bytes: [UInt8], limit: Int) { (self.bytes, self.limit) = (bytes, limit) }

  /// Decompresses data.
  /// - Parameter limit: the greatest number of bytes in the result.
  /// - Throws: ``Failure``.
  static func decompress(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
    var inflate = Inflate(bytes, limit: limit)
    try inflate.run()
    return inflate.output
  }

  private mutating func run() throws {
    var isLast = false
    while !isLast {
      isLast = try take(1) == 1
      switch try take(2) {
      case 0: try copyStored()
      case 1:
        let literals = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
        try decode(try Huffman(literals), try Huffman(Array(repeating: 5, count: 30)))
      case 2:
        let (literals, distances) = try dynamicCodes()
        try decode(literals, distances)
      default: throw Failure(reason: "a block of an unknown type")
      }
    }
  }

  // MARK: - Bits

  private mutating func take(_ count: Int) throws -> Int {
    while bitCount < count {
      guard position < bytes.count else { throw Failure(reason: "the data ends too early") }
      bits |= UInt32(bytes[position]) << UInt32(bitCount)
      position += 1
      bitCount += 8
    }
    let value = bits & ((1 << UInt32(count)) - 1)
    bits >>= UInt32(count)
    bitCount -= count
    return Int(value)
  }

  private mutating func append(_ byte: UInt8) throws {
    guard output.count < limit else { throw Failure(reason: "more than \(limit) bytes") }
    output.append(byte)
  }

  // MARK: - Blocks

  private mutating func copyStored() throws {
    (bits, bitCount) = (0, 0)
    guard position + 4 <= bytes.count else { throw Failure(reason: "the data ends too early") }
    let length = Int(bytes[position]) | Int(bytes[position + 1]) << 8
    position += 4
    guard position + length <= bytes.count else { throw Failure(reason: "the data ends too early") }
    guard output.count + length <= limit else { throw Failure(reason: "more than \(limit) bytes") }
    output += bytes[position..<position + length]
    position += length
  }

  private mutating func decode(_ literals: Huffman, _ distances: Huffman) throws {
    while true {
      let symbol = try literals.next(&self)
      if symbol < 256 {
        try append(UInt8(symbol))
        continue
      }
      if symbol == 256 { return }
      guard symbol <= 285 else { throw Failure(reason: "an unknown length") }
      let length = Self.lengths[symbol - 257].base + (try take(Self.lengths[symbol - 257].extra))
      let code = try distances.next(&self)
      guard code < 30 else { throw Failure(reason: "an unknown distance") }
      let distance = Self.distances[code].base + (try take(Self.distances[code].extra))
      guard distance <= output.count else { throw Failure(reason: "a distance before the beginning") }
      for _ in 0..<length { try append(output[output.count - distance]) }
    }
  }

  private mutating func dynamicCodes() throws -> (Huffman, Huffman) {
    let literalCount = try take(5) + 257
    let distanceCount = try take(5) + 1
    let codeCount = try take(4) + 4
    var codeLengths = [Int](repeating: 0, count: 19)
    for index in 0..<codeCount { codeLengths[Self.codeOrder[index]] = try take(3) }
    let codes = try Huffman(codeLengths)
    var lengths = [Int]()
    while lengths.count < literalCount + distanceCount {
      let symbol = try codes.next(&self)
      switch symbol {
      case 0..<16: lengths.append(symbol)
      case 16:
        guard let last = lengths.last else { throw Failure(reason: "a repetition of nothing") }
        lengths += Array(repeating: last, count: 3 + (try take(2)))
      case 17: lengths += Array(repeating: 0, count: 3 + (try take(3)))
      default: lengths += Array(repeating: 0, count: 11 + (try take(7)))
      }
    }
    guard lengths.count == literalCount + distanceCount else { throw Failure(reason: "too many code lengths") }
    return (try Huffman(Array(lengths[..<literalCount])), try Huffman(Array(lengths[literalCount...])))
  }

  // MARK: - Tables

  private struct Huffman {
    /// How many codes there are of each length.
    private var counts = [Int](repeating: 0, count: 16)
    private var symbols: [Int] = []

    /// - Throws: ``Failure`` for more codes of a length than there can be.
    init(_ lengths: [Int]) throws {
      for length in lengths { counts[length] += 1 }
      counts[0] = 0
      var left = 1
      for length in 1...15 {
        left = 2 * left - counts[length]
        guard left >= 0 else { throw Failure(reason: "too many codes of a length") }
      }
      for length in 1...15 where counts[length] > 0 {
        for (symbol, other) in lengths.enumerated() where other == length { symbols.append(symbol) }
      }
    }

    func next(_ input: inout Inflate) throws -> Int {
      var (code, first, index) = (0, 0, 0)
      for length in 1...15 {
        code |= try input.take(1)
        let count = counts[length]
        if code - count < first { return symbols[index + (code - first)] }
        index += count
        first = (first + count) << 1
        code <<= 1
      }
      throw Failure(reason: "an unknown code")
    }
  }

  private static let codeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  private static let lengths: [(base: Int, extra: Int)] = {
    var (table, base) = ([(base: Int, extra: Int)](), 3)
    for index in 0..<28 {
      let extra = index < 8 ? 0 : (index - 4) / 4
      table.append((base, extra))
      base += 1 << extra
    }
    return table + [(258, 0)]
  }()

  private static let distances: [(base: Int, extra: Int)] = {
    var (table, base) = ([(base: Int, extra: Int)](), 1)
    for index in 0..<30 {
      let extra = index < 4 ? 0 : (index - 2) / 2
      table.append((base, extra))
      base += 1 << extra
    }
    return table
  }()
}
