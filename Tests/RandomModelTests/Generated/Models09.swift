// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// choices
enum Case28 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class C {
      var serial: Int = 7
      var g: String = "default"
      var r: Int = 7
      var h: String?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("C", \C.serial) { C() }
      kind1.ordered("g", \.g)
      kind1.ordered("r", \.r)
      kind1.optional("h", \.h)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class C {
      var serial: Int = 7
      var g: Grade = Grade.high
      var r: Rank = Rank.third
      var h: Grade?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("C", \C.serial) { C() }
      kind1.value("g", \.g)
      kind1.value("r", \.r)
      kind1.value("h", \.h)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class C {
      var serial: Int = 7
      var g: Half = Half.high
      var r: Rank = Rank.third
      var h: Half?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("C", \C.serial) { C() }
      kind1.value("g", \.g)
      kind1.value("r", \.r)
      kind1.value("h", \.h)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "C":
      return [
        "serial": object["serial"],
        "g": try object["g"].isCase(of: Grade.self),
        "r": try object["r"].isCase(of: Rank.self),
        "h": try object["h"].map { try $0.isCase(of: Grade.self) },
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "C":
      return [
        "serial": object["serial"],
        "g": object["g"],
        "r": object["r"],
        "h": object["h"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "C":
      return [
        "serial": object["serial"],
        "g": try object["g"].isCase(of: Half.self),
        "r": try object["r"].isCase(of: Rank.self),
        "h": try object["h"].map { try $0.isCase(of: Half.self) },
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "C":
      return [
        "serial": object["serial"],
        "g": try object["g"].isCase(of: Half.self),
        "r": object["r"],
        "h": try object["h"].map { try $0.isCase(of: Half.self) },
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV3toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "C":
      return [
        "serial": object["serial"],
        "g": try object["g"].isCase(of: Grade.self),
        "r": object["r"],
        "h": try object["h"].map { try $0.isCase(of: Grade.self) },
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "choices 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "choices 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2, again: changeV2toV1),
      Pair(
        name: "choices 1>3", old: V1.self, new: V3.self, change: changeV1toV3, back: changeV2toV1, again: changeV1toV3),
      Pair(
        name: "choices 3>1", old: V3.self, new: V1.self, change: changeV2toV1, back: changeV1toV3, again: changeV2toV1),
      Pair(
        name: "choices 2>3", old: V2.self, new: V3.self, change: changeV2toV3, back: changeV3toV2, again: changeV2toV3),
      Pair(
        name: "choices 3>2", old: V3.self, new: V2.self, change: changeV3toV2, back: changeV2toV3, again: changeV3toV2),
    ]
  }
}

/// structs
enum Case29 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class S {
      var serial: Int = 7
      var look: Look = Look(dark: true, size: 9, font: nil)
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("S", \S.serial) { S() }
      kind1.value("look", \.look)
      kind1.member("look.size", \.look, \.size, \.look.size)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class S {
      var serial: Int = 7
      var look: WideLook = WideLook(dark: true, size: 9, font: nil, zoom: 5)
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("S", \S.serial) { S() }
      kind1.value("look", \.look)
      kind1.member("look.size", \.look, \.size, \.look.size)
      kind1.member("look.zoom", \.look, \.zoom, \.look.zoom)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class S {
      var serial: Int = 7
      var look: Badge = Badge(word: "new")
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("S", \S.serial) { S() }
      kind1.value("look", \.look)
      kind1.member("look.word", \.look, \.word, \.look.word)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V4: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
    @Model final class S {
      var serial: Int = 7
      var look: String = "default"
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("S", \S.serial) { S() }
      kind1.ordered("look", \.look)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "S":
      return [
        "serial": object["serial"],
        "look": object["look"].with("zoom", .integer(12)),
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "S":
      return [
        "serial": object["serial"],
        "look": object["look"].without("zoom"),
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "S":
      throw Refused("look cannot have the values of look")
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "structs 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "structs 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
      Pair(
        name: "structs 1>3", old: V1.self, new: V3.self, change: changeV1toV3, back: changeV1toV3, again: changeV1toV3),
      Pair(
        name: "structs 1>4", old: V1.self, new: V4.self, change: changeV1toV3, back: changeV1toV3, again: changeV1toV3),
    ]
  }
}
