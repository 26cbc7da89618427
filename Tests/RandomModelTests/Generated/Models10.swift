// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// added and removed properties
enum Case31 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class P {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("P", \P.serial) { P() }
      kind1.ordered("a", \.a)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class P {
      var serial: Int = 7
      var a: String = "default"
      var b: Int = 7
      var c: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      var d: UUID = UUID(uuid: zeroUUID)
      var e: URL = URL(string: "a:b")!
      var f: Look = Look(dark: true, size: 9, font: nil)
      var g: [Int] = []
      var h: Grade = Grade.high
      var i: Double?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("P", \P.serial) { P() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.ordered("c", \.c)
      kind1.ordered("d", \.d)
      kind1.value("e", \.e)
      kind1.value("f", \.f)
      kind1.member("f.size", \.f, \.size, \.f.size)
      kind1.value("g", \.g)
      kind1.value("h", \.h)
      kind1.optional("i", \.i)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class P {
      var serial: Int = 7
      var a: String = "default"
      var b: Int
      init() {
        b = 7
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("P", \P.serial) { P() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "P":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": .integer(7),
        "c": .date(Date(timeIntervalSinceReferenceDate: 1_000)),
        "d": .uuid(UUID(uuid: zeroUUID)),
        "e": .url(URL(string: "a:b")!),
        "f": .record(["dark": .bool(true), "size": .integer(9), "font": .null]),
        "g": .list([]),
        "h": .text("high"),
        "i": .null,
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "P":
      return [
        "serial": object["serial"],
        "a": object["a"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "P":
      throw Refused("b is new and has no default")
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "added and removed properties 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "added and removed properties 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
      Pair(name: "added and removed properties 1>3", old: V1.self, new: V3.self, change: changeV1toV3),
    ]
  }
}

/// added and removed classes
enum Case32 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class A {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("a", \.a)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class A {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    @Model final class B {
      var serial: Int = 7
      var b: Int = 7
      var a: A?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("a", \.a)
      let kind2 = Kind("B", \B.serial) { B() }
      kind2.ordered("b", \.b)
      kind2.one("a", \.a, \.serial)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "a": object["a"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "a": object["a"],
      ]
    case "B":
      return nil
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "added and removed classes 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "added and removed classes 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
