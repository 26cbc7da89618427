import FirestoreClient
import FirestoreProtocol
import Foundation
import Testing

@testable import FirestoreServer

private let url = ProcessInfo.processInfo.environment["POSTGRES_URL"]

@Suite(
  "A server whose documents are in PostgreSQL", .serialized,
  .enabled(if: url != nil, "POSTGRES_URL names no server; scripts/postgres COMMAND runs a command with one"))
struct PostgresDocumentsTests {
  @Test("Documents, pages and preconditions are as in a file, and there after a restart")
  func documents() async throws {
    try await withFolder { folder in
      let collection = "c\(UUID().uuidString)"
      func withClient(_ body: (FirestoreClient) async throws -> Void) async throws {
        let server = try FirestoreServer(postgres: try #require(url), files: folder, port: 0)
        try await withRunning(server) { port in
          try await body(FirestoreClient(project: "p", environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:\(port)"]))
        }
      }
      try await withClient { client in
        let writes = (0..<30).map { number in
          FirestoreWrite.update(
            .init(
              name: "\(client.root)/\(collection)/\(number)",
              fields: ["n": .integer(Int64(number)), "t": .string("e\u{301}\u{0}")]))
        }
        try await client.commit(writes)
        let name = "\(client.root)/\(collection)/7"
        let again = FirestoreWrite.update(.init(name: name, fields: [:]), if: .exists(false))
        #expect(await status { try await client.commit([again]) } == .alreadyExists)
        #expect(try await client.document(name).fields["t"] == .string("e\u{301}\u{0}"))
      }
      try await withClient { client in
        let page = try await client.list(collection, of: client.root, pageSize: 20, pageToken: nil)
        #expect(page.documents.count == 20)
        let rest = try await client.list(collection, of: client.root, pageSize: 20, pageToken: page.nextPageToken)
        #expect(rest.documents.count == 10)
        #expect(rest.nextPageToken == nil)
        let all = page.documents + rest.documents
        #expect(Set(all.map { $0.fields["n"] }) == Set((0..<30).map { .integer(Int64($0)) }))
      }
    }
  }
}
