// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// long names
enum Case54 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class C {
      var serial: Int = 7
      var a12345678901234567890123456789012345678901234567890123456789012345678901: String = "default"
      var a12345678901234567890123456789012345678901234567890123456789012345678902: Int = 7
      var l12345678901234567890123456789012345678901234567890123456789012345678901: [C] = []
      var l12345678901234567890123456789012345678901234567890123456789012345678902: [C] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("C", \C.serial) { C() }
      kind1.ordered(
        "a12345678901234567890123456789012345678901234567890123456789012345678901",
        \.a12345678901234567890123456789012345678901234567890123456789012345678901)
      kind1.ordered(
        "a12345678901234567890123456789012345678901234567890123456789012345678902",
        \.a12345678901234567890123456789012345678901234567890123456789012345678902)
      kind1.many(
        "l12345678901234567890123456789012345678901234567890123456789012345678901",
        \.l12345678901234567890123456789012345678901234567890123456789012345678901, \.serial)
      kind1.many(
        "l12345678901234567890123456789012345678901234567890123456789012345678902",
        \.l12345678901234567890123456789012345678901234567890123456789012345678902, \.serial)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class C {
      var serial: Int = 7
      var a12345678901234567890123456789012345678901234567890123456789012345678901: String?
      @Attribute(originalName: "a12345678901234567890123456789012345678901234567890123456789012345678902")
      var a12345678901234567890123456789012345678901234567890123456789012345678903: Int = 7
      var l12345678901234567890123456789012345678901234567890123456789012345678901: [C] = []
      @Relationship(originalName: "l12345678901234567890123456789012345678901234567890123456789012345678902")
      var l12345678901234567890123456789012345678901234567890123456789012345678903: [C] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("C", \C.serial) { C() }
      kind1.optional(
        "a12345678901234567890123456789012345678901234567890123456789012345678901",
        \.a12345678901234567890123456789012345678901234567890123456789012345678901)
      kind1.ordered(
        "a12345678901234567890123456789012345678901234567890123456789012345678903",
        \.a12345678901234567890123456789012345678901234567890123456789012345678903)
      kind1.many(
        "l12345678901234567890123456789012345678901234567890123456789012345678901",
        \.l12345678901234567890123456789012345678901234567890123456789012345678901, \.serial)
      kind1.many(
        "l12345678901234567890123456789012345678901234567890123456789012345678903",
        \.l12345678901234567890123456789012345678901234567890123456789012345678903, \.serial)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "C":
      return [
        "serial": object["serial"],
        "a12345678901234567890123456789012345678901234567890123456789012345678901": object[
          "a12345678901234567890123456789012345678901234567890123456789012345678901"],
        "a12345678901234567890123456789012345678901234567890123456789012345678903": object[
          "a12345678901234567890123456789012345678901234567890123456789012345678902"],
        "l12345678901234567890123456789012345678901234567890123456789012345678901": object[
          "l12345678901234567890123456789012345678901234567890123456789012345678901"],
        "l12345678901234567890123456789012345678901234567890123456789012345678903": object[
          "l12345678901234567890123456789012345678901234567890123456789012345678902"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "C":
      return [
        "serial": object["serial"],
        "a12345678901234567890123456789012345678901234567890123456789012345678901": object[
          "a12345678901234567890123456789012345678901234567890123456789012345678901"
        ].or(.text("default")),
        "a12345678901234567890123456789012345678901234567890123456789012345678902": .integer(7),
        "l12345678901234567890123456789012345678901234567890123456789012345678901": object[
          "l12345678901234567890123456789012345678901234567890123456789012345678901"],
        "l12345678901234567890123456789012345678901234567890123456789012345678902": .objects([]),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "long names 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "long names 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1,
        taken: [
          "C.a12345678901234567890123456789012345678901234567890123456789012345678902",
          "C.l12345678901234567890123456789012345678901234567890123456789012345678902",
        ]),
    ]
  }
}

/// names that glue together
enum Case55 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class User {
      var serial: Int = 7
      @Attribute(.unique) var group_name: String = "default"
      init() {}
    }
    @Model final class User_group {
      var serial: Int = 7
      @Attribute(.unique) var name: String = "default"
      init() {}
    }
    @Model final class A {
      var serial: Int = 7
      var b_c: [T] = []
      init() {}
    }
    @Model final class A_b {
      var serial: Int = 7
      var c: [T] = []
      init() {}
    }
    @Model final class T {
      var serial: Int = 7
      var n: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("User", \User.serial, unique: [["group_name"]]) { User() }
      kind1.ordered("group_name", \.group_name)
      let kind2 = Kind("User_group", \User_group.serial, unique: [["name"]]) { User_group() }
      kind2.ordered("name", \.name)
      let kind3 = Kind("A", \A.serial) { A() }
      kind3.many("b_c", \.b_c, \.serial)
      let kind4 = Kind("A_b", \A_b.serial) { A_b() }
      kind4.many("c", \.c, \.serial)
      let kind5 = Kind("T", \T.serial) { T() }
      kind5.ordered("n", \.n)
      return [kind1, kind2, kind3, kind4, kind5]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class User {
      var serial: Int = 7
      @Attribute(.unique, originalName: "group_name") var group: String = "default"
      init() {}
    }
    @Model final class User_group {
      var serial: Int = 7
      @Attribute(.unique) var name: String = "default"
      init() {}
    }
    @Model final class A {
      var serial: Int = 7
      var b_c: [T] = []
      init() {}
    }
    @Model final class A_b {
      var serial: Int = 7
      @Relationship(originalName: "c") var d: [T] = []
      init() {}
    }
    @Model final class T {
      var serial: Int = 7
      var n: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("User", \User.serial, unique: [["group"]]) { User() }
      kind1.ordered("group", \.group)
      let kind2 = Kind("User_group", \User_group.serial, unique: [["name"]]) { User_group() }
      kind2.ordered("name", \.name)
      let kind3 = Kind("A", \A.serial) { A() }
      kind3.many("b_c", \.b_c, \.serial)
      let kind4 = Kind("A_b", \A_b.serial) { A_b() }
      kind4.many("d", \.d, \.serial)
      let kind5 = Kind("T", \T.serial) { T() }
      kind5.ordered("n", \.n)
      return [kind1, kind2, kind3, kind4, kind5]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "User":
      return [
        "serial": object["serial"],
        "group": object["group_name"],
      ]
    case "User_group":
      return [
        "serial": object["serial"],
        "name": object["name"],
      ]
    case "A":
      return [
        "serial": object["serial"],
        "b_c": object["b_c"],
      ]
    case "A_b":
      return [
        "serial": object["serial"],
        "d": object["c"],
      ]
    case "T":
      return [
        "serial": object["serial"],
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "User":
      return [
        "serial": object["serial"],
        "group_name": .text("default"),
      ]
    case "User_group":
      return [
        "serial": object["serial"],
        "name": object["name"],
      ]
    case "A":
      return [
        "serial": object["serial"],
        "b_c": object["b_c"],
      ]
    case "A_b":
      return [
        "serial": object["serial"],
        "c": .objects([]),
      ]
    case "T":
      return [
        "serial": object["serial"],
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "names that glue together 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "names that glue together 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["A_b.c", "User.group_name"]),
    ]
  }
}
