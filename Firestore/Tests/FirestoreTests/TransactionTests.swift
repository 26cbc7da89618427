import FirestoreProtocol
import Foundation
import Testing

@testable import FirestoreServer

@Suite("Transactions of the local server") struct TransactionTests {
  private let root = "projects/p/databases/d/documents"
  private let store: DocumentStore

  init() throws { store = DocumentStore(modelContainer: try DocumentStore.container(nil)) }

  private func write(_ path: String, _ number: Int64) -> CommitWrite {
    CommitWrite(update: .init(name: "\(root)/\(path)", fields: ["n": .integer(number)]))
  }

  @Test("A commit fails where a document that its transaction read was changed, made or deleted by another")
  func reads() async throws {
    _ = try await store.commit([write("c/a", 1)])
    for other in [write("c/a", 2), write("c/none", 1), CommitWrite(delete: "\(root)/c/a", if: nil)] {
      let transaction = try await store.begin(readOnly: false)
      _ = try await store.documents(["\(root)/c/a", "\(root)/c/none"], in: transaction)
      _ = try await store.commit([other])
      #expect(await status { _ = try await store.commit([write("c/b", 1)], in: transaction) } == .aborted)
      #expect(try await store.documents(["\(root)/c/b"])[0].document == nil)
    }
    let undisturbed = try await store.begin(readOnly: false)
    _ = try await store.documents(["\(root)/c/a"], in: undisturbed)
    _ = try await store.commit([write("c/unread", 1)])
    _ = try await store.commit([write("c/b", 1)], in: undisturbed)
    #expect(try await store.documents(["\(root)/c/b"])[0].document != nil)
  }

  @Test("A commit fails where a query of its transaction would find something else")
  func queries() async throws {
    _ = try await store.commit([write("c/a", 1), write("c/b", 7)])
    let query = FirestoreQuery("c", where: .field("n", .lessThan, .integer(5)))
    for (other, expected) in [(write("c/c", 9), nil), (write("c/c", 2), .aborted), (write("c/a", 3), .aborted)]
      as [(CommitWrite, FirestoreError.Status?)]
    {
      let transaction = try await store.begin(readOnly: false)
      _ = try await store.run(query, parent: root, in: transaction)
      _ = try await store.commit([other])
      #expect(await status { _ = try await store.commit([write("d/x", 1)], in: transaction) } == expected)
    }
  }

  @Test("A transaction ends with its commit or its rollback, and one that only reads writes nothing")
  func ends() async throws {
    let committed = try await store.begin(readOnly: false)
    _ = try await store.commit([write("c/a", 1)], in: committed)
    #expect(await status { _ = try await store.commit([write("c/a", 2)], in: committed) } == .invalidArgument)
    let rolledBack = try await store.begin(readOnly: false)
    try await store.rollback(rolledBack)
    #expect(await status { _ = try await store.documents(["\(root)/c/a"], in: rolledBack) } == .invalidArgument)
    let reading = try await store.begin(readOnly: true)
    #expect(await status { _ = try await store.commit([write("c/a", 3)], in: reading) } == .invalidArgument)
    #expect(try await store.documents(["\(root)/c/a"])[0].document?.fields == ["n": .integer(1)])
  }
}
