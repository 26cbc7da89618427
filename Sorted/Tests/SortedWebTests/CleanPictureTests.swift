import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("Pictures without what a camera wrote into them") struct CleanPictureTests {
  private static let secret = "48N-11E-SECRET"

  private static func segment(_ marker: UInt8, _ contents: [UInt8]) -> [UInt8] {
    [0xFF, marker, UInt8((contents.count + 2) >> 8), UInt8((contents.count + 2) & 0xFF)] + contents
  }

  private static func big(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> (8 * $0) & 0xFF) } }
  private static func little(_ number: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(number >> (8 * $0) & 0xFF) }
  }

  /// A photo on its side, with a place in its Exif data, in XMP, in IPTC, in a comment and in a second picture behind its end.
  private static func photo(_ width: Int, _ height: Int) -> [UInt8] {
    let exif =
      Array("Exif\0\0II".utf8) + little(42, 2) + little(8) + little(1, 2) + little(0x0112, 2) + little(3, 2) + little(1)
      + little(6) + little(0) + Array(secret.utf8)
    let size = [UInt8(height >> 8), UInt8(height & 0xFF), UInt8(width >> 8), UInt8(width & 0xFF)]
    var bytes: [UInt8] = [0xFF, 0xD8]
    bytes += segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 3, 1] + Array(secret.utf8))
    bytes += segment(0xE0, Array("JFXX\0\u{10}\(secret)".utf8)) + segment(0xF7, Array(secret.utf8))
    bytes += segment(0xE1, exif) + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0\(secret)".utf8))
    bytes += segment(0xE2, Array("ICC_PROFILE\0colours".utf8)) + segment(0xE2, Array("MPF\0\(secret)".utf8))
    bytes += segment(0xED, Array("Photoshop 3.0\0\(secret)".utf8)) + segment(0xFE, Array(secret.utf8))
    bytes += segment(0xC2, [8] + size + [1, 1, 0x11, 0]) + segment(0xDA, [1, 1, 0, 0, 63, 0])
    bytes += [1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4] + segment(0xC4, [0]) + segment(0xDA, [1, 1, 0, 0, 63, 0]) + [5, 6]
    return bytes + [0xFF, 0xD9, 0xFF, 0xD8] + segment(0xE1, exif) + [0xFF, 0xD9]
  }

  private static func png(_ width: Int, _ height: Int) -> [UInt8] {
    func chunk(_ name: String, _ contents: [UInt8]) -> [UInt8] {
      big(contents.count) + Array(name.utf8) + contents + [0, 0, 0, 0]
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", big(width) + big(height) + [8, 2, 0, 0, 0])
      + chunk("eXIf", Array(secret.utf8)) + chunk("tEXt", Array("Comment\0\(secret)".utf8))
      + chunk("caBX", Array("c2pa \(secret)".utf8)) + chunk("iTXt", Array("XML:com.adobe.xmp\0\(secret)".utf8))
      + chunk("IDAT", [1, 2, 3]) + chunk("IEND", [])
      + Array(secret.utf8)
  }

  private static func webp(_ width: Int, _ height: Int) -> [UInt8] {
    func chunk(_ name: String, _ contents: [UInt8]) -> [UInt8] {
      Array(name.utf8) + little(contents.count) + contents + (contents.count % 2 == 0 ? [] : [0])
    }
    let chunks =
      Array("WEBP".utf8) + chunk("VP8X", [0x1C, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
      + chunk("ANMF", [UInt8](repeating: 0, count: 16) + chunk("VP8 ", [1, 2, 3]) + chunk("note", Array(secret.utf8)))
      + chunk("VP8 ", [1, 2, 3]) + chunk("C2PA", Array(secret.utf8)) + chunk("EXIF", Array(secret.utf8))
      + chunk("XMP ", Array(secret.utf8))
    return Array("RIFF".utf8) + little(chunks.count) + chunks
  }

  private static func gif(_ width: Int, _ height: Int) -> [UInt8] {
    let block = [UInt8(secret.utf8.count)] + Array(secret.utf8) + [0]
    return Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0x80, 0, 0, 1, 2, 3, 4, 5, 6]
      + [0x21, 0xFE] + block + [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + block
      + [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
      + [0x2C, 0, 0, 0, 0] + little(width, 2) + little(height, 2) + [0, 2, 2, 1, 2, 0, 0x3B] + Array(secret.utf8)
  }

  private static let kinds: [@Sendable (Int, Int) -> [UInt8]] = [photo, png, webp, gif]

  private static func clean(_ bytes: [UInt8]) throws -> Data {
    try FileKind.contents(Data(bytes), name: "x").bytes
  }

  @Test("Nothing but the picture stays, in whole files and in those that end anywhere")
  func metadata() throws {
    let secret = Data(Self.secret.utf8)
    for make in Self.kinds {
      let whole = make(640, 480)
      #expect(Data(whole).range(of: secret) != nil)
      for end in stride(from: 12, through: whole.count, by: 1) {
        let cleaned = try Self.clean(Array(whole[..<end]))
        for length in [secret.count, 8] where cleaned.count >= length {
          #expect(cleaned.range(of: secret.prefix(length)) == nil, "\(whole.prefix(12)) \(end)")
        }
      }
      // What is clean stays as it is.
      let cleaned = try Self.clean(whole)
      #expect(try Self.clean([UInt8](cleaned)) == cleaned)
    }
  }

  @Test("The orientation, the colours, the scans and the movement of a picture stay")
  func kept() throws {
    let photo = try Self.clean(Self.photo(640, 480))
    for part in [
      Data("JFIF".utf8), Data("ICC_PROFILE".utf8), Data([1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4]), Data([5, 6, 0xFF, 0xD9]),
      // 6: to be turned by 90 degrees.
      Data([1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6]),
    ] { #expect(photo.range(of: part) != nil, "\(part)") }
    #expect(photo.suffix(2) == Data([0xFF, 0xD9]))
    let webp = try Self.clean(Self.webp(640, 480))
    #expect(webp[20] == 0x10)
    #expect(Int(webp[4]) + Int(webp[5]) << 8 == webp.count - 8)
    #expect(try Self.clean(Self.gif(640, 480)).range(of: Data("NETSCAPE2.0".utf8)) != nil)
    #expect(try Self.clean(Self.png(640, 480)).range(of: Data("IDAT".utf8)) != nil)
  }

  @Test("A picture of more than 40 megapixels is refused, however small its file is")
  func pixels() throws {
    for make in Self.kinds {
      #expect(throws: PageError.self) { try Self.clean(make(8_000, 5_001)) }
      _ = try Self.clean(make(8_000, 5_000))
    }
    // The greatest sizes that a file can name do not overflow.
    #expect(throws: PageError.self) { try Self.clean(Self.png(0xFFFF_FFFF, 0xFFFF_FFFF)) }
  }

  @Test("A photo is stored and served without its place, also one that an earlier version stored")
  func server() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let path = "/c/\(Slug.encode("sample/studio"))/send"
      let (secret, photo) = (Data(Self.secret.utf8), Data(Self.photo(640, 480)))
      _ = try await browser.upload(path, ["key": UUID().uuidString, "text": ""], files: [("holiday.jpg", photo)])
      let found = try web.context().fetch(FetchDescriptor<AttachmentEntity>())
      let attachment = try #require(found.first { $0.fileName == "holiday.jpg" })
      let file = web.server.site.files.folder.appendingPathComponent(attachment.id)
      #expect(try Data(contentsOf: file).range(of: secret) == nil)
      try photo.write(to: file)
      for address in ["/files/\(Slug.encode(attachment.id))", "/files/\(Slug.encode(attachment.id))/thumbnail"] {
        let answer = try await browser.get(address)
        #expect(answer.status == 200 && answer.body.range(of: secret) == nil)
        #expect(answer["Cross-Origin-Resource-Policy"] == "same-origin")
      }
      let large = Data(Self.png(30_000, 30_000))
      let refused = try await browser.upload(path, ["key": UUID().uuidString, "text": ""], files: [("big.png", large)])
      #expect(refused.status == 413 && refused.text.contains("900 megapixels"))
      // An import brings pictures that a server would not take. They can be downloaded.
      try large.write(to: file)
      for address in ["/files/\(Slug.encode(attachment.id))", "/files/\(Slug.encode(attachment.id))/thumbnail"] {
        let answer = try await browser.get(address)
        #expect(answer.status == 200 && answer["Content-Type"] == "application/octet-stream")
        #expect(answer["Content-Disposition"]?.hasPrefix("attachment") == true)
      }
    }
  }
}
