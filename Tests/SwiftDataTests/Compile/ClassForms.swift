// The declarations only have to compile.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import SwiftData

// Classes as real code declares them.

// No initialiser, because everything has a default.
@Model final class AllDefaults {
  var name = ""
  var count: Int?
}

@Model public final class PublicModel {
  public var name: String
  public private(set) var count: Int = 0
  var hidden: HiddenState = .a
  enum HiddenState: Int, Codable { case a, b }
  public init(name: String) { self.name = name }
}

@Model open class OpenModel {
  public var name: String
  public init(name: String) { self.name = name }
}

@Model package final class PackageModel {
  package var name: String
  package init(name: String) { self.name = name }
}

@Model internal class NonFinalModel {
  var name: String
  init(name: String) { self.name = name }
}

@Model fileprivate final class FilePrivateModel {
  var name: String
  init(name: String) { self.name = name }
}

@Model private final class PrivateModel {
  var name: String
  init(name: String) { self.name = name }
}

@Model nonisolated final class NonisolatedModel {
  var name: String
  init(name: String) { self.name = name }
}

enum FormsSchemaV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Nested.self, InExtension.self] }

  @Model
  final class Nested {
    var name: String
    var other: InExtension?
    var kind: Kind = Kind.small
    enum Kind: String, Codable { case small, large }
    init(name: String) { self.name = name }
  }
}

extension FormsSchemaV1 {
  @Model
  final class InExtension {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Nested.other) var nested: [Nested] = []
    init(name: String) { self.name = name }
  }
}

enum Deep {
  struct Deeper {
    @Model final class Deepest {
      var name: String = "deep"
      init() {}
    }
  }
}

// A type that conforms to things by its own words.
@Model
final class Conforming: Identifiable, Codable, Comparable, CustomStringConvertible {
  @Attribute(.unique) var id: String
  var name: String

  enum CodingKeys: CodingKey { case id, name }

  init(id: String = UUID().uuidString, name: String) {
    self.id = id
    self.name = name
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
  }

  static func < (left: Conforming, right: Conforming) -> Bool { left.name < right.name }
  var description: String { "Conforming(\(name))" }
}

@Model final class SelfObservable: Observable {
  var name = ""
}

@Model class SelfPersistent: Identifiable, PersistentModel {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class SelfPersistentChild: SelfPersistent {
  var age: Int
  init(age: Int) {
    self.age = age
    super.init(name: "p")
  }
}

@Model final class SelfEverything: Codable, SwiftData.PersistentModel, Observable, Hashable {
  var name: String
  init(name: String) { self.name = name }
  init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

typealias DescribedPersistentModel = CustomStringConvertible & PersistentModel

@Model final class SelfComposed: DescribedPersistentModel {
  var description: String { name }
  var name = ""
}

@Model final class SendableModel {
  var name = ""
}
extension SendableModel: @unchecked Sendable {}

@Model final class InlineSendableModel: @unchecked Sendable {
  var name = ""
  var state: FormState = FormState.idle
}

@available(macOS 15, *)
@Model
final class AvailableBefore {
  var name = ""
}

@Model
@available(macOS 15, *)
final class AvailableAfter {
  var name = ""
}

@available(*, deprecated, message: "an old model")
@Model final class DeprecatedModel {
  var name = ""
}

// A second macro on the class.
@DebugDescription @Model
final class Stacked: CustomDebugStringConvertible {
  var name: String = "s"
  var debugDescription: String { "Stacked(name: \(name))" }
}

/// No property at all.
@Model final class Empty {
  init() {}
}

/// Only constants.
@Model final class Constants {
  let name: String
  init(name: String) { self.name = name }
}

@Model final class WithMethods {
  var name: String
  var score: Double = 0
  struct Inner: Codable { var a = 1 }
  var inner: Inner = Inner()
  static func make() -> WithMethods { WithMethods(name: "made") }
  subscript(index: Int) -> Character { Array(name)[index] }
  deinit {}
  init(name: String) { self.name = name }
  convenience init() { self.init(name: "") }
  init?(checked: String) {
    guard !checked.isEmpty else { return nil }
    self.name = checked
  }
  init(throwing: String) throws {
    self.name = throwing
    if throwing.isEmpty { throw CancellationError() }
  }
}

protocol Named {
  var name: String { get set }
}
@Model final class NamedModel: Named {
  var name: String
  init(name: String) { self.name = name }
}

/// What the file's private models read back, as only this file sees them.
func privateForms() throws -> [String] {
  let store = try FormsStore(FilePrivateModel.self, PrivateModel.self)
  try store.save(FilePrivateModel(name: "f"), PrivateModel(name: "g"))
  let (first, filePrivate) = try store.read(FilePrivateModel.self)
  let (second, hidden) = try store.read(PrivateModel.self)
  return withExtendedLifetime((first, second)) { filePrivate.map(\.name) + hidden.map(\.name) }
}
