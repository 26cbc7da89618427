// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 11
enum Case75 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var c: Badge = Badge(word: "new")
      init() {}
    }
    @Model class Middle: Base {
      var h: [Look] = []
      var a: Frame?
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var x: Figure?
      override init() {
        super.init()
      }
    }
    @Model final class Side: Middle {
      var value: UInt16 = 7
      var f: URL = URL(string: "a:b")!
      var b: Double?
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("c", \.c)
      kind1.member("c.word", \.c, \.word, \.c.word)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("c", \.c)
      kind2.member("c.word", \.c, \.word, \.c.word)
      kind2.value("h", \.h)
      kind2.value("a", \.a)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("c", \.c)
      kind3.member("c.word", \.c, \.word, \.c.word)
      kind3.value("h", \.h)
      kind3.value("a", \.a)
      kind3.value("x", \.x)
      let kind4 = Kind("Side", of: "Middle", \Side.serial) { Side() }
      kind4.value("c", \.c)
      kind4.member("c.word", \.c, \.word, \.c.word)
      kind4.value("h", \.h)
      kind4.value("a", \.a)
      kind4.ordered("value", \.value)
      kind4.value("f", \.f)
      kind4.optional("b", \.b)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var c: Badge = Badge(word: "new")
      init() {}
    }
    @Model class Middle: Base {
      var h: [Look] = []
      var a: Frame?
      var x_position: [String] = []
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var x: Figure?
      var order: Set<String> = []
      override init() {
        super.init()
      }
    }
    @Model final class Side: Middle {
      var value: UInt16 = 7
      @Attribute(originalName: "b") var g: Double?
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("c", \.c)
      kind1.member("c.word", \.c, \.word, \.c.word)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("c", \.c)
      kind2.member("c.word", \.c, \.word, \.c.word)
      kind2.value("h", \.h)
      kind2.value("a", \.a)
      kind2.value("x_position", \.x_position)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("c", \.c)
      kind3.member("c.word", \.c, \.word, \.c.word)
      kind3.value("h", \.h)
      kind3.value("a", \.a)
      kind3.value("x_position", \.x_position)
      kind3.value("x", \.x)
      kind3.value("order", \.order)
      let kind4 = Kind("Side", of: "Middle", \Side.serial) { Side() }
      kind4.value("c", \.c)
      kind4.member("c.word", \.c, \.word, \.c.word)
      kind4.value("h", \.h)
      kind4.value("a", \.a)
      kind4.value("x_position", \.x_position)
      kind4.ordered("value", \.value)
      kind4.optional("g", \.g)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "c": object["c"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "c": object["c"],
        "h": object["h"],
        "a": object["a"],
        "x_position": .list([]),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "c": object["c"],
        "h": object["h"],
        "a": object["a"],
        "x_position": .list([]),
        "x": object["x"],
        "order": .set([]),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "c": object["c"],
        "h": object["h"],
        "a": object["a"],
        "x_position": .list([]),
        "value": object["value"],
        "g": object["b"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "c": object["c"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "c": object["c"],
        "h": object["h"],
        "a": object["a"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "c": object["c"],
        "h": object["h"],
        "a": object["a"],
        "x": object["x"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "c": object["c"],
        "h": object["h"],
        "a": object["a"],
        "value": object["value"],
        "f": .url(URL(string: "a:b")!),
        "b": .null,
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "random 11 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "random 11 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
