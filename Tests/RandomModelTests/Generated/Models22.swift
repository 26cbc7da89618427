// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// names of order columns
enum Case51 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Playlist {
      var serial: Int = 7
      var name: String = "default"
      @Relationship(inverse: \Song.playlist) var songs: [Song] = []
      init() {}
    }
    @Model final class Song {
      var serial: Int = 7
      var playlist: Playlist?
      var playlist_position: Int?
      var playlist_order: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Playlist", \Playlist.serial) { Playlist() }
      kind1.ordered("name", \.name)
      kind1.many("songs", \.songs, \.serial)
      let kind2 = Kind("Song", \Song.serial) { Song() }
      kind2.one("playlist", \.playlist, \.serial, isOwner: false)
      kind2.optional("playlist_position", \.playlist_position)
      kind2.ordered("playlist_order", \.playlist_order)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Playlist {
      var serial: Int = 7
      var name: String = "default"
      @Relationship(inverse: \Song.list) var songs: [Song] = []
      init() {}
    }
    @Model final class Song {
      var serial: Int = 7
      @Relationship(originalName: "playlist") var list: Playlist?
      @Attribute(originalName: "playlist_position") var list_position: Int?
      @Attribute(originalName: "playlist_order") var playlist_position: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Playlist", \Playlist.serial) { Playlist() }
      kind1.ordered("name", \.name)
      kind1.many("songs", \.songs, \.serial)
      let kind2 = Kind("Song", \Song.serial) { Song() }
      kind2.one("list", \.list, \.serial, isOwner: false)
      kind2.optional("list_position", \.list_position)
      kind2.ordered("playlist_position", \.playlist_position)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Playlist":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "songs": object["songs"],
      ]
    case "Song":
      return [
        "serial": object["serial"],
        "list": object["playlist"],
        "list_position": object["playlist_position"],
        "playlist_position": object["playlist_order"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Playlist":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "songs": object["songs"],
      ]
    case "Song":
      throw Refused("playlist_position cannot have the values of playlist_position")
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "names of order columns 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV2toV1),
      Pair(
        name: "names of order columns 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV2toV1,
        again: changeV2toV1, taken: ["Song.playlist"]),
    ]
  }
}

/// names of the engine
enum Case52 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Entry {
      var serial: Int = 7
      var _pk: Int = 7
      var _class: String = "default"
      var rowid: Int = 7
      var oid: Int = 7
      var ctid: String = "default"
      var source: Int = 7
      var target: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Entry", \Entry.serial) { Entry() }
      kind1.ordered("_pk", \._pk)
      kind1.ordered("_class", \._class)
      kind1.ordered("rowid", \.rowid)
      kind1.ordered("oid", \.oid)
      kind1.ordered("ctid", \.ctid)
      kind1.ordered("source", \.source)
      kind1.ordered("target", \.target)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Entry {
      var serial: Int = 7
      var _pk: Int?
      var _class: String = "default"
      @Attribute(originalName: "rowid") var _version: Int = 7
      @Attribute(originalName: "oid") var xmin: Int = 7
      var source_position: Int = 7
      var target: String?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Entry", \Entry.serial) { Entry() }
      kind1.optional("_pk", \._pk)
      kind1.ordered("_class", \._class)
      kind1.ordered("_version", \._version)
      kind1.ordered("xmin", \.xmin)
      kind1.ordered("source_position", \.source_position)
      kind1.optional("target", \.target)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Entry":
      throw Refused("target cannot have the values of target")
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "names of the engine 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "names of the engine 2>1", old: V2.self, new: V1.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2, taken: ["Entry.oid", "Entry.rowid"]),
    ]
  }
}

/// words of SQL
enum Case53 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Group {
      var serial: Int = 7
      var select: Int = 7
      var order: String = "default"
      var group: Group?
      var `where`: String = "default"
      var index: Int = 7
      var `default`: Int = 7
      var table: String = "default"
      var `in`: Bool = true
      var values: [Order] = []
      init() {}
    }
    @Model final class Order {
      var serial: Int = 7
      var by: String = "default"
      var user: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Group", \Group.serial) { Group() }
      kind1.ordered("select", \.select)
      kind1.ordered("order", \.order)
      kind1.one("group", \.group, \.serial)
      kind1.ordered("where", \.`where`)
      kind1.ordered("index", \.index)
      kind1.ordered("default", \.`default`)
      kind1.ordered("table", \.table)
      kind1.value("in", \.`in`)
      kind1.many("values", \.values, \.serial)
      let kind2 = Kind("Order", \Order.serial) { Order() }
      kind2.ordered("by", \.by)
      kind2.ordered("user", \.user)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Group {
      var serial: Int = 7
      var select: Int = 7
      var order: String?
      var group: Group?
      var `where`: String = "default"
      var index: Int = 7
      @Attribute(originalName: "default") var `case`: Int = 7
      @Attribute(originalName: "table") var from: String = "default"
      var values: [Order] = []
      init() {}
    }
    @Model final class Order {
      var serial: Int = 7
      @Attribute(originalName: "by") var to: String = "default"
      var user: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Group", \Group.serial) { Group() }
      kind1.ordered("select", \.select)
      kind1.optional("order", \.order)
      kind1.one("group", \.group, \.serial)
      kind1.ordered("where", \.`where`)
      kind1.ordered("index", \.index)
      kind1.ordered("case", \.`case`)
      kind1.ordered("from", \.from)
      kind1.many("values", \.values, \.serial)
      let kind2 = Kind("Order", \Order.serial) { Order() }
      kind2.ordered("to", \.to)
      kind2.ordered("user", \.user)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Group":
      return [
        "serial": object["serial"],
        "select": object["select"],
        "order": object["order"],
        "group": object["group"],
        "where": object["where"],
        "index": object["index"],
        "case": object["default"],
        "from": object["table"],
        "values": object["values"],
      ]
    case "Order":
      return [
        "serial": object["serial"],
        "to": object["by"],
        "user": object["user"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Group":
      return [
        "serial": object["serial"],
        "select": object["select"],
        "order": object["order"].or(.text("default")),
        "group": object["group"],
        "where": object["where"],
        "index": object["index"],
        "default": .integer(7),
        "table": .text("default"),
        "in": .bool(true),
        "values": object["values"],
      ]
    case "Order":
      return [
        "serial": object["serial"],
        "by": .text("default"),
        "user": object["user"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "words of SQL 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "words of SQL 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Group.default", "Group.table", "Order.by"]),
    ]
  }
}
