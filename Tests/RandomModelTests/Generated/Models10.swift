// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// impossible types
enum Case30 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class T {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("T", \T.serial) { T() }
      kind1.ordered("a", \.a)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class T {
      var serial: Int = 7
      var a: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("T", \T.serial) { T() }
      kind1.ordered("a", \.a)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class T {
      var serial: Int = 7
      var a: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("T", \T.serial) { T() }
      kind1.ordered("a", \.a)
      return [kind1]
    }
  }

  enum V4: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
    @Model final class T {
      var serial: Int = 7
      var a: [String] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("T", \T.serial) { T() }
      kind1.value("a", \.a)
      return [kind1]
    }
  }

  enum V5: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(5, 0, 0) }
    @Model final class T {
      var serial: Int = 7
      var a: Data = Data([1, 2])
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("T", \T.serial) { T() }
      kind1.value("a", \.a)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "T":
      throw Refused("a cannot have the values of a")
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "impossible types 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "impossible types 1>3", old: V1.self, new: V3.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "impossible types 1>4", old: V1.self, new: V4.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "impossible types 1>5", old: V1.self, new: V5.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
    ]
  }
}

/// optional numbers
enum Case31 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var a: Int = 7
      var b: Double = 1.5
      var c: Bool = true
      var d: Decimal = Decimal(3)
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.value("c", \.c)
      kind1.ordered("d", \.d)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var a: Int?
      var b: Double?
      var c: Bool?
      var d: Decimal?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.optional("a", \.a)
      kind1.optional("b", \.b)
      kind1.value("c", \.c)
      kind1.optional("d", \.d)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var a: Int
      var b: Double
      var c: Bool
      var d: Decimal
      init() {
        a = 7
        b = 1.5
        c = true
        d = Decimal(3)
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.value("c", \.c)
      kind1.ordered("d", \.d)
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
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "a": object["a"].or(.integer(7)),
        "b": object["b"].or(.real(1.5)),
        "c": object["c"].or(.bool(true)),
        "d": object["d"].or(.decimal(3)),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "a": try object["a"].required(),
        "b": try object["b"].required(),
        "c": try object["c"].required(),
        "d": try object["d"].required(),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "optional numbers 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "optional numbers 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1),
      Pair(
        name: "optional numbers 1>3", old: V1.self, new: V3.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "optional numbers 2>3", old: V2.self, new: V3.self, change: changeV2toV3, back: changeV1toV2,
        again: changeV2toV3),
    ]
  }
}

/// optional values
enum Case32 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var a: String = "default"
      var b: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      var c: UUID = UUID(uuid: zeroUUID)
      var d: URL = URL(string: "a:b")!
      var e: Data = Data([1, 2])
      var f: Grade = Grade.high
      var g: Rank = Rank.third
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.ordered("c", \.c)
      kind1.value("d", \.d)
      kind1.value("e", \.e)
      kind1.value("f", \.f)
      kind1.value("g", \.g)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var a: String?
      var b: Date?
      var c: UUID?
      var d: URL?
      var e: Data?
      var f: Grade?
      var g: Rank?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.optional("a", \.a)
      kind1.optional("b", \.b)
      kind1.optional("c", \.c)
      kind1.value("d", \.d)
      kind1.value("e", \.e)
      kind1.value("f", \.f)
      kind1.value("g", \.g)
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
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "a": object["a"].or(.text("default")),
        "b": object["b"].or(.date(Date(timeIntervalSinceReferenceDate: 1_000))),
        "c": object["c"].or(.uuid(UUID(uuid: zeroUUID))),
        "d": object["d"].or(.url(URL(string: "a:b")!)),
        "e": object["e"].or(.data(Data([1, 2]))),
        "f": object["f"].or(.text("high")),
        "g": object["g"].or(.integer(3)),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "optional values 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "optional values 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1),
    ]
  }
}
