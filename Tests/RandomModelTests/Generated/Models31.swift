// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 4
enum Case72 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var b: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      var x_position: Double = 1.5
      init() {}
    }
    @Model class Middle: Base {
      var value: Bool = true
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var group_name: Bool?
      var f: Data = Data([1, 2])
      var a: [Look] = []
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var group_name: Grade = Grade.high
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("b", \.b)
      kind1.ordered("x_position", \.x_position)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("b", \.b)
      kind2.ordered("x_position", \.x_position)
      kind2.value("value", \.value)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("b", \.b)
      kind3.ordered("x_position", \.x_position)
      kind3.value("value", \.value)
      kind3.value("group_name", \.group_name)
      kind3.value("f", \.f)
      kind3.value("a", \.a)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.ordered("b", \.b)
      kind4.ordered("x_position", \.x_position)
      kind4.value("group_name", \.group_name)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var x_position: Double = 1.5
      var h: UUID = UUID(uuid: zeroUUID)
      init() {}
    }
    @Model class Middle: Base {
      var value: Bool?
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var group_name: Bool?
      var a: [Look] = []
      var order: Badge = Badge(word: "new")
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var group_name: Grade = Grade.high
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("x_position", \.x_position)
      kind1.ordered("h", \.h)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("x_position", \.x_position)
      kind2.ordered("h", \.h)
      kind2.value("value", \.value)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("x_position", \.x_position)
      kind3.ordered("h", \.h)
      kind3.value("value", \.value)
      kind3.value("group_name", \.group_name)
      kind3.value("a", \.a)
      kind3.value("order", \.order)
      kind3.member("order.word", \.order, \.word, \.order.word)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.ordered("x_position", \.x_position)
      kind4.ordered("h", \.h)
      kind4.value("group_name", \.group_name)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
        "h": .uuid(UUID(uuid: zeroUUID)),
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
        "h": .uuid(UUID(uuid: zeroUUID)),
        "value": object["value"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
        "h": .uuid(UUID(uuid: zeroUUID)),
        "value": object["value"],
        "group_name": object["group_name"],
        "a": object["a"],
        "order": .record(["word": .text("new")]),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
        "h": .uuid(UUID(uuid: zeroUUID)),
        "group_name": object["group_name"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "b": .date(Date(timeIntervalSinceReferenceDate: 1_000)),
        "x_position": object["x_position"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "b": .date(Date(timeIntervalSinceReferenceDate: 1_000)),
        "x_position": object["x_position"],
        "value": object["value"].or(.bool(true)),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "b": .date(Date(timeIntervalSinceReferenceDate: 1_000)),
        "x_position": object["x_position"],
        "value": object["value"].or(.bool(true)),
        "group_name": object["group_name"],
        "f": .data(Data([1, 2])),
        "a": object["a"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "b": .date(Date(timeIntervalSinceReferenceDate: 1_000)),
        "x_position": object["x_position"],
        "group_name": object["group_name"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "random 4 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "random 4 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2, again: changeV2toV1),
    ]
  }
}
