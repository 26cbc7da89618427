// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 2
enum Case70 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var g: UInt64 = 7
      var x_position: Data = Data([1, 2])
      var order: [Int]?
      init() {}
    }
    @Model class Middle: Base {
      var f: Data?
      var a: Badge?
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var h: Date?
      var e: Badge = Badge(word: "new")
      override init() {
        super.init()
      }
    }
    @Model final class Side {
      var serial: Int = 7
      var h: Look?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("g", \.g)
      kind1.value("x_position", \.x_position)
      kind1.value("order", \.order)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("g", \.g)
      kind2.value("x_position", \.x_position)
      kind2.value("order", \.order)
      kind2.value("f", \.f)
      kind2.value("a", \.a)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("g", \.g)
      kind3.value("x_position", \.x_position)
      kind3.value("order", \.order)
      kind3.value("f", \.f)
      kind3.value("a", \.a)
      kind3.optional("h", \.h)
      kind3.value("e", \.e)
      kind3.member("e.word", \.e, \.word, \.e.word)
      let kind4 = Kind("Side", \Side.serial) { Side() }
      kind4.value("h", \.h)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var g: UInt64 = 7
      var x_position: Data = Data([1, 2])
      @Attribute(originalName: "order") var b: [Int]?
      init() {}
    }
    @Model class Middle: Base {
      var f: Data?
      var a: Badge?
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var h: Date?
      var group_name: Int64 = 7
      override init() {
        super.init()
      }
    }
    @Model final class Side {
      var serial: Int = 7
      var h: Look?
      var g: Badge = Badge(word: "new")
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("g", \.g)
      kind1.value("x_position", \.x_position)
      kind1.value("b", \.b)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("g", \.g)
      kind2.value("x_position", \.x_position)
      kind2.value("b", \.b)
      kind2.value("f", \.f)
      kind2.value("a", \.a)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("g", \.g)
      kind3.value("x_position", \.x_position)
      kind3.value("b", \.b)
      kind3.value("f", \.f)
      kind3.value("a", \.a)
      kind3.optional("h", \.h)
      kind3.ordered("group_name", \.group_name)
      let kind4 = Kind("Side", \Side.serial) { Side() }
      kind4.value("h", \.h)
      kind4.value("g", \.g)
      kind4.member("g.word", \.g, \.word, \.g.word)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "g": object["g"],
        "x_position": object["x_position"],
        "b": object["order"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "g": object["g"],
        "x_position": object["x_position"],
        "b": object["order"],
        "f": object["f"],
        "a": object["a"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "g": object["g"],
        "x_position": object["x_position"],
        "b": object["order"],
        "f": object["f"],
        "a": object["a"],
        "h": object["h"],
        "group_name": .integer(7),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "h": object["h"],
        "g": .record(["word": .text("new")]),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "g": object["g"],
        "x_position": object["x_position"],
        "order": .null,
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "g": object["g"],
        "x_position": object["x_position"],
        "order": .null,
        "f": object["f"],
        "a": object["a"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "g": object["g"],
        "x_position": object["x_position"],
        "order": .null,
        "f": object["f"],
        "a": object["a"],
        "h": object["h"],
        "e": .record(["word": .text("new")]),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "h": object["h"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "random 2 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "random 2 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2, again: changeV2toV1,
        taken: ["Base.order", "Leaf.order", "Middle.order"]),
    ]
  }
}
