// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 8
enum Case72 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var f: Data = Data([1, 2])
      init() {}
    }
    @Model class Middle: Base {
      var value: Int = 7
      var order: UInt32 = 7
      var e: Date?
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var c: UInt32 = 7
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var b: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      var g: [Int] = []
      var x_position: Data?
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("f", \.f)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("f", \.f)
      kind2.ordered("value", \.value)
      kind2.ordered("order", \.order)
      kind2.optional("e", \.e)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("f", \.f)
      kind3.ordered("value", \.value)
      kind3.ordered("order", \.order)
      kind3.optional("e", \.e)
      kind3.ordered("c", \.c)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.value("f", \.f)
      kind4.ordered("b", \.b)
      kind4.value("g", \.g)
      kind4.value("x_position", \.x_position)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var f: Data = Data([1, 2])
      init() {}
    }
    @Model class Middle: Base {
      var value: Int = 7
      var order: UInt32 = 7
      var e: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      var a: Int64 = 7
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      @Attribute(originalName: "c") var h: UInt32 = 7
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      @Attribute(originalName: "x_position") var e: Data?
      var value: Half = Half.high
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("f", \.f)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("f", \.f)
      kind2.ordered("value", \.value)
      kind2.ordered("order", \.order)
      kind2.ordered("e", \.e)
      kind2.ordered("a", \.a)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("f", \.f)
      kind3.ordered("value", \.value)
      kind3.ordered("order", \.order)
      kind3.ordered("e", \.e)
      kind3.ordered("a", \.a)
      kind3.ordered("h", \.h)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.value("f", \.f)
      kind4.value("e", \.e)
      kind4.value("value", \.value)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "f": object["f"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "value": object["value"],
        "order": object["order"],
        "e": object["e"].or(.date(Date(timeIntervalSinceReferenceDate: 1_000))),
        "a": .integer(7),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "value": object["value"],
        "order": object["order"],
        "e": object["e"].or(.date(Date(timeIntervalSinceReferenceDate: 1_000))),
        "a": .integer(7),
        "h": object["c"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "e": object["x_position"],
        "value": .text("high"),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "f": object["f"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "value": object["value"],
        "order": object["order"],
        "e": object["e"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "value": object["value"],
        "order": object["order"],
        "e": object["e"],
        "c": .integer(7),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "b": .date(Date(timeIntervalSinceReferenceDate: 1_000)),
        "g": .list([]),
        "x_position": .null,
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "random 8 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "random 8 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
