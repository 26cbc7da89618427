import Foundation
import SwiftData

/// Structs whose decoders make other values than they find, and computed members.
enum Members {
  enum Old {
    struct Look: Codable { var dark: Bool }

    @Model final class User {
      var name: String
      var look: Look
      init(_ name: String) { (self.name, look) = (name, Look(dark: true)) }
    }
  }

  struct Look: Codable, Equatable {
    var dark: Bool
    var size: Int

    enum CodingKeys: CodingKey { case dark, size }

    init(dark: Bool, size: Int) { (self.dark, self.size) = (dark, size) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      dark = try container.decode(Bool.self, forKey: .dark)
      size = try container.decodeIfPresent(Int.self, forKey: .size) ?? 12
    }
  }

  @Model final class User {
    var name: String
    var look: Look
    init(_ name: String, _ size: Int) { (self.name, look) = (name, Look(dark: true, size: size)) }
  }

  struct Contact: Codable, Equatable, Hashable {
    var name: String
    var nick: String?
    var phone: Int?
    var prices: [String: Int] = [:]
    var home: Address?

    struct Address: Codable, Equatable, Hashable {
      var city: String
      var zip: Int?
    }

    var display: String { nick ?? name }
    var number: Int { phone ?? 0 }
    var price: Int { prices["full"] ?? 100 }
    var city: String { home?.city ?? "nowhere" }
    var shown: String { name.isEmpty ? "anonymous" : name }
    var area: Int { (phone ?? 1) * (home?.zip ?? 1) }
  }

  @Model final class Person {
    var n: Int
    var contact: Contact
    init(_ n: Int, _ contact: Contact) { (self.n, self.contact) = (n, contact) }
  }

  @Model final class Friend {
    #Unique<Friend>([\.contact.display])
    var contact: Contact
    init(_ contact: Contact) { self.contact = contact }
  }

  @Model final class Guest {
    #Index<Guest>([\.contact.name])
    var contact: Contact
    init(_ contact: Contact) { self.contact = contact }
  }

  struct Tag: Codable, Equatable {
    var text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard text.hasPrefix("#") else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no #"))
      }
      self.text = String(text.dropFirst())
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode("#" + text)
    }
  }

  enum Level: String, Codable, CaseIterable { case low, high }

  @Composite
  struct Plain: Codable, Equatable {
    var number: Int
    var level = Level.low
    var observed = 1 { didSet { _ = oldValue } }
    let constant = 5
    var inner: Inner?
    var `default`: Double = 0.5
    var list: [Int] = []

    var doubled: Int { number * 2 }

    init(_ number: Int, _ level: Level = .low, inner: Inner? = nil) {
      (self.number, self.level, observed, self.inner) = (number, level, number + 1, inner)
    }
  }

  @Composite
  struct Inner: Codable, Equatable {
    var city: String
    var zip: Int?
    var kind: Level?

    enum CodingKeys: String, CodingKey {
      case city = "town"
      case zip
      case kind
    }
  }

  @Model final class Tagged {
    #Unique<Tagged>([\.plain.number])
    #Index<Tagged>([\.plain.inner?.city, \.plain.level])
    var plain: Plain
    var tag: Tag
    init(_ plain: Plain, _ tag: String) { (self.plain, self.tag) = (plain, Tag(tag)) }
  }
}
