import Foundation
import UntrustedInput

/// A binary property list, read object by object.
///
/// Foundation's reader decodes the whole list at once and does not support UIDs, which keyed archives need. Any bytes are
/// safe: this reader decodes an object on request and checks its length against the bytes.
struct BinaryPropertyList {
  /// The reason why bytes are not a property list.
  struct Failure: Error { let reason: String }

  /// One object. Containers name their members by index.
  enum Object {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number above the greatest `Int64`.
    case unsigned(UInt64)
    case real(Double)
    /// Seconds since 2001.
    case date(Double)
    case data(Data)
    case string(String)
    case uid(Int)
    case array([Int])
    case dictionary([(key: Int, value: Int)])
  }

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let tableStart: Int
  let count: Int
  /// The index of the object that contains the others.
  let top: Int

  var size: Int { bytes.count }

  static let signature = Array("bplist00".utf8)

  /// - Throws: ``Failure``.
  init(_ bytes: [UInt8]) throws {
    guard bytes.count >= 40, bytes.starts(with: Self.signature) else {
      throw Failure(reason: "no binary property list")
    }
    self.bytes = bytes
    let trailer = bytes.count - 32
    (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
    func number(_ offset: Int) throws -> Int {
      let value = Untrusted(bytes[offset..<offset + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
      guard let place = value.value(in: 0...UInt64(bytes.count)) else {
        throw Failure(reason: "its trailer names places beyond its end")
      }
      return Int(place)
    }
    (count, top, tableStart) = (try number(trailer + 8), try number(trailer + 16), try number(trailer + 24))
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), top < count,
      tableStart + count * offsetSize <= trailer
    else { throw Failure(reason: "its trailer is not one of a property list") }
  }

  /// A number that the list names: of a place, an object or a length.
  private func number(at offset: Int, size: Int) throws -> Untrusted<UInt64> {
    guard offset >= 0, offset + size <= bytes.count else { throw Failure(reason: "it ends too early") }
    var value: UInt64 = 0
    for byte in bytes[offset..<offset + size] { value = value << 8 | UInt64(byte) }
    return Untrusted(value)
  }

  /// The index of an object that another one names.
  private func reference(at offset: Int) throws -> Int {
    guard let index = try number(at: offset, size: referenceSize).value(in: 0...UInt64(count - 1)) else {
      throw Failure(reason: "it names an object that it does not have")
    }
    return Int(index)
  }

  /// The object of an index.
  /// - Throws: ``Failure``.
  func object(_ index: Int) throws -> Object {
    guard index >= 0, index < count else { throw Failure(reason: "it names an object that it does not have") }
    let place = try number(at: tableStart + index * offsetSize, size: offsetSize)
    guard let offset = place.value(in: 0...UInt64(tableStart)).map({ Int($0) }), offset < tableStart else {
      throw Failure(reason: "an object lies beyond its end")
    }
    let marker = bytes[offset]
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0: return marker == 0x09 ? .bool(true) : marker == 0x08 ? .bool(false) : .null
    case 1:
      let value = try integer(offset + 1, size: 1 << low)
      // The writer makes such numbers of unsigned values alone.
      let isUnsigned = low == 4 && value < 0 && bytes[offset + 1..<offset + 9].allSatisfy { $0 == 0 }
      return isUnsigned ? .unsigned(UInt64(bitPattern: value)) : .integer(value)
    case 2: return .real(try real(offset + 1, size: 1 << low))
    case 3: return .date(try real(offset + 1, size: 8))
    case 4:
      let (start, count) = try extent(offset, low, size: 1)
      return .data(Data(bytes[start..<start + count]))
    case 5, 7:
      let (start, count) = try extent(offset, low, size: 1)
      return .string(String(decoding: bytes[start..<start + count], as: UTF8.self))
    case 6:
      let (start, count) = try extent(offset, low, size: 2)
      let units = (0..<count).map { UInt16(bytes[start + 2 * $0]) << 8 | UInt16(bytes[start + 2 * $0 + 1]) }
      return .string(String(decoding: units, as: UTF16.self))
    case 8:
      guard let uid = try number(at: offset + 1, size: low + 1).value(in: 0...UInt64(Int.max)) else {
        throw Failure(reason: "a number is too large")
      }
      return .uid(Int(uid))
    case 0xA, 0xB, 0xC:
      let (start, count) = try extent(offset, low, size: referenceSize)
      return .array(try (0..<count).map { try reference(at: start + $0 * referenceSize) })
    case 0xD:
      let (start, count) = try extent(offset, low, size: 2 * referenceSize)
      return .dictionary(
        try (0..<count).map { index in
          (try reference(at: start + index * referenceSize), try reference(at: start + (count + index) * referenceSize))
        })
    default: throw Failure(reason: "an object of an unknown kind")
    }
  }

  private func integer(_ offset: Int, size: Int) throws -> Int64 {
    guard size <= 16, offset + size <= bytes.count else { throw Failure(reason: "a number is too large") }
    // Numbers of 1, 2 and 4 bytes are unsigned. Unsigned 64-bit numbers take 16 bytes.
    let value = bytes[offset..<offset + size].suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int64(bitPattern: value)
  }

  private func real(_ offset: Int, size: Int) throws -> Double {
    guard size == 4 || size == 8, offset + size <= bytes.count else { throw Failure(reason: "a number is too large") }
    let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 4 ? Double(Float(bitPattern: UInt32(value))) : Double(bitPattern: value)
  }

  /// The offset and the number of an object's members.
  private func extent(_ offset: Int, _ low: Int, size: Int) throws -> (start: Int, count: Int) {
    var (start, length) = (offset + 1, Untrusted(UInt64(low)))
    if low == 0x0F {
      guard start < bytes.count, bytes[start] >> 4 == 1 else { throw Failure(reason: "a length is not a number") }
      let width = 1 << Int(bytes[start] & 0x0F)
      guard width <= 8 else { throw Failure(reason: "a length is too large") }
      length = try number(at: start + 1, size: width)
      start += 1 + width
    }
    guard start <= bytes.count, let count = length.value(in: 0...UInt64((bytes.count - start) / size)) else {
      throw Failure(reason: "an object claims more bytes than there are")
    }
    return (start, Int(count))
  }
}

extension BinaryPropertyList {
  /// The list as a plain value.
  /// - Throws: ``Failure``, also for a list that contains itself or grows without bound.
  func plainValue() throws -> PlainValue {
    var budget = Budget(bytes: 2 * size + 65_536)
    return try plainValue(top, depth: 0, &budget)
  }

