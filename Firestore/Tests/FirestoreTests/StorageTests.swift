import AsyncHTTPClient
import Crypto
import FirestoreClient
import FirestoreProtocol
import Foundation
import Testing

@testable import FirestoreServer

@Suite("Files, from the client to the server and back") struct StorageTests {
  private static let chunk = 256 * 1_024

  private func withStorage(
    store: URL? = nil, rules: String? = nil, token: String? = nil, _ body: (FirebaseStorage) async throws -> Void
  ) async throws {
    try await withRunning(try FirestoreServer(store: store, rules: rules, port: 0)) { port in
      let address = "127.0.0.1:\(port)"
      try await body(
        token.map {
          FirebaseStorage(bucket: "b", baseURL: "http://" + address, credentials: FixedToken($0), environment: [:])
        } ?? FirebaseStorage(bucket: "b", environment: ["FIREBASE_STORAGE_EMULATOR_HOST": address]))
    }
  }

  private func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }) }

  private func put(_ storage: FirebaseStorage, _ name: String, _ data: Data) async throws {
    let upload = try await storage.beginUpload(name, contentType: "text/plain", length: Int64(data.count))
    #expect(try await storage.send(data, at: 0, isLast: true, toUpload: upload) == .finished)
  }

  /// As anybody does it, without signing in; nil where that is refused.
  private func download(_ url: String) async throws -> Data? {
    let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(300))
    let body = try await response.body.collect(upTo: 1 << 24)
    return response.status == .ok ? Data(body.readableBytesView) : nil
  }

  private func contents(of folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path + "/s.store-files")
  }

  @Test("A file that is sent in chunks is there with its size, its type and its checksum, under any name")
  func chunks() async throws {
    try await withStorage { storage in
      let data = bytes(2 * Self.chunk + 7)
      let name = "a/ö b/c+d?e%#.png"
      let upload = try await storage.beginUpload(name, contentType: "image/png", length: Int64(data.count))
      #expect(try await storage.state(ofUpload: upload) == .active(received: 0))
      var offset = 0
      for end in [Self.chunk, 2 * Self.chunk, data.count] {
        #expect(await status { _ = try await storage.file(name) } == .notFound)
        let state = try await storage.send(
          data[offset..<end], at: Int64(offset), isLast: end == data.count, toUpload: upload)
        #expect(state == (end == data.count ? .finished : .active(received: Int64(end))))
        #expect(try await storage.state(ofUpload: upload) == state)
        offset = end
      }
      let file = try await storage.file(name)
      #expect(file.name == name)
      #expect(file.size == String(data.count))
      #expect(file.contentType == "image/png")
      #expect(file.md5Hash == Data(Insecure.MD5.hash(data: data)).base64EncodedString())
      #expect(try await storage.contents(of: name) == data)
      let url = try #require(storage.downloadURL(of: file))
      #expect(try await download(url) == data)
    }
  }

  @Test("A chunk that does not belong at the end, or is too much, writes nothing; an upload that is short is no file")
  func wrongChunks() async throws {
    try await withStorage { storage in
      let data = bytes(Self.chunk)
      let upload = try await storage.beginUpload("x", contentType: "text/plain", length: Int64(Self.chunk + 1))
      _ = try await storage.send(data, at: 0, isLast: false, toUpload: upload)
      for (offset, count) in [(0, 10), (Self.chunk + 1, 1), (Self.chunk, 2)] {
        let part = data.prefix(count)
        #expect(
          await status { _ = try await storage.send(part, at: Int64(offset), isLast: false, toUpload: upload) }
            == .invalidArgument)
      }
      #expect(try await storage.state(ofUpload: upload) == .active(received: Int64(Self.chunk)))
      #expect(
        await status { _ = try await storage.send(Data(), at: Int64(Self.chunk), isLast: true, toUpload: upload) }
          == .invalidArgument)
      #expect(await status { _ = try await storage.file("x") } == .notFound)
      _ = try await storage.send(data.prefix(1), at: Int64(Self.chunk), isLast: true, toUpload: upload)
      #expect(try await storage.contents(of: "x") == data + data.prefix(1))
    }
  }

  @Test("An upload goes on after the server was started again, and what belongs to nothing is removed then")
  func restart() async throws {
    try await withFolder { folder in
      let store = folder.appendingPathComponent("s.store")
      let data = bytes(Self.chunk + 1)
      var upload = ""
      try await withStorage(store: store) { storage in
        upload = try await storage.beginUpload("x", contentType: "text/plain", length: Int64(data.count))
        _ = try await storage.send(data.prefix(Self.chunk), at: 0, isLast: false, toUpload: upload)
      }
      let stray = folder.appendingPathComponent("s.store-files/stray")
      try Data([1]).write(to: stray)
      try await withStorage(store: store) { storage in
        #expect(try await storage.state(ofUpload: upload) == .active(received: Int64(Self.chunk)))
        _ = try await storage.send(data.suffix(1), at: Int64(Self.chunk), isLast: true, toUpload: upload)
        #expect(try await storage.contents(of: "x") == data)
      }
      #expect(!FileManager.default.fileExists(atPath: stray.path))
      try await withStorage(store: store) { storage in
        let state = try await storage.state(ofUpload: upload)
        #expect(state == .finished)
        let there = try await storage.contents(of: "x")
        #expect(there == data)
      }
    }
  }

  @Test("A file is replaced, deleted and given up with its bytes; what is not there is not found")
  func removal() async throws {
    try await withFolder { folder in
      try await withStorage(store: folder.appendingPathComponent("s.store")) { storage in
        try await put(storage, "x", bytes(10))
        try await put(storage, "x", bytes(20))
        #expect(try await storage.contents(of: "x") == bytes(20))
        #expect(try contents(of: folder).count == 1)
        try await storage.delete("x")
        #expect(await status { try await storage.delete("x") } == .notFound)
        #expect(await status { _ = try await storage.contents(of: "x") } == .notFound)
        let upload = try await storage.beginUpload("y", contentType: "text/plain", length: 5)
        try await storage.cancelUpload(upload)
        try await storage.cancelUpload(upload)
        #expect(await status { _ = try await storage.state(ofUpload: upload) } == .notFound)
        #expect(try contents(of: folder).isEmpty)
        try await put(storage, "empty", Data())
        #expect(try await storage.contents(of: "empty").isEmpty)
      }
    }
  }

  @Test("The rules hold for files, below storage/; a download token opens a file for anybody")
  func rules() async throws {
    let rules = "storage/users/{uid}/** {uid} {uid}"
    try await withStorage(rules: rules, token: token(of: "a")) { storage in
      try await put(storage, "users/a/x", bytes(3))
      #expect(
        await status { _ = try await storage.beginUpload("users/b/x", contentType: "text/plain", length: 1) }
          == .permissionDenied)
      #expect(await status { _ = try await storage.file("other") } == .permissionDenied)
      let url = try #require(storage.downloadURL(of: try await storage.file("users/a/x")))
      #expect(try await download(url) == bytes(3))
      #expect(try await download(url.replacing("token=", with: "token=x")) == nil)
    }
  }
}
