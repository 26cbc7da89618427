import Foundation
import SwiftData
import Testing

/// Lists of texts, which need no JSON encoder, have the JSON of one.
@Suite struct JSONTextsTests {
  private static let lists: [[String]] =
    [[], [""], ["a"], ["a", "b", ""], ["é", "e\u{301}", "👍🏽"], ["/", "\u{7F}", "\u{2028}"], nastyTexts]
    + nastyTexts.map { ["x", $0] } + (UInt8.min..<40).map { [String(Unicode.Scalar($0)), "y"] }

  private func plainEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  @Test("A list of texts has the JSON that an encoder writes, and is read again", arguments: lists)
  func agreement(_ list: [String]) throws {
    let json = try JSONCoding.encode(list)
    #expect(try json == plainEncoder().encode(list))
    let read = try JSONCoding.decode([String].self, from: json)
    #expect(read.map { Array($0.utf8) } == list.map { Array($0.utf8) })
  }

  @Test("JSON of another form is read like an encoder's, and what is none is refused")
  func others() throws {
    func read(_ json: String) throws -> [String] { try JSONCoding.decode([String].self, from: Data(json.utf8)) }
    #expect(try read(" [ \"a\" , \"b\" ] ") == ["a", "b"])
    #expect(try read("[\"\\u00e9\\n\"]") == ["é\n"])
    for wrong in [
      "", "[", "]", "[\"a\"", "[\"a\"\"b\"]", "[,\"a\"]", "[a]", "[1]", "{}", "\"a\"", "[\"\n\"]",
    ] {
      #expect(throws: (any Error).self, "\(wrong)") { try read(wrong) }
      #expect(throws: (any Error).self) { try JSONDecoder().decode([String].self, from: Data(wrong.utf8)) }
    }
    let invalid = Data([0x5B, 0x22, 0xFF, 0x22, 0x5D])
    #expect(throws: (any Error).self) { try JSONCoding.decode([String].self, from: invalid) }
  }

  @Test("A dictionary of texts too")
  func dictionaries() throws {
    for dictionary in [[:], ["a": "b"], ["b": "1", "a": "2"]] {
      let json = try JSONCoding.encode(dictionary)
      #expect(try json == plainEncoder().encode(dictionary))
      #expect(try JSONCoding.decode([String: String].self, from: json) == dictionary)
    }
  }
}
