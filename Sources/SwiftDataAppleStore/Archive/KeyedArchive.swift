import Foundation

/// Decodes archives of `NSKeyedArchiver` as plain values.
///
/// It makes no instances of the classes that an archive names. An instance of any other class becomes the class's name.
struct KeyedArchive {
  /// The reason why bytes are not an archive.
  struct Failure: Error { let reason: String }

  private let list: BinaryPropertyList
  /// The objects of the archive by UID, as indices into the list.
  private let objects: [Int]
  /// The root object's UID.
  let root: Int

  /// - Throws: ``Failure`` or ``BinaryPropertyList/Failure``.
  init(_ data: [UInt8]) throws {
    list = try BinaryPropertyList(data)
    let top = try Self.members(try list.object(list.top), list)
    guard let archiver = top["$archiver"], case .string("NSKeyedArchiver") = try list.object(archiver),
      let objects = top["$objects"], case .array(let indices) = try list.object(objects),
      let heads = top["$top"]
    else { throw Failure(reason: "no keyed archive") }
    self.objects = indices
    let names = try Self.members(try list.object(heads), list)
    guard let head = names["root"] ?? names.values.first, case .uid(let root) = try list.object(head) else {
      throw Failure(reason: "it has no root")
    }
    self.root = root
  }

  private static func members(
    _ object: BinaryPropertyList.Object, _ list: BinaryPropertyList
  ) throws -> [String: Int] {
    guard case .dictionary(let pairs) = object else { throw Failure(reason: "no keyed archive") }
    var result = [String: Int]()
    for (key, value) in pairs { if case .string(let name) = try list.object(key) { result[name] = value } }
    return result
  }

  // MARK: - Objects

  /// An object of the archive: its class and its encoded fields.
  struct Instance {
    let className: String
    fileprivate let fields: [String: Int]
    var names: [String] { fields.keys.sorted() }
  }

  private func raw(_ uid: Int) throws -> BinaryPropertyList.Object {
    guard uid >= 0, uid < objects.count else { throw Failure(reason: "it names an object that it does not have") }
    return try list.object(objects[uid])
  }

  func instance(_ uid: Int) throws -> Instance? {
    guard case .dictionary = try raw(uid) else { return nil }
    let fields = try Self.members(try raw(uid), list)
    guard let link = fields["$class"], case .uid(let class_) = try list.object(link) else { return nil }
    guard case .dictionary = try raw(class_) else { return nil }
    let description = try Self.members(try raw(class_), list)
    guard let name = description["$classname"], case .string(let className) = try list.object(name) else { return nil }
    return Instance(className: className, fields: fields)
  }

  /// The UID in a field of an object.
  func link(_ name: String, of instance: Instance) throws -> Int? {
    guard let field = instance.fields[name], case .uid(let uid) = try list.object(field) else { return nil }
    return uid
  }

  /// The UIDs in an array field of an object.
  func links(_ name: String, of instance: Instance) throws -> [Int] {
    guard let field = instance.fields[name], case .array(let members) = try list.object(field) else { return [] }
    return try members.compactMap { if case .uid(let uid) = try list.object($0) { uid } else { nil } }
  }

  /// The value of an object's field as a plain value.
  func value(_ name: String, of instance: Instance, _ budget: inout Budget) throws -> PlainValue {
    guard let field = instance.fields[name] else { return .null }
    return try value(of: try list.object(field), depth: 0, &budget)
  }

  // MARK: - Plain values

  private var budget: Budget { Budget(bytes: 2 * list.size + 65_536) }

  /// A limit for all values that a reader takes from the archive.
  var readingBudget: Budget { Budget(objects: 2_000_000, bytes: 8 * list.size + 65_536) }

  /// The archive's root as a plain value.
  func plainValue() throws -> PlainValue {
    var budget = budget
    return try plainValue(root, depth: 0, &budget)
  }

  private func value(of object: BinaryPropertyList.Object, depth: Int, _ budget: inout Budget) throws -> PlainValue {
    switch object {
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
      return value == "$null" ? .null : .string(value)
    case .uid(let uid): return try plainValue(uid, depth: depth + 1, &budget)
    case .array(let members):
      guard depth < 100 else { throw Failure(reason: "it nests too much") }
      return .array(
        try members.map { member in
          guard budget.spend() else { throw Failure(reason: "it repeats too much") }
          return try value(of: try list.object(member), depth: depth + 1, &budget)
        })
    case .dictionary: return .instance("NSDictionary")
    }
  }