  private func plainValue(_ index: Int, depth: Int, _ budget: inout Budget) throws -> PlainValue {
    guard budget.spend(), depth < 64 else { throw Failure(reason: "it nests or repeats too much") }
    switch try object(index) {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .unsigned(let value): return .decimal(String(value))
    case .real(let value): return .real(value)
    case .date(let value): return .date(value)
    case .data(let value):
      guard budget.spend(value.count) else { throw Failure(reason: "it repeats too much") }
      return .data(value)
    case .string(let value):
      guard budget.spend(value.utf8.count) else { throw Failure(reason: "it repeats too much") }
      return .string(value)
    case .uid(let value): return .integer(Int64(value))
    case .array(let members): return .array(try members.map { try plainValue($0, depth: depth + 1, &budget) })
    case .dictionary(let members):
      var result = [String: PlainValue]()
      for (key, value) in members {
        guard case .string(let name) = try object(key) else { throw Failure(reason: "a key is not a text") }
        result[name] = try plainValue(value, depth: depth + 1, &budget)
      }
      return .dictionary(result)
    }
  }
}

/// A limit for the size of a decoded value. A list can name one object many times.
struct Budget {
  private var objects: Int
  private var bytes: Int

  init(objects: Int = 200_000, bytes: Int) { (self.objects, self.bytes) = (objects, bytes) }

  /// Counts an object with its bytes. Returns false if the limit is exceeded.
  mutating func spend(_ count: Int = 0) -> Bool {
    objects -= 1
    bytes -= count
    return objects > 0 && bytes >= 0
  }

  /// Counts objects without bytes. Returns false if the limit is exceeded.
  mutating func spend(objects count: Int) -> Bool {
    objects -= count
    return objects > 0
  }
}
