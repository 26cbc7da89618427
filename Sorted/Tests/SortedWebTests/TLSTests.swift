import AsyncHTTPClient
import ChildProcesses
import Foundation
import NIOSSL
import Testing

@testable import SortedNetwork
@testable import SortedWeb

@Suite("The web pages over TLS")
struct TLSTests {
  /// A certificate for 127.0.0.1 that signs itself.
  private struct SelfSigned {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sorted-tls-\(UUID().uuidString)")
    var files: TLSFiles {
      TLSFiles(
        certificates: folder.appendingPathComponent("certificate.pem"),
        privateKey: folder.appendingPathComponent("key.pem"))
    }

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let arguments = [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
        "-subj", "/CN=sorted", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", files.privateKey.path,
        "-out", files.certificates.path,
      ]
      let openssl = try ChildProcess("openssl", arguments, output: .inherited, errors: .nothing)
      try #require(openssl.wait() == .exit(0), "openssl makes no certificate")
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
  }

  private static func client(trusting files: TLSFiles, http1Only: Bool = false) throws -> HTTPClient {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(files.certificates.path))
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
    configuration.httpVersion = http1Only ? .http1Only : .automatic
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  @Test("Pages come over HTTP/2, and over HTTP/1.1 to a client that knows nothing else; the cookie is secure")
  func pages() async throws {
    let signed = try SelfSigned()
    defer { signed.remove() }
    try await WebFixture.run(tls: signed.files) { fixture in
      #expect(fixture.base.hasPrefix("https://"))
      for (http1Only, version) in [(false, "HTTP/2.0"), (true, "HTTP/1.1")] {
        let client = try Self.client(trusting: signed.files, http1Only: http1Only)
        let answer = try await client.execute(
          HTTPClientRequest(url: "\(fixture.base)/?token=\(fixture.server.makeToken())"), timeout: .seconds(300))
        #expect("\(answer.version)" == version)
        #expect(answer.status == .seeOther)
        let cookie = try #require(answer.headers.first(name: "Set-Cookie"))
        #expect(cookie.hasPrefix("__Host-sorted-"))
        #expect(cookie.contains("Secure"))
        try await client.shutdown()
      }
    }
  }

  @Test("Ten event streams and a page share one connection")
  func streams() async throws {
    let signed = try SelfSigned()
    defer { signed.remove() }
    try await WebFixture.run(tls: signed.files) { fixture in
      let client = try Self.client(trusting: signed.files)
      let door = try await client.execute(
        HTTPClientRequest(url: "\(fixture.base)/?token=\(fixture.server.makeToken())"), timeout: .seconds(300))
      let cookie = String(try #require(door.headers.first(name: "Set-Cookie")).prefix { $0 != ";" })
      func request(_ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: fixture.base + path)
        request.headers.add(name: "Cookie", value: cookie)
        return request
      }
      var open = [HTTPClientResponse]()
      for _ in 0..<10 { open.append(try await client.execute(request("/events"), timeout: .seconds(300))) }
      let page = try await client.execute(request("/settings"), timeout: .seconds(300))
      #expect(page.status == .ok)
      #expect(String(buffer: try await page.body.collect(upTo: 1 << 20)).contains("name=\"form\""))
      for stream in open {
        #expect(stream.status == .ok)
        var chunks = stream.body.makeAsyncIterator()
        #expect(try await chunks.next() != nil)
      }
      try await client.shutdown()
    }
  }

  @Test("A missing file, a file without a certificate and the key of another certificate are errors that name the file")
  func errors() async throws {
    let (one, other) = (try SelfSigned(), try SelfSigned())
    defer {
      one.remove()
      other.remove()
    }
    let missing = URL(fileURLWithPath: "/nowhere/certificate.pem")
    for (files, name) in [
      (TLSFiles(certificates: missing, privateKey: one.files.privateKey), missing.path),
      (TLSFiles(certificates: one.files.privateKey, privateKey: one.files.privateKey), one.files.privateKey.path),
      (TLSFiles(certificates: one.files.certificates, privateKey: missing), missing.path),
      (TLSFiles(certificates: one.files.certificates, privateKey: other.files.privateKey), other.files.privateKey.path),
    ] {
      let error = #expect(throws: TLSFilesError.self) { try files.configuration() }
      #expect(error?.errorDescription?.contains(name) == true, "\(error?.errorDescription ?? "")")
    }
  }
}
