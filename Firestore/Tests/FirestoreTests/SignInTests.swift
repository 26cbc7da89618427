import CryptoExtras
import FirestoreClient
import FirestoreProtocol
import Foundation
import HTTPServing
import Hummingbird
import JWTKit
import Logging
import Synchronization
import Testing

@Suite("Signing in as a service account") struct SignInTests {
  private struct Claims: JWTPayload {
    let iss: String
    let scope: String
    let aud: String
    let iat: Int
    let exp: Int
    func verify(using algorithm: some JWTAlgorithm) async throws {}
  }

  /// Gives out tokens as Google does: to who signs with the key of the account.
  private final class TokenServer: Sendable {
    let key: _RSA.Signing.PrivateKey
    let now = Mutex(Date(timeIntervalSince1970: 1_700_000_000))
    let code = Mutex(200)
    private let received = Mutex<[Claims]>([])

    init() throws { key = try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    var requests: [Claims] { received.withLock { $0 } }

    func run(_ onRunning: @escaping @Sendable (Int) async -> Void) async throws {
      let responder = CallbackResponder<BasicRequestContext> { request, _ in
        let body = String(buffer: try await request.body.collect(upTo: 1 << 16))
        return try await self.answer(body)
      }
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      let application = Application(
        responder: responder, server: .endingAccepted(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { await onRunning($0.localAddress?.port ?? 0) }, logger: logger)
      try await application.runService(gracefulShutdownSignals: [])
    }

    private func answer(_ body: String) async throws -> Response {
      let fields = URLComponents(string: "?" + body)?.queryItems ?? []
      #expect(fields.first { $0.name == "grant_type" }?.value == "urn:ietf:params:oauth:grant-type:jwt-bearer")
      let keys = JWTKeyCollection()
      await keys.add(
        rsa: try Insecure.RSA.PublicKey(pem: key.publicKey.pemRepresentation), digestAlgorithm: .sha256)
      let assertion = fields.first { $0.name == "assertion" }?.value ?? ""
      let claims = try await keys.verify(assertion, as: Claims.self)
      let number = received.withLock { received in
        received.append(claims)
        return received.count
      }
      return Response(
        status: .init(code: code.withLock { $0 }),
        body: .init(byteBuffer: .init(string: #"{"access_token":"token \#(number)","expires_in":3600}"#)))
    }

    func account(_ port: Int) throws -> ServiceAccount {
      let file = [
        "client_email": "me@example.com", "private_key": key.pemRepresentation, "private_key_id": "1",
        "token_uri": "http://127.0.0.1:\(port)/token",
      ]
      return try ServiceAccount(key: try JSONEncoder().encode(file), now: { self.now.withLock { $0 } })
    }
  }

  @Test("A token is signed for, kept until a minute before its end, and asked for once however many want it")
  func tokens() async throws {
    let server = try TokenServer()
    try await withRunning({ try await server.run($0) }) { port in
      let account = try server.account(port)
      let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<20 { group.addTask { try await account.token() } }
        return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
      }
      #expect(tokens == ["token 1"])
      server.now.withLock { $0 += 3_539 }
      #expect(try await account.token() == "token 1")
      server.now.withLock { $0 += 2 }
      #expect(try await account.token() == "token 2")
      let claims = try #require(server.requests.first)
      #expect(server.requests.count == 2)
      #expect(claims.iss == "me@example.com")
      #expect(claims.aud == "http://127.0.0.1:\(port)/token")
      #expect(claims.scope == "https://www.googleapis.com/auth/datastore")
      #expect(claims.iat == 1_700_000_000)
      #expect(claims.exp == claims.iat + 3_600)
    }
  }

  @Test("A server that fails may be asked again; one that refuses, a wrong key, and what is no key, may not")
  func failures() async throws {
    let server = try TokenServer()
    try await withRunning({ try await server.run($0) }) { port in
      let account = try server.account(port)
      server.code.withLock { $0 = 503 }
      #expect(await status { _ = try await account.token() } == .unavailable)
      server.code.withLock { $0 = 400 }
      #expect(await status { _ = try await account.token() } == .unauthenticated)
      server.code.withLock { $0 = 200 }
      #expect(try await account.token() == "token 3")
    }
    let wrong = Data(#"{"client_email":"a","private_key":"b"}"#.utf8)
    let account = try ServiceAccount(key: wrong)
    #expect(await status { _ = try await account.token() } == .unauthenticated)
    #expect(throws: FirestoreError.self) { try ServiceAccount(key: Data("{}".utf8)) }
  }
}
