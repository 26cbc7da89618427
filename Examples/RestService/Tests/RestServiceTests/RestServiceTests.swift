import Foundation
import Hummingbird
import HummingbirdTesting
import RestService
import Testing

@Suite("The REST service", .serialized) struct RestServiceTests {
  /// In memory, and in PostgreSQL where `scripts/postgres` started a server.
  static let stores = [nil, ProcessInfo.processInfo.environment["POSTGRES_URL"]]

  private let book = BookValue(isbn: "978-0201896831", title: "The Art of Computer Programming", year: 1997)

  private func body(_ book: BookValue) throws -> ByteBuffer {
    ByteBuffer(data: try JSONEncoder().encode(book))
  }

  @Test("A book can be stored, read, replaced and deleted", arguments: stores)
  func crud(store: String?) async throws {
    let application = Application(router: makeRouter(try BookStore.open(store)))
    try await application.test(.router) { client in
      let path = "/books/\(book.isbn)"
      try await client.execute(uri: path, method: .delete) { #expect($0.status == .notFound) }
      try await client.execute(uri: path, method: .put, body: body(book)) { #expect($0.status == .created) }
      try await client.execute(uri: path, method: .get) { response in
        let answer = try JSONDecoder().decode(BookValue.self, from: response.body)
        #expect(answer == book)
      }
      var second = book
      second.year = 2011
      try await client.execute(uri: path, method: .put, body: body(second)) { #expect($0.status == .ok) }
      try await client.execute(uri: "/books?since=2000", method: .get) { response in
        let answer = try JSONDecoder().decode([BookValue].self, from: response.body)
        #expect(answer == [second])
      }
      try await client.execute(uri: path, method: .delete) { #expect($0.status == .noContent) }
      try await client.execute(uri: path, method: .get) { #expect($0.status == .notFound) }
    }
  }

  @Test("A body that names another book than the path is refused")
  func mismatch() async throws {
    let application = Application(router: makeRouter(try BookStore.open(nil)))
    try await application.test(.router) { client in
      try await client.execute(uri: "/books/1", method: .put, body: body(book)) { #expect($0.status == .badRequest) }
    }
  }
}
