// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// integers
enum Case21 {

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

  static func changeV3toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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

  static func changeV4toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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

  static func changeV2toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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

  static func changeV3toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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

  static func changeV4toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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

  static func changeV5toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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

  static var pairs: [Pair] {
    [
      Pair(name: "integers 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "integers 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
      Pair(name: "integers 1>3", old: V1.self, new: V3.self, change: changeV1toV3),
      Pair(name: "integers 3>1", old: V3.self, new: V1.self, change: changeV3toV1),
      Pair(name: "integers 1>4", old: V1.self, new: V4.self, change: changeV1toV4),
      Pair(name: "integers 4>1", old: V4.self, new: V1.self, change: changeV4toV1),
      Pair(
        name: "integers 1>5", old: V1.self, new: V5.self, change: changeV1toV5,
        refusedOnPostgres: "Documentation/postgres.md names this difference"),
      Pair(name: "integers 2>3", old: V2.self, new: V3.self, change: changeV2toV3),
      Pair(name: "integers 3>2", old: V3.self, new: V2.self, change: changeV3toV2),
      Pair(name: "integers 4>2", old: V4.self, new: V2.self, change: changeV4toV2),
      Pair(
        name: "integers 5>2", old: V5.self, new: V2.self, change: changeV5toV2,
        refusedOnPostgres: "Documentation/postgres.md names this difference"),
    ]
  }
}

/// real numbers
enum Case22 {

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

  static func changeV2toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "N":
      throw Refused("o cannot have the values of o")
    default: throw Pair.unknown(object)
    }
  }

  static func changeV3toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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
        refusedOnPostgres: "Documentation/postgres.md names this difference"),
      Pair(name: "real numbers 1>3", old: V1.self, new: V3.self, change: changeV1toV3),
      Pair(name: "real numbers 2>3", old: V2.self, new: V3.self, change: changeV2toV3),
      Pair(name: "real numbers 3>2", old: V3.self, new: V2.self, change: changeV3toV2),
    ]
  }
}
