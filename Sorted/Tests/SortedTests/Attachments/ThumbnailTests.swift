import FirestoreProtocol
import Foundation
import Sorted
import Testing

@Suite("Thumbnails") struct ThumbnailTests {
  /// 640 pixels wide and 320 high.
  private static let png =
    Data(
      base64Encoded: """
        iVBORw0KGgoAAAANSUhEUgAAAoAAAAFAAQAAAAAEtvCnAAAAdElEQVR42u3MMQEAAAwCIPtHMaUVduyEAKTPIhQKhUKhUCgUCoVC
        oVAoFAqFQqFQKBQKhUKhUCgUCoVCoVAoFAqFQqFQKBQKhUKhUCgUCoVCoVAoFAqFQqFQKBQKhUKhUCgUCoVCoVAoFAqFQqFQKBQK
        hTcDbApr3+kGpusAAAAASUVORK5CYII=
        """, options: .ignoreUnknownCharacters) ?? Data()

  private static let isInstalled = VipsThumbnails() != nil

  /// The width and the height that a JPEG picture says of itself, in its first frame.
  private func size(ofJPEG data: Data) throws -> [Int] {
    let bytes = [UInt8](data)
    var place = 2
    while place + 9 < bytes.count, bytes[place] == 0xFF {
      if bytes[place + 1] == 0xC0 || bytes[place + 1] == 0xC2 {
        return [7, 5].map { Int(bytes[place + $0]) << 8 | Int(bytes[place + $0 + 1]) }
      }
      place += 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
    }
    throw CocoaError(.fileReadCorruptFile)
  }

  @Test(
    "An image gets a small JPEG picture beside it, and a file that is none is sent without",
    .enabled(if: isInstalled, "vipsthumbnail of Debian's libvips-tools is not installed"))
  func uploaded() async throws {
    try await UploadBench.run { bench in
      let data = Self.png
      for id in ["image", "broken"] { try bench.attach(id, bytes: 10, type: .image, mimeType: "image/png") }
      try data.write(to: bench.url("image"))
      let thumbnails = try #require(VipsThumbnails(side: 100))
      #expect(try await bench.service(thumbnails: thumbnails).uploadPending().completed.count == 2)
      let small = try await bench.storage.contents(of: bench.name("image") + ".thumbnail.jpg")
      #expect(try size(ofJPEG: small) == [100, 50])
      #expect(try bench.stored("image").0.thumbnailURL?.contains(".thumbnail.jpg") == true)
      #expect(try bench.stored("broken").0.thumbnailURL == nil)
      await #expect(throws: FirestoreError.self) {
        try await bench.storage.contents(of: bench.name("broken") + ".thumbnail.jpg")
      }
    }
  }

  @Test(
    "A small image stays as it is, under any name; what is no image says so",
    .enabled(if: isInstalled, "vipsthumbnail of Debian's libvips-tools is not installed"))
  func alone() async throws {
    try await UploadBench.run { bench in
      let thumbnails = try #require(VipsThumbnails(side: 1_000))
      let image = bench.folder.appendingPathComponent("-x [n=2].png")
      try Self.png.write(to: image)
      let small = try await thumbnails.thumbnail(of: image)
      #expect(try size(ofJPEG: small) == [640, 320])
      try Data("text".utf8).write(to: image)
      let error = await #expect(throws: VipsThumbnails.Failure.self) { try await thumbnails.thumbnail(of: image) }
      #expect(error?.description.isEmpty == false)
    }
  }

  @Test(
    "A square thumbnail has its side, also of an image that is wide or smaller",
    .enabled(if: isInstalled, "vipsthumbnail of Debian's libvips-tools is not installed"), arguments: [100, 1_000])
  func square(side: Int) async throws {
    try await UploadBench.run { bench in
      let thumbnails = try #require(VipsThumbnails(side: side, isSquare: true))
      let image = bench.folder.appendingPathComponent("wide.png")
      try Self.png.write(to: image)
      #expect(try size(ofJPEG: await thumbnails.thumbnail(of: image)) == [side, side])
    }
  }

  @Test("Without the program there are no thumbnails")
  func missing() { #expect(VipsThumbnails(path: "/nonexistent") == nil) }
}