  private func plainValue(_ uid: Int, depth: Int, _ budget: inout Budget) throws -> PlainValue {
    guard budget.spend(), depth < 100 else { throw Failure(reason: "it nests or repeats too much") }
    guard let instance = try instance(uid) else { return try value(of: try raw(uid), depth: depth, &budget) }
    func field(_ name: String) throws -> PlainValue {
      guard let index = instance.fields[name] else { return .null }
      return try value(of: try list.object(index), depth: depth + 1, &budget)
    }
    func members(_ name: String) throws -> [PlainValue] {
      try links(name, of: instance).map { try plainValue($0, depth: depth + 1, &budget) }
    }
    /// An ordered set has a field for each object: `NS.object.0` and so on.
    func numberedMembers() throws -> [PlainValue] {
      var result = [PlainValue]()
      while instance.fields["NS.object.\(result.count)"] != nil {
        result.append(try field("NS.object.\(result.count)"))
      }
      return result
    }
    switch instance.className {
    case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet": return .array(try members("NS.objects"))
    case "NSOrderedSet", "NSMutableOrderedSet":
      return .array(try members("NS.objects") + numberedMembers())
    case "NSDictionary", "NSMutableDictionary":
      var result = [String: PlainValue]()
      for (key, value) in zip(try members("NS.keys"), try members("NS.objects")) { result[Self.text(key)] = value }
      return .dictionary(result)
    case "NSString", "NSMutableString": return try field("NS.string")
    case "NSData", "NSMutableData":
      let bytes = try field("NS.data")
      return bytes == .null ? try field("NS.bytes") : bytes
    case "NSDate": if case .real(let seconds) = try field("NS.time") { return .date(seconds) }
    case "NSUUID":
      if case .data(let bytes) = try field("NS.uuidbytes"), bytes.count == 16 {
        return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
      }
    case "NSURL":
      guard case .string(let text) = try field("NS.relative") else { break }
      guard case .url(let base) = try field("NS.base") else { return .url(text) }
      return .url(URL(string: text, relativeTo: URL(string: base))?.absoluteString ?? text)
    case "NSNumber":
      for name in ["NS.intval", "NS.dblval", "NS.boolval"] {
        let number = try field(name)
        if number != .null { return number }
      }
    case "NSDecimalNumber": return try decimal(field)
    case "NSNull": return .null
    default: break
    }
    return .instance(instance.className)
  }

  /// A key of a dictionary as text.
  private static func text(_ key: PlainValue) -> String {
    switch key {
    case .string(let text), .url(let text): text
    case .integer(let number): String(number)
    case .uuid(let value): value.uuidString
    default: "\(key)"
    }
  }

  private func decimal(_ field: (String) throws -> PlainValue) throws -> PlainValue {
    guard case .data(let mantissa) = try field("NS.mantissa"), mantissa.count <= 16 else {
      return .instance("NSDecimalNumber")
    }
    let exponent = try field("NS.exponent").integer ?? 0
    let isNegative = try field("NS.negative") == .bool(true)
    let order = try field("NS.mantissa.bo").integer ?? 1
    guard (-128...127).contains(exponent) else { return .instance("NSDecimalNumber") }
    var value = Decimal(0)
    // The mantissa consists of 16-bit words, the lowest first, in the stated byte order (1 is little-endian).
    for index in stride(from: mantissa.count / 2 - 1, through: 0, by: -1) {
      let (low, high) = (mantissa[mantissa.startIndex + 2 * index], mantissa[mantissa.startIndex + 2 * index + 1])
      let word = order == 1 ? Int(low) | Int(high) << 8 : Int(high) | Int(low) << 8
      value = value * 65536 + Decimal(word)
    }
    var scaled = Decimal()
    _ = NSDecimalMultiplyByPowerOf10(&scaled, &value, Int16(exponent), .plain)
    return .decimal((isNegative ? -scaled : scaled).description)
  }
}
