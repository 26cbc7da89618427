import Foundation

/// A `Codable` struct whose coding `@Composite` writes, so that the stored JSON has each member under a known key.
///
/// Plumbing of `@Composite`.
public protocol __CompositeValue: Codable {
  /// The coded members, in the order of their declarations.
  nonisolated static var __members: [__CompositeMember] { get }
}

// @unchecked Sendable because it is immutable, and key paths of stored properties capture nothing.
/// A member of a composite value.
///
/// Plumbing of `@Composite`.
public struct __CompositeMember: @unchecked Sendable {
  let name: String
  let keyPath: AnyKeyPath
  let key: String

  /// Describes a member: its name, its key path and its key in the JSON.
  public init(_ name: String, _ keyPath: AnyKeyPath, _ key: any CodingKey) {
    (self.name, self.keyPath, self.key) = (name, keyPath, key.stringValue)
  }
}

/// Finds the members of `Codable` structs.
///
/// A struct's own `init(from:)` can make any value of what is stored: a default for a missing key, a limited number, a text
/// taken apart. So the member of a decoded value is known to be in the JSON only where `@Composite` wrote the decoder. All
/// other members are Swift's to read (decision 29).
package enum CompositeMembers {
  /// A member as the stored JSON has it.
  struct Member {
    /// The JSON path: `$."address"."town"`.
    let path: String
    /// The names of the properties: `address.city`.
    let name: String
  }

  /// The member of a composite value that a key path reads, or nil if only Swift knows it.
  static func path(of keyPath: AnyKeyPath) -> Member? {
    guard let steps = KeyPathSteps(keyPath)?.steps else { return nil }
    return path(of: steps, in: ScalarType.bare(type(of: keyPath).rootType))
  }

  /// The member that the steps of a key path within a value read, or nil if only Swift knows it.
  static func path(of steps: [KeyPathSteps.Step], in root: Any.Type) -> Member? {
    var (path, names, type) = ("$", [String](), ScalarType.bare(root))
    for step in steps {
      if step.kind == .chain || step.kind == .force || step.kind == .wrap { continue }
      guard let member = known(type)?.first(where: { $0.kind == step.kind && $0.type == step.value }) else {
        return nil
      }
      path += ".\"\(member.key)\""
      names.append(member.name)
      type = ScalarType.bare(step.value)
    }
    return names.isEmpty ? nil : Member(path: path, name: names.joined(separator: "."))
  }

  // MARK: - Members of types with `@Composite`

  /// Whether `@Composite` wrote the coding of a type.
  package static func isKnown(_ type: Any.Type) -> Bool { known(type) != nil }

  private struct Known {
    let name: String
    let key: String
    let kind: KeyPathSteps.Kind
    let type: Any.Type
  }

  private static func known(_ type: Any.Type) -> [Known]? {
    if let known = cache.withLock({ $0.members[ObjectIdentifier(type)] }) { return known }
    let members = (type as? any __CompositeValue.Type)?.__members.compactMap(describe)
    cache.withLock { $0.members[ObjectIdentifier(type)] = .some(members) }
    return members
  }

  private static func describe(_ member: __CompositeMember) -> Known? {
    // A path in SQL cannot have these characters.
    guard !member.key.contains("\""), !member.key.contains("\\"),
      let steps = KeyPathSteps(member.keyPath)?.steps, steps.count == 1, steps[0].kind != .other
    else { return nil }
    return Known(name: member.name, key: member.key, kind: steps[0].kind, type: steps[0].value)
  }

  // @unchecked Sendable because it is only accessed under the mutex, and types are immutable.
  private struct Cache: @unchecked Sendable {
    var members: [ObjectIdentifier: [Known]?] = [:]
    var parts: [ObjectIdentifier: [String: String]?] = [:]
  }
  private static let cache = Lock(Cache())

  // MARK: - Description

  /// Structs within structs that are looked into. A struct may contain itself in an array.
  private static let deepest = 6

  /// The parts of an attribute whose type is a struct: those that `@Composite` codes, or else the stored properties. Nil
  /// for other types.
  package static func attributes(of type: Any.Type, depth: Int = 0) -> [Schema.Attribute]? {
    guard depth < deepest, let members = described(type) else { return nil }
    return members.map { member in
      guard let parts = attributes(of: ScalarType.bare(member.type), depth: depth + 1) else {
        return Schema.Attribute(name: member.name, valueType: member.type)
      }
      let composite = Schema.CompositeAttribute(name: member.name, valueType: member.type)
      composite.properties = parts
      return composite
    }
  }

  /// The parts of a struct's stored values with their types, `["name": "String", "home.street": "String?"]`. Nil for other types.
  static func parts(of type: Any.Type) -> [String: String]? {
    if let known = cache.withLock({ $0.parts[ObjectIdentifier(type)] }) { return known }
    let parts = parts(of: type, depth: 0)
    cache.withLock { $0.parts[ObjectIdentifier(type)] = .some(parts) }
    return parts
  }

  private static func parts(of type: Any.Type, depth: Int) -> [String: String]? {
    func elements<C: Collection>(_: C.Type) -> Any.Type { C.Element.self }
    var type = ScalarType.bare(type)
    while let array = type as? any JSONArray.Type { type = ScalarType.bare(_openExistential(array, do: elements)) }
    guard depth < deepest, let members = described(type) else { return nil }
    var result = [String: String]()
    for member in members {
      result[member.name] = SchemaValueType(member.type).name
      for (name, type) in parts(of: member.type, depth: depth + 1) ?? [:] { result["\(member.name).\(name)"] = type }
    }
    return result
  }

  private static func described(_ type: Any.Type) -> [(name: String, type: Any.Type)]? {
    guard !ValueTypes.isColumn(type), TypeKind(type) == .structure, !(type is any __ColumnValue.Type),
      !(type is any RawRepresentable.Type), !(type is any Collection.Type), type is any Decodable.Type
    else { return nil }
    if let known = known(type) { return known.map { ($0.key, $0.type) } }
    guard let fields = StructFields(of: type)?.fields,
      fields.allSatisfy({ ScalarType.bare($0.type) is any Decodable.Type })
    else { return nil }
    return fields.map { ($0.name, $0.type) }
  }
}
