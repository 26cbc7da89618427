import Foundation
import Testing

@testable import SwiftData

/// JSON that can be changed in one place.
private indirect enum JSON: Codable, Equatable {
  case null, flag(Bool), number(Double), text(String), list([JSON]), object([String: JSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([JSON].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .flag(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }

  /// All that differ in one place: another value, an element fewer, a member fewer.
  var variants: [JSON] {
    switch self {
    case .null: return []
    case .flag(let flag): return [.flag(!flag)]
    case .number(let number): return [.number(number + 1)]
    case .text(let text): return [.text(text + "x")]
    case .list(let list):
      return (list.isEmpty ? [] : [.list(list.dropLast())])
        + list.indices.flatMap { index in
          list[index].variants.map { variant in
            var list = list
            list[index] = variant
            return .list(list)
          }
        }
    case .object(let object):
      return object.keys.sorted().flatMap { key -> [JSON] in
        // The format of the text is no part of the models.
        guard key != "encodingVersion" else { return [] }
        var rest = object
        rest[key] = nil
        return [.object(rest)]
          + object[key]!.variants.map { variant in object.merging([key: variant]) { $1 } }.map(JSON.object)
      }
    }
  }
}

private enum Plain {
  @Model final class Note {
    @Attribute(.unique) var code: String
    var text = "none"
    var count = 3
    init(_ code: String) { self.code = code }
  }
}

private enum OtherDefault {
  @Model final class Note {
    @Attribute(.unique) var code: String
    var text = "other"
    var count = 3
    init(_ code: String) { self.code = code }
  }
}

@Suite struct FingerprintTests {
  private static let agency = Schema([
    Agency.Trip.self, Agency.BusinessTrip.self, Agency.Client.self, OtherDefault.Note.self,
  ])

  private func sum(_ add: (inout Fingerprint) -> Bool) -> String {
    var sum = Fingerprint()
    #expect(add(&sum))
    return sum.text
  }

  /// The texts of what decodes among all variants of a value's JSON, with their sums.
  private func variants<V: Codable>(_ value: V, _ add: @escaping (V, inout Fingerprint) -> Bool) throws -> [String] {
    let decoder = JSONDecoder()
    let text = try JSONEncoder().encode(value)
    // The sum of the decoded value, because a variant is decoded too.
    let original = try decoder.decode(V.self, from: text)
    return try [sum { add(original, &$0) }]
      + decoder.decode(JSON.self, from: text).variants.compactMap { variant in
        guard let changed = try? decoder.decode(V.self, from: JSONEncoder().encode(variant)) else { return nil }
        return sum { add(changed, &$0) }
      }
  }

  @Test("Each value in the text of a schema counts")
  func schema() throws {
    let sums = try variants(Self.agency) { $0.add(to: &$1) }
    #expect(sums.count > 150)
    #expect(sums.dropFirst().allSatisfy { $0 != sums[0] })
  }

  @Test("Each value in the text of a layout counts")
  func layout() throws {
    let sums = try variants(VersionLayout(Self.agency).layout.record) { record, sum in
      record.add(to: &sum)
      return true
    }
    #expect(sums.count > 150)
    #expect(sums.dropFirst().allSatisfy { $0 != sums[0] })
  }

  @Test("A text differs from its neighbours", arguments: ["", "a", "ab", "12345678", "123456789", "1234567890123456"])
  func texts(_ text: String) {
    func checksum(_ parts: [String]) -> String {
      sum { sum in
        for part in parts { sum.combine(part) }
        return true
      }
    }
    #expect(checksum([text, "b"]) != checksum([text + "b"]))
    #expect(checksum([text, "b"]) != checksum(["b", text]))
    #expect(checksum([text]) != checksum([text + "\0"]))
    #expect(checksum([text]) == checksum([text]))
    #expect(checksum([text]).count == 32)
  }

  @Test("A store fits the models that it was made for, until a text of it changes")
  func fit() throws {
    let files = try TemporaryStore()
    let models = VersionLayout(Schema([Plain.Note.self]))
    let store = try files.container(Plain.Note.self).core.sqliteStores[0]
    let texts = try #require(try store.read { try Metadata.texts($0.database, path: "the store") })
    #expect(Metadata.fit(models, texts))
    for key in texts.keys {
      var changed = texts
      changed[key]! += " "
      #expect(!Metadata.fit(models, changed), "\(key)")
    }
    #expect(!Metadata.fit(models, texts.merging(["more": "1"]) { $1 }))
    #expect(!Metadata.fit(VersionLayout(Schema([OtherDefault.Note.self])), texts))
    #expect(!Metadata.fit(VersionLayout(Schema([Plain.Note.self], version: Schema.Version(2, 0, 0))), texts))
    #expect(!Metadata.fit(VersionLayout(Self.agency), texts))
  }

  @Test("A program that does not know the checksum and changes the texts is noticed")
  func olderProgram() throws {
    let files = try TemporaryStore()
    _ = try files.container(Plain.Note.self)
    #expect(try files.shell("UPDATE _swiftdata SET value = '[]' WHERE key = 'layout'") == "")
    #expect(throws: SwiftDataError.storeDamaged) { try files.container(Plain.Note.self) }
  }
}
