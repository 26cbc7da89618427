// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// rename that is kept
enum Case08 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      var b: String = "default"
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("b", \.b)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "b") var a: String = "default"
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "b") var a: String = "default"
      var n: Int?
      var c: Date?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      kind1.optional("n", \.n)
      kind1.optional("c", \.c)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["b"],
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "n": object["n"],
        "c": .null,
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["b"],
        "n": object["n"],
        "c": .null,
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "b": .text("default"),
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV3toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "n": object["n"].or(.integer(7)),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV3toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "b": .text("default"),
        "n": object["n"].or(.integer(7)),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "rename that is kept 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: returnV2toV1,
        again: changeV1toV2),
      Pair(
        name: "rename that is kept 2>3", old: V2.self, new: V3.self, change: changeV2toV3, back: returnV3toV2,
        again: changeV2toV3),
      Pair(
        name: "rename that is kept 1>3", old: V1.self, new: V3.self, change: changeV1toV3, back: returnV3toV1,
        again: changeV1toV3),
    ]
  }
}

/// new property of the old name
enum Case09 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      var name: String = "default"
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("name", \.name)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "name") var full: String = "default"
      var name: String?
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("full", \.full)
      kind1.optional("name", \.name)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "full": object["name"],
        "name": .null,
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "name": object["name"].or(.text("default")),
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "new property of the old name 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: returnV2toV1,
        again: changeV1toV2)
    ]
  }
}

/// original name that never was
enum Case10 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      var a: String = "default"
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "never") var a: String = "default"
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": .text("default"),
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "original name that never was 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: returnV2toV1,
        again: returnV2toV1)
    ]
  }
}

/// two take one
enum Case11 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "a") var b: String = "default"
      @Attribute(originalName: "a") var c: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("b", \.b)
      kind1.ordered("c", \.c)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      throw Refused("b and c both were a")
    default: throw Pair.unknown(object)
    }
  }

  static func returnV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": .text("default"),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "two take one 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: returnV2toV1,
        again: changeV1toV2)
    ]
  }
}
