import Foundation
import SwiftData

/// Writes values as keyed archives of Foundation's classes, for attributes whose transformer unarchives one of them. An
/// `NSData` with JSON, as SwiftData writes it, would be nil or a crash for the app.
struct ObjectArchive: Sendable {
  private let attribute: AppleAttribute
  private let className: String
  /// The kind of the values of the Swift type, which JSON does not say. Nil if they are none of Foundation's plain objects.
  private let form: PlainForm?

  /// Nil for an attribute whose class is one of Swift, or is not known.
  init?(_ attribute: AppleAttribute, _ type: any Any.Type) {
    guard attribute.type == .transformable, let name = attribute.valueClass, name.hasPrefix("NS") else { return nil }
    (self.attribute, className, form) = (attribute, name, PlainForm(type))
  }

  /// A keyed archive of the value that JSON has.
  /// - Throws: `SwiftDataError/unwritableValue` for what the app's transformer would read as something else.
  func archive(_ json: String) throws -> Data {
    guard attribute.isKeyedArchive else {
      let transformer = attribute.transformer ?? ""
      throw refusal(
        "by its transformer \(transformer)",
        "declare the property with @Attribute(.transformable(by: \(transformer).self)), or as Data")
    }
    guard FoundationClass.lineages[className] != nil else {
      throw refusal(
        "as an archived \(className)", "leave it nil, let the app write it, or declare the property as Data")
    }
    let value = try JSONCoding.decode(PlainValue.self, from: Data(json.utf8))
    guard let plain = form?.value(value), let data = Self.data(plain, className) else {
      throw refusal(
        "as an archived \(className)",
        "only texts, numbers, dates, data, UUIDs, URLs and collections of them, as \(className) has them, can be written as"
          + " one; change the type of the property, leave it nil, or let the app write it")
    }
    return data
  }

  private func refusal(_ way: String, _ remedy: String) -> SwiftDataError {
    SwiftDataError(.unwritableValue, message: "the app keeps \(attribute.name) \(way); \(remedy)")
  }

  /// A keyed archive of a value, or nil if the class has no such values.
  static func data(_ value: PlainValue, _ className: String) -> Data? {
    var writer = Writer()
    guard let root = writer.add(value, className) else { return nil }
    return PropertyListWriter.data(
      .dictionary([
        ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
        ("$top", .dictionary([("root", root)])), ("$objects", .array(writer.objects)),
      ]))
  }

  private struct Writer {
    typealias Value = PropertyListWriter.Value
    var objects: [Value] = [.string("$null")]
    private var classes: [String: Int] = [:]

    private mutating func append(_ object: Value) -> Value {
      objects.append(object)
      return .uid(objects.count - 1)
    }

    private mutating func instance(_ name: String, _ fields: [(String, Value)]) -> Value {
      let place: Int
      if let known = classes[name] {
        place = known
      } else {
        let lineage = ([name] + (FoundationClass.lineages[name] ?? [])).map(Value.string)
        objects.append(.dictionary([("$classname", .string(name)), ("$classes", .array(lineage))]))
        place = objects.count - 1
        classes[name] = place
      }
      return append(.dictionary(fields + [("$class", .uid(place))]))
    }

    /// - Parameter name: the class of the object, or nil for the usual one of the value.
    mutating func add(_ value: PlainValue, _ name: String? = nil) -> Value? {
      let name = name ?? FoundationClass.name(of: value) ?? ""
      guard FoundationClass.takes(value, name) else { return nil }
      switch value {
      case .null: return instance(name, [])
      case .bool(let value): return append(.bool(value))
      case .integer(let value): return append(.integer(value))
      case .real(let value): return append(.real(value))
      case .string(let text):
        return name == "NSString" ? append(.string(text)) : instance(name, [("NS.string", .string(text))])
      case .data(let data): return name == "NSData" ? append(.data(data)) : instance(name, [("NS.data", .data(data))])
      case .date(let seconds): return instance(name, [("NS.time", .real(seconds))])
      case .uuid(let uuid):
        return instance(name, [("NS.uuidbytes", .data(withUnsafeBytes(of: uuid.uuid) { Data($0) }))])
      case .url(let text):
        let relative = append(.string(text))
        return instance(name, [("NS.base", .uid(0)), ("NS.relative", relative)])
      case .array(let members):
        guard let links = uids(of: members) else { return nil }
        guard name.hasSuffix("OrderedSet") else { return instance(name, [("NS.objects", .array(links))]) }
        return instance(name, links.enumerated().map { ("NS.object.\($0)", $1) })
      case .dictionary(let pairs):
        let sorted = pairs.sorted { $0.key < $1.key }
        guard let keys = uids(of: sorted.map { .string($0.key) }), let values = uids(of: sorted.map(\.value)) else {
          return nil
        }
        return instance(name, [("NS.keys", .array(keys)), ("NS.objects", .array(values))])
      case .decimal, .instance: return nil
      }
    }

