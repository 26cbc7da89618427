import CryptoExtras
import Foundation
import Testing

@testable import FirestoreClient
@testable import FirestoreProtocol
@testable import FirestoreServer

@Suite("Secrets of Firestore's client and server") struct SecretTests {
  private func dumped(_ value: Any) -> String {
    var text = "\(value) \(String(reflecting: value)) "
    dump(value, to: &text)
    return text
  }

  @Test("A client shows neither its token nor the key of its account")
  func client() throws {
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation
    let account = try ServiceAccount(
      key: JSONEncoder().encode(["client_email": "me@example.org", "private_key": key]))
    let told = [
      dumped(FixedToken("topsecret")), dumped(FirestoreClient(project: "p", credentials: FixedToken("topsecret"))),
      dumped(account), dumped(FirestoreClient(project: "p", credentials: account)),
    ]
    #expect(told[0].contains("a token") && told[2].contains("me@example.org"))
    for text in told { #expect(!text.contains("topsecret") && !text.contains("PRIVATE KEY")) }
  }

  @Test("The error of a server that is not there, or that refuses the key, has nothing of the token")
  func errors() async throws {
    let client = FirestoreClient(
      project: "p", baseURL: "http://127.0.0.1:1", credentials: FixedToken("topsecret"), environment: [:])
    let error = await #expect(throws: FirestoreError.self) { try await client.document("a/b") }
    let told = error.map(dumped) ?? ""
    #expect(told.contains("127.0.0.1:1") && !told.contains("topsecret"))
    let unreadable = #expect(throws: FirestoreError.self) {
      try ServiceAccount(key: Data(#"{"private_key":"topsecret"}"#.utf8))
    }
    #expect(unreadable.map { !dumped($0).contains("topsecret") } == true)
    let account = try ServiceAccount(
      key: JSONEncoder().encode(["client_email": "me@example.org", "private_key": "topsecret"]))
    let refused = await #expect(throws: FirestoreError.self) { try await account.token() }
    #expect(refused.map { !dumped($0).contains("topsecret") } == true)
  }

  @Test("The server names a request without the token of a file, and refuses a user's without showing it")
  func server() throws {
    let request = ServerRequest(
      method: "GET", target: "/v0/b/bucket/o/name?alt=media&token=topsecret", header: { _ in "Bearer topsecret" },
      body: Data())
    #expect(request.path == "/v0/b/bucket/o/name")
    let error = #expect(throws: FirestoreError.self) { try Identity(header: "Bearer topsecret") }
    #expect(error.map { !dumped($0).contains("topsecret") } == true)
  }
}
