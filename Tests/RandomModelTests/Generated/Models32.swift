// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 7
enum Case71 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var order: Bool?
      init() {}
    }
    @Model class Middle: Base {
      var f: Rank?
      var value: UUID = UUID(uuid: zeroUUID)
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var x: UInt32 = 7
      var b: [Look] = []
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var b: Int32 = 7
      var x: WideLook = WideLook(dark: true, size: 9, font: nil, zoom: 5)
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("order", \.order)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("order", \.order)
      kind2.value("f", \.f)
      kind2.ordered("value", \.value)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("order", \.order)
      kind3.value("f", \.f)
      kind3.ordered("value", \.value)
      kind3.ordered("x", \.x)
      kind3.value("b", \.b)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.value("order", \.order)
      kind4.ordered("b", \.b)
      kind4.value("x", \.x)
      kind4.member("x.size", \.x, \.size, \.x.size)
      kind4.member("x.zoom", \.x, \.zoom, \.x.zoom)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      @Attribute(originalName: "order") var a: Bool?
      init() {}
    }
    @Model class Middle: Base {
      var value: UUID = UUID(uuid: zeroUUID)
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var x: UInt32 = 7
      var b: [Look]?
      var group_name: URL = URL(string: "a:b")!
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      @Attribute(originalName: "b") var x_position: Int32 = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("a", \.a)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("a", \.a)
      kind2.ordered("value", \.value)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("a", \.a)
      kind3.ordered("value", \.value)
      kind3.ordered("x", \.x)
      kind3.value("b", \.b)
      kind3.value("group_name", \.group_name)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.value("a", \.a)
      kind4.ordered("x_position", \.x_position)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "a": object["order"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "a": object["order"],
        "value": object["value"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "a": object["order"],
        "value": object["value"],
        "x": object["x"],
        "b": object["b"],
        "group_name": .url(URL(string: "a:b")!),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "a": object["order"],
        "x_position": object["b"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "order": .null,
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "order": .null,
        "f": .null,
        "value": object["value"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "order": .null,
        "f": .null,
        "value": object["value"],
        "x": object["x"],
        "b": object["b"].or(.list([])),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "order": .null,
        "b": .integer(7),
        "x": .record(["dark": .bool(true), "size": .integer(9), "font": .null, "zoom": .integer(5)]),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "random 7 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "random 7 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
