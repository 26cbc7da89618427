// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// integers
enum Case25 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var n: Int = 7
      var o: Int?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("n", \.n)
      kind1.optional("o", \.o)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var n: Int8 = 7
      var o: Int8?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("n", \.n)
      kind1.optional("o", \.o)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var n: UInt16 = 7
      var o: UInt16?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("n", \.n)
      kind1.optional("o", \.o)
      return [kind1]
    }
  }

  enum V4: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var n: Int32 = 7
      var o: Int32?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("n", \.n)
      kind1.optional("o", \.o)
      return [kind1]
    }
  }

  enum V5: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(5, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var n: UInt64 = 7
      var o: UInt64?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("n", \.n)
      kind1.optional("o", \.o)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "n": try object["n"].fits(Int8.self),
        "o": try object["o"].map { try $0.fits(Int8.self) },
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "n": try object["n"].fits(Int.self),
        "o": try object["o"].map { try $0.fits(Int.self) },
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "n": try object["n"].fits(UInt16.self),
        "o": try object["o"].map { try $0.fits(UInt16.self) },
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV4(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "n": try object["n"].fits(Int32.self),
        "o": try object["o"].map { try $0.fits(Int32.self) },
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV5(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "n": try object["n"].fits(UInt64.self),
        "o": try object["o"].map { try $0.fits(UInt64.self) },
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "integers 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "integers 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2, again: changeV2toV1),
      Pair(
        name: "integers 1>3", old: V1.self, new: V3.self, change: changeV1toV3, back: changeV2toV1, again: changeV1toV3),
      Pair(
        name: "integers 3>1", old: V3.self, new: V1.self, change: changeV2toV1, back: changeV1toV3, again: changeV2toV1),
      Pair(
        name: "integers 1>4", old: V1.self, new: V4.self, change: changeV1toV4, back: changeV2toV1, again: changeV1toV4),
      Pair(
        name: "integers 4>1", old: V4.self, new: V1.self, change: changeV2toV1, back: changeV1toV4, again: changeV2toV1),
      Pair(
        name: "integers 1>5", old: V1.self, new: V5.self, change: changeV1toV5,
        refusedOnPostgres: "Documentation/postgres.md names this difference", back: changeV2toV1, again: changeV1toV5),
      Pair(
        name: "integers 2>3", old: V2.self, new: V3.self, change: changeV1toV3, back: changeV1toV2, again: changeV1toV3),
      Pair(
        name: "integers 3>2", old: V3.self, new: V2.self, change: changeV1toV2, back: changeV1toV3, again: changeV1toV2),
      Pair(
        name: "integers 4>2", old: V4.self, new: V2.self, change: changeV1toV2, back: changeV1toV4, again: changeV1toV2),
      Pair(
        name: "integers 5>2", old: V5.self, new: V2.self, change: changeV1toV2,
        refusedOnPostgres: "Documentation/postgres.md names this difference", back: changeV1toV5, again: changeV1toV2),
    ]
  }
}

/// real numbers
enum Case26 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var n: Int = 7
      var o: Int?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("n", \.n)
      kind1.optional("o", \.o)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var n: Double = 1.5
      var o: Double?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("n", \.n)
      kind1.optional("o", \.o)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var n: Decimal = Decimal(3)
      var o: Decimal?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("n", \.n)
      kind1.optional("o", \.o)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "n": try object["n"].asReal(),
        "o": try object["o"].map { try $0.asReal() },
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      throw Refused("o cannot have the values of o")
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "real numbers 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        refusedOnPostgres: "Documentation/postgres.md names this difference", back: changeV1toV3, again: changeV1toV2),
      Pair(
        name: "real numbers 1>3", old: V1.self, new: V3.self, change: changeV1toV3, back: changeV1toV3,
        again: changeV1toV3),
      Pair(
        name: "real numbers 2>3", old: V2.self, new: V3.self, change: changeV1toV3, back: changeV1toV3,
        again: changeV1toV3),
      Pair(
        name: "real numbers 3>2", old: V3.self, new: V2.self, change: changeV1toV3, back: changeV1toV3,
        again: changeV1toV3),
    ]
  }
}

/// float
enum Case27 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var n: Float = 2.5
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class N {
      var serial: Int = 7
      var n: Double = 1.5
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("N", \N.serial) { N() }
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      return [
        "serial": object["serial"],
        "n": try object["n"].asFloat(),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "float 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: returnV2toV1, again: changeV1toV2)
    ]
  }
}
