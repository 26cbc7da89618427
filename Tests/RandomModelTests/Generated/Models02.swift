// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// cycle of three
enum Case05 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      var a: Int = 7
      var b: Int = 7
      var c: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.ordered("c", \.c)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "b") var a: Int = 7
      @Attribute(originalName: "c") var b: Int = 7
      @Attribute(originalName: "a") var c: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.ordered("c", \.c)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["b"],
        "b": object["c"],
        "c": object["a"],
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
        "b": object["b"],
        "c": object["c"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "cycle of three 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: returnV2toV1,
        again: returnV2toV1)
    ]
  }
}

/// exchange of types
enum Case06 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class T {
      var serial: Int = 7
      var count: Int = 7
      var name: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("T", \T.serial) { T() }
      kind1.ordered("count", \.count)
      kind1.ordered("name", \.name)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class T {
      var serial: Int = 7
      @Attribute(originalName: "name") var count: String = "default"
      @Attribute(originalName: "count") var number: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("T", \T.serial) { T() }
      kind1.ordered("count", \.count)
      kind1.ordered("number", \.number)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "T":
      return [
        "serial": object["serial"],
        "count": object["name"],
        "number": object["count"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "T":
      throw Refused("count cannot have the values of count")
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "exchange of types 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV2toV1),
      Pair(
        name: "exchange of types 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV2toV1,
        again: changeV2toV1),
    ]
  }
}

/// rename and other type
enum Case07 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class T {
      var serial: Int = 7
      var small: Int8 = 7
      var grade: Grade = Grade.high
      var look: Look = Look(dark: true, size: 9, font: nil)
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("T", \T.serial) { T() }
      kind1.ordered("small", \.small)
      kind1.value("grade", \.grade)
      kind1.value("look", \.look)
      kind1.member("look.size", \.look, \.size, \.look.size)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class T {
      var serial: Int = 7
      @Attribute(originalName: "small") var large: Int = 7
      @Attribute(originalName: "grade") var word: String?
      @Attribute(originalName: "look") var wide: WideLook = WideLook(dark: true, size: 9, font: nil, zoom: 5)
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("T", \T.serial) { T() }
      kind1.ordered("large", \.large)
      kind1.optional("word", \.word)
      kind1.value("wide", \.wide)
      kind1.member("wide.size", \.wide, \.size, \.wide.size)
      kind1.member("wide.zoom", \.wide, \.zoom, \.wide.zoom)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class T {
      var serial: Int = 7
      @Attribute(originalName: "small") var look: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("T", \T.serial) { T() }
      kind1.ordered("look", \.look)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "T":
      return [
        "serial": object["serial"],
        "large": try object["small"].fits(Int.self),
        "word": object["grade"],
        "wide": object["look"].with("zoom", .integer(12)),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "T":
      throw Refused("look cannot have the values of small")
    default: throw Pair.unknown(object)
    }
  }

  static func returnV3toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "T":
      throw Refused("look cannot have the values of look")
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "rename and other type 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(
        name: "rename and other type 1>3", old: V1.self, new: V3.self, change: changeV1toV3, back: returnV3toV1,
        again: returnV3toV1),
    ]
  }
}
