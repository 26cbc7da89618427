// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// rename
enum Case01 {

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
      @Attribute(originalName: "a") var b: String = "default"
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

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "b": object["a"],
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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

  static var pairs: [Pair] {
    [
      Pair(
        name: "rename 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "rename 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2, again: changeV2toV1,
        taken: ["R.a"]),
    ]
  }
}

/// take-over
enum Case02 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      var a: String = "default"
      var b: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "b") var a: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["b"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": .text("default"),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func againV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["a"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "take-over 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: againV1toV2),
      Pair(
        name: "take-over 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: againV1toV2, again: changeV2toV1),
    ]
  }
}

/// exchange
enum Case03 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      var a: String = "default"
      var b: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "b") var a: String = "default"
      @Attribute(originalName: "a") var b: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["b"],
        "b": object["a"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "exchange 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: changeV2toV1),
      Pair(
        name: "exchange 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV2toV1, again: changeV2toV1),
    ]
  }
}

/// chain
enum Case04 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      var a: String = "default"
      var b: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "a") var x: String = "default"
      @Attribute(originalName: "b") var a: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("x", \.x)
      kind1.ordered("a", \.a)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "x": object["a"],
        "a": object["b"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": .text("default"),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func againV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "x": .text("default"),
        "a": object["a"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "chain 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: againV1toV2),
      Pair(name: "chain 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: againV1toV2, again: changeV2toV1),
    ]
  }
}
