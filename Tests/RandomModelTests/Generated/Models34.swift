// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 9
enum Case73 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var f: UUID = UUID(uuid: zeroUUID)
      init() {}
    }
    @Model class Middle: Base {
      var x_position: Set<String>?
      var g: UUID = UUID(uuid: zeroUUID)
      var order: Decimal = Decimal(3)
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var value: Look = Look(dark: true, size: 9, font: nil)
      override init() {
        super.init()
      }
    }
    @Model final class Side: Middle {
      var group_name: [String] = []
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("f", \.f)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("f", \.f)
      kind2.value("x_position", \.x_position)
      kind2.ordered("g", \.g)
      kind2.ordered("order", \.order)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("f", \.f)
      kind3.value("x_position", \.x_position)
      kind3.ordered("g", \.g)
      kind3.ordered("order", \.order)
      kind3.value("value", \.value)
      kind3.member("value.size", \.value, \.size, \.value.size)
      let kind4 = Kind("Side", of: "Middle", \Side.serial) { Side() }
      kind4.ordered("f", \.f)
      kind4.value("x_position", \.x_position)
      kind4.ordered("g", \.g)
      kind4.ordered("order", \.order)
      kind4.value("group_name", \.group_name)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var f: UUID = UUID(uuid: zeroUUID)
      var a: Grade = Grade.high
      init() {}
    }
    @Model class Middle: Base {
      var order: Decimal = Decimal(3)
      @Attribute(originalName: "x_position") var c: Set<String>?
      @Attribute(originalName: "g") var e: UUID = UUID(uuid: zeroUUID)
      var b: UInt = 7
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var value: Look = Look(dark: true, size: 9, font: nil)
      var group_name: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      override init() {
        super.init()
      }
    }
    @Model final class Side: Middle {
      var group_name: [String] = []
      var h: Int8 = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("f", \.f)
      kind1.value("a", \.a)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("f", \.f)
      kind2.value("a", \.a)
      kind2.ordered("order", \.order)
      kind2.value("c", \.c)
      kind2.ordered("e", \.e)
      kind2.ordered("b", \.b)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("f", \.f)
      kind3.value("a", \.a)
      kind3.ordered("order", \.order)
      kind3.value("c", \.c)
      kind3.ordered("e", \.e)
      kind3.ordered("b", \.b)
      kind3.value("value", \.value)
      kind3.member("value.size", \.value, \.size, \.value.size)
      kind3.ordered("group_name", \.group_name)
      let kind4 = Kind("Side", of: "Middle", \Side.serial) { Side() }
      kind4.ordered("f", \.f)
      kind4.value("a", \.a)
      kind4.ordered("order", \.order)
      kind4.value("c", \.c)
      kind4.ordered("e", \.e)
      kind4.ordered("b", \.b)
      kind4.value("group_name", \.group_name)
      kind4.ordered("h", \.h)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "a": .text("high"),
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "a": .text("high"),
        "order": object["order"],
        "c": object["x_position"],
        "e": object["g"],
        "b": .integer(7),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "a": .text("high"),
        "order": object["order"],
        "c": object["x_position"],
        "e": object["g"],
        "b": .integer(7),
        "value": object["value"],
        "group_name": .date(Date(timeIntervalSinceReferenceDate: 1_000)),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "a": .text("high"),
        "order": object["order"],
        "c": object["x_position"],
        "e": object["g"],
        "b": .integer(7),
        "group_name": object["group_name"],
        "h": .integer(7),
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
        "x_position": .null,
        "g": .uuid(UUID(uuid: zeroUUID)),
        "order": object["order"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "x_position": .null,
        "g": .uuid(UUID(uuid: zeroUUID)),
        "order": object["order"],
        "value": object["value"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "x_position": .null,
        "g": .uuid(UUID(uuid: zeroUUID)),
        "order": object["order"],
        "group_name": object["group_name"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "random 9 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "random 9 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