    private mutating func uids(of members: [PlainValue]) -> [Value]? {
      var links = [Value]()
      for member in members {
        guard let link = add(member) else { return nil }
        links.append(link)
      }
      return links
    }
  }
}

/// Foundation's classes of plain values.
private enum FoundationClass {
  /// The superclasses of each class.
  static let lineages: [String: [String]] = {
    var result = ["NSNull", "NSNumber", "NSDate", "NSUUID", "NSURL"].map { ($0, ["NSObject"]) }
    for name in ["String", "Data", "Array", "Set", "OrderedSet", "Dictionary"] {
      result += [("NS\(name)", ["NSObject"]), ("NSMutable\(name)", ["NS\(name)", "NSObject"])]
    }
    return Dictionary(uniqueKeysWithValues: result)
  }()

  /// The usual class of a value.
  static func name(of value: PlainValue) -> String? {
    switch value {
    case .null: "NSNull"
    case .bool, .integer, .real: "NSNumber"
    case .string: "NSString"
    case .data: "NSData"
    case .date: "NSDate"
    case .uuid: "NSUUID"
    case .url: "NSURL"
    case .array: "NSArray"
    case .dictionary: "NSDictionary"
    case .decimal, .instance: nil
    }
  }

  /// Whether a class has such values.
  static func takes(_ value: PlainValue, _ name: String) -> Bool {
    guard let usual = self.name(of: value) else { return false }
    let name = name.replacingOccurrences(of: "NSMutable", with: "NS")
    return name == usual || usual == "NSArray" && ["NSSet", "NSOrderedSet"].contains(name)
  }
}

/// The kind of Foundation's objects that the values of a Swift type become.
indirect enum PlainForm: Sendable {
  case string, integer, real, bool, date, data, uuid, url
  case optional(PlainForm)
  case list(PlainForm)
  case keyed(PlainForm)

  /// Nil for a type whose values are none of Foundation's plain objects.
  init?(_ type: any Any.Type) {
    switch type {
    case is String.Type: self = .string
    case is Bool.Type: self = .bool
    case is any FixedWidthInteger.Type: self = .integer
    case is Double.Type, is Float.Type: self = .real
    case is Date.Type: self = .date
    case is Data.Type: self = .data
    case is UUID.Type: self = .uuid
    case is URL.Type: self = .url
    default:
      if let optional = type as? any __OptionalValue.Type, let form = PlainForm(optional.__wrapped) {
        self = .optional(form)
      } else if let list = type as? any PlainList.Type, let form = PlainForm(list.plainElement) {
        self = .list(form)
      } else if let keyed = type as? any PlainKeyed.Type, let form = PlainForm(keyed.plainValue) {
        self = .keyed(form)
      } else {
        return nil
      }
    }
  }

  /// The value that `JSONEncoder` wrote as JSON, or nil if it wrote something else.
  func value(_ json: PlainValue) -> PlainValue? {
    switch (self, json) {
    case (.optional, .null): return .null
    case (.optional(let form), _): return form.value(json)
    case (.string, .string), (.integer, .integer), (.bool, .bool), (.real, .real): return json
    case (.real, .integer(let number)): return .real(Double(number))
    case (.date, .integer(let seconds)): return .date(Double(seconds))
    case (.date, .real(let seconds)): return .date(seconds)
    case (.data, .string(let text)): return Data(base64Encoded: text).map(PlainValue.data)
    case (.uuid, .string(let text)): return UUID(uuidString: text).map(PlainValue.uuid)
    case (.url, .string(let text)): return .url(text)
    case (.list(let form), .array(let members)):
      let values = members.compactMap(form.value)
      return values.count == members.count ? .array(values) : nil
    case (.keyed(let form), .dictionary(let pairs)):
      let values = pairs.compactMapValues(form.value)
      return values.count == pairs.count ? .dictionary(values) : nil
    default: return nil
    }
  }
}

private protocol PlainList {
  static var plainElement: any Any.Type { get }
}

private protocol PlainKeyed {
  static var plainValue: any Any.Type { get }
}

extension Array: PlainList {
  fileprivate static var plainElement: any Any.Type { Element.self }
}

extension Set: PlainList {
  fileprivate static var plainElement: any Any.Type { Element.self }
}

extension Dictionary: PlainKeyed where Key == String {
  fileprivate static var plainValue: any Any.Type { Value.self }
}

extension AppleAttribute {
  /// Whether the column has keyed archives. It does if the attribute is transformable and names no transformer, or one of Foundation's.
  var isKeyedArchive: Bool {
    let known = [
      "", "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
    ]
    return type == .transformable && known.contains(transformer ?? "")
  }

  /// The type of the values in its keyed archives if they are of one of Foundation's classes that a type of Swift stands for.
  var archivedType: AppleType? {
    guard isKeyedArchive, let valueClass else { return nil }
    switch valueClass.replacingOccurrences(of: "NSMutable", with: "NS") {
    case "NSDate": return .date
    case "NSUUID": return .uuid
    case "NSURL": return .url
    case "NSString": return .string
    case "NSData": return .binary
    default: return nil
    }
  }
}
