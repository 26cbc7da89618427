// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// class named like a join table
enum Case56 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Vault {
      var serial: Int = 7
      @Relationship(inverse: \Tag.vaults) var tags: [Tag] = []
      init() {}
    }
    @Model final class Tag {
      var serial: Int = 7
      var name: String = "default"
      var vaults: [Vault] = []
      init() {}
    }
    @Model final class Tag_vaults {
      var serial: Int = 7
      var x: Int = 7
      init() {}
    }
    @Model final class Vault_tags {
      var serial: Int = 7
      var source: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Vault", \Vault.serial) { Vault() }
      kind1.many("tags", \.tags, \.serial)
      let kind2 = Kind("Tag", \Tag.serial) { Tag() }
      kind2.ordered("name", \.name)
      kind2.many("vaults", \.vaults, \.serial, isOwner: false)
      let kind3 = Kind("Tag_vaults", \Tag_vaults.serial) { Tag_vaults() }
      kind3.ordered("x", \.x)
      let kind4 = Kind("Vault_tags", \Vault_tags.serial) { Vault_tags() }
      kind4.ordered("source", \.source)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Vault {
      var serial: Int = 7
      @Relationship(inverse: \Tag.vaults) var tags: [Tag] = []
      init() {}
    }
    @Model final class Tag {
      var serial: Int = 7
      var name: String?
      var vaults: [Vault] = []
      init() {}
    }
    @Model final class Tag_vaults {
      var serial: Int = 7
      var x: Int?
      init() {}
    }
    @Model final class Vault_tags {
      var serial: Int = 7
      @Attribute(originalName: "source") var target: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Vault", \Vault.serial) { Vault() }
      kind1.many("tags", \.tags, \.serial)
      let kind2 = Kind("Tag", \Tag.serial) { Tag() }
      kind2.optional("name", \.name)
      kind2.many("vaults", \.vaults, \.serial, isOwner: false)
      let kind3 = Kind("Tag_vaults", \Tag_vaults.serial) { Tag_vaults() }
      kind3.optional("x", \.x)
      let kind4 = Kind("Vault_tags", \Vault_tags.serial) { Vault_tags() }
      kind4.ordered("target", \.target)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Vault":
      return [
        "serial": object["serial"],
        "tags": object["tags"],
      ]
    case "Tag":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "vaults": object["vaults"],
      ]
    case "Tag_vaults":
      return [
        "serial": object["serial"],
        "x": object["x"],
      ]
    case "Vault_tags":
      return [
        "serial": object["serial"],
        "target": object["source"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Vault":
      return [
        "serial": object["serial"],
        "tags": object["tags"],
      ]
    case "Tag":
      return [
        "serial": object["serial"],
        "name": object["name"].or(.text("default")),
        "vaults": object["vaults"],
      ]
    case "Tag_vaults":
      return [
        "serial": object["serial"],
        "x": object["x"].or(.integer(7)),
      ]
    case "Vault_tags":
      return [
        "serial": object["serial"],
        "source": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "class named like a join table 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "class named like a join table 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Vault_tags.source"]),
    ]
  }
}

/// names beyond ASCII
enum Case57 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Größe {
      var serial: Int = 7
      var länge: Int = 7
      var 名前: String = "default"
      var é: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Größe", \Größe.serial) { Größe() }
      kind1.ordered("länge", \.länge)
      kind1.ordered("名前", \.名前)
      kind1.ordered("é", \.é)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Größe {
      var serial: Int = 7
      var länge: Int?
      @Attribute(originalName: "名前") var 名: String = "default"
      var e: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Größe", \Größe.serial) { Größe() }
      kind1.optional("länge", \.länge)
      kind1.ordered("名", \.名)
      kind1.ordered("e", \.e)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Größe":
      return [
        "serial": object["serial"],
        "länge": object["länge"],
        "名": object["名前"],
        "e": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Größe":
      return [
        "serial": object["serial"],
        "länge": object["länge"].or(.integer(7)),
        "名前": .text("default"),
        "é": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "names beyond ASCII 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "names beyond ASCII 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Größe.名前"]),
    ]
  }
}

/// uniqueness of texts
enum Case58 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class U {
      var serial: Int = 7
      var a: String = "default"
      var b: Int = 7
      var c: Grade = Grade.high
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("U", \U.serial) { U() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.value("c", \.c)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class U {
      var serial: Int = 7
      @Attribute(.unique) var a: String = "default"
      var b: Int = 7
      var c: Grade = Grade.high
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("U", \U.serial, unique: [["a"]]) { U() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.value("c", \.c)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class U {
      #Unique<U>([\.a, \.b])
      var serial: Int = 7
      var a: String = "default"
      var b: Int = 7
      var c: Grade = Grade.high
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("U", \U.serial, unique: [["a", "b"]]) { U() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.value("c", \.c)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "U":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"],
        "c": object["c"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "uniqueness of texts 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "uniqueness of texts 2>1", old: V2.self, new: V1.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "uniqueness of texts 1>3", old: V1.self, new: V3.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
    ]
  }
}
