import FirestoreClient
import FirestoreProtocol
import Foundation
import Testing

@testable import FirestoreServer

@Suite("The rules of the local server") struct RulesTests {
  private static let text = """
    # path            readers    writers
    users/{uid}/**    {uid}      {uid}
    public/**         anyone     nobody
    rooms/*           signed-in  signed-in   # not what is below them
    rooms/*/private/* nobody     signed-in
    """

  @Test(
    "The first rule that fits decides; nobody may where none fits; the owner always may",
    arguments: [
      ("users/a/notes/1", "a", true, true), ("users/a/notes/1", "b", false, false),
      ("users/a/notes/1", nil, false, false),
      ("users/a", "a", true, true), ("users/a", "b", false, false), ("public/x", nil, true, false),
      ("public/x/y/z", "b", true, false),
      ("rooms/1", "b", true, true), ("rooms/1", nil, false, false), ("rooms/1/messages/2", "b", false, false),
      ("rooms/1/private/2", "b", false, true), ("other/1", "b", false, false),
    ] as [(String, String?, Bool, Bool)])
  func decisions(path: String, user: String?, reads: Bool, writes: Bool) throws {
    let rules = try AccessRules(parsing: Self.text)
    let identity = user.map { Identity.user($0) } ?? .anonymous
    let mayRead = (try? rules.check(.read, path, by: identity)) != nil
    #expect(mayRead == reads)
    let mayWrite = (try? rules.check(.write, path, by: identity)) != nil
    #expect(mayWrite == writes)
    #expect(throws: Never.self) { try rules.check(.write, path, by: .owner) }
  }

  @Test(
    "Rules that cannot be read name the line and what is wrong",
    arguments: [
      ("a/b anyone", "line 1", "readers and writers"), ("\n# x\na/**/b anyone anyone", "line 3", "last part"),
      ("a/{x} {y} anyone", "line 1", "{y}"), ("a/b everyone anyone", "line 1", "everyone"),
    ])
  func wrong(text: String, line: String, what: String) {
    let error = #expect(throws: FirestoreError.self) { try AccessRules(parsing: text) }
    #expect(error?.message.contains(line) == true)
    #expect(error?.message.contains(what) == true)
  }

  @Test("A user is who the token says; a header that names none is refused")
  func identities() throws {
    #expect(try Identity(header: nil) == .anonymous)
    #expect(try Identity(header: "Bearer owner") == .owner)
    #expect(try Identity(header: "Bearer " + token(of: "ä?>a")) == .user("ä?>a"))
    #expect(try Identity(header: "Firebase " + token(of: "b")) == .user("b"))
    for header in ["Bearer", "Basic owner", "Bearer nonsense", "Bearer e30.e30."] {
      #expect(throws: FirestoreError.self) { try Identity(header: header) }
    }
  }

  @Test("Every method asks the rules; a query that finds what the user may not read is refused whole")
  func requests() async throws {
    var server = try FirestoreServer(store: nil, rules: Self.text, port: 0)
    server.handler.observer = RequestLog.shared?.note
    try await withRunning(server) { port in
      func client(_ token: String?) -> FirestoreClient {
        FirestoreClient(
          project: "p", baseURL: "http://127.0.0.1:\(port)", credentials: FixedToken(token), environment: [:])
      }
      let (owner, alice, bob, nobody) = (client("owner"), client(token(of: "a")), client(token(of: "b")), client(nil))
      let mine = owner.root + "/users/a/notes/1"
      let theirs = owner.root + "/users/b/notes/1"
      let write = FirestoreWrite.update(.init(name: mine, fields: ["n": .integer(1)]))
      #expect(await status { _ = try await bob.commit([write]) } == .permissionDenied)
      try await alice.commit([write])
      let both = [write, .delete(theirs)]
      #expect(await status { _ = try await alice.commit(both) } == .permissionDenied)
      #expect(try await alice.document(mine).fields == ["n": .integer(1)])
      #expect(await status { _ = try await bob.document(mine) } == .permissionDenied)
      #expect(await status { _ = try await nobody.documents([mine]) } == .permissionDenied)
      let notes = owner.root + "/users/a"
      #expect(try await alice.run(.init("notes"), of: notes).count == 1)
      #expect(await status { _ = try await bob.run(.init("notes"), of: notes) } == .permissionDenied)
      #expect(try await alice.list("notes", of: notes, pageSize: 9, pageToken: nil).documents.count == 1)
      #expect(
        await status { _ = try await bob.list("notes", of: notes, pageSize: 9, pageToken: nil) } == .permissionDenied)
      #expect(await status { _ = try await client("nonsense").document(mine) } == .unauthenticated)
      try await owner.commit([.delete(mine)])
    }
  }
}
