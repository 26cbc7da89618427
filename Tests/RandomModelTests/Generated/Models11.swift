// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// optional collections
enum Case33 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var a: [Int] = []
      var b: [String: Int] = [:]
      var c: Set<String> = []
      var d: Look = Look(dark: true, size: 9, font: nil)
      var e: Badge = Badge(word: "new")
      var f: Figure = Figure.circle(radius: 4)
      var g: [Look] = []
      var h: Frame = Frame(look: Look(dark: true, size: 9, font: nil), numbers: [1])
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.value("a", \.a)
      kind1.value("b", \.b)
      kind1.value("c", \.c)
      kind1.value("d", \.d)
      kind1.member("d.size", \.d, \.size, \.d.size)
      kind1.value("e", \.e)
      kind1.member("e.word", \.e, \.word, \.e.word)
      kind1.value("f", \.f)
      kind1.value("g", \.g)
      kind1.value("h", \.h)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var a: [Int]?
      var b: [String: Int]?
      var c: Set<String>?
      var d: Look?
      var e: Badge?
      var f: Figure?
      var g: [Look]?
      var h: Frame?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.value("a", \.a)
      kind1.value("b", \.b)
      kind1.value("c", \.c)
      kind1.value("d", \.d)
      kind1.value("e", \.e)
      kind1.value("f", \.f)
      kind1.value("g", \.g)
      kind1.value("h", \.h)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"],
        "c": object["c"],
        "d": object["d"],
        "e": object["e"],
        "f": object["f"],
        "g": object["g"],
        "h": object["h"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "a": object["a"].or(.list([])),
        "b": object["b"].or(.record([:])),
        "c": object["c"].or(.set([])),
        "d": object["d"].or(.record(["dark": .bool(true), "size": .integer(9), "font": .null])),
        "e": object["e"].or(.record(["word": .text("new")])),
        "f": object["f"].or(.record(["radius": .integer(4)])),
        "g": object["g"].or(.list([])),
        "h": object["h"].or(
          .record([
            "look": .record(["dark": .bool(true), "size": .integer(9), "font": .null]), "numbers": .list([.integer(1)]),
          ])),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "optional collections 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "optional collections 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1),
    ]
  }
}

/// all integers
enum Case34 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var a: Int8 = 7
      var b: Int16 = 7
      var c: Int32 = 7
      var d: Int64 = 7
      var e: UInt8 = 7
      var f: UInt16 = 7
      var g: UInt32 = 7
      var h: UInt64 = 7
      var i: UInt = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.ordered("c", \.c)
      kind1.ordered("d", \.d)
      kind1.ordered("e", \.e)
      kind1.ordered("f", \.f)
      kind1.ordered("g", \.g)
      kind1.ordered("h", \.h)
      kind1.ordered("i", \.i)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var a: Int16 = 7
      var b: Int32 = 7
      var c: Int64 = 7
      var d: Int = 7
      var e: UInt16 = 7
      var f: UInt32 = 7
      var g: UInt64 = 7
      var h: UInt = 7
      var i: UInt64 = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.ordered("c", \.c)
      kind1.ordered("d", \.d)
      kind1.ordered("e", \.e)
      kind1.ordered("f", \.f)
      kind1.ordered("g", \.g)
      kind1.ordered("h", \.h)
      kind1.ordered("i", \.i)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "a": try object["a"].fits(Int16.self),
        "b": try object["b"].fits(Int32.self),
        "c": try object["c"].fits(Int64.self),
        "d": try object["d"].fits(Int.self),
        "e": try object["e"].fits(UInt16.self),
        "f": try object["f"].fits(UInt32.self),
        "g": try object["g"].fits(UInt64.self),
        "h": try object["h"].fits(UInt.self),
        "i": try object["i"].fits(UInt64.self),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "a": try object["a"].fits(Int8.self),
        "b": try object["b"].fits(Int16.self),
        "c": try object["c"].fits(Int32.self),
        "d": try object["d"].fits(Int64.self),
        "e": try object["e"].fits(UInt8.self),
        "f": try object["f"].fits(UInt16.self),
        "g": try object["g"].fits(UInt32.self),
        "h": try object["h"].fits(UInt64.self),
        "i": try object["i"].fits(UInt.self),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "all integers 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        refusedOnPostgres: "Documentation/postgres.md names this difference", back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "all integers 2>1", old: V2.self, new: V1.self, change: changeV2toV1,
        refusedOnPostgres: "Documentation/postgres.md names this difference", back: changeV1toV2, again: changeV2toV1),
    ]
  }
}

/// added and removed properties
enum Case35 {

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
      Pair(
        name: "added and removed properties 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "added and removed properties 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1),
      Pair(
        name: "added and removed properties 1>3", old: V1.self, new: V3.self, change: changeV1toV3, back: changeV2toV1,
        again: changeV1toV3),
    ]
  }
}
