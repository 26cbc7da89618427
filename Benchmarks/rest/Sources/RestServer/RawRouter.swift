import Hummingbird
import RestService

/// The routes of RestService over the books in ``RawBooks``.
func makeRawRouter(_ books: RawBooks) -> Router<BasicRequestContext> {
  let router = Router()
  router.get("books") { request, _ in
    let query = request.uri.queryParameters
    return try await books.list(
      since: query.get("since", as: Int.self) ?? .min,
      offset: max(0, query.get("offset", as: Int.self) ?? 0),
      limit: min(100, max(1, query.get("limit", as: Int.self) ?? 20))
    )
  }
  router.get("books/:isbn") { _, context in
    guard let book = try await books.book(isbn: context.parameters.require("isbn")) else { throw HTTPError(.notFound) }
    return book
  }
  router.put("books/:isbn") { request, context -> EditedResponse<BookValue> in
    let isbn = try context.parameters.require("isbn")
    let book = try await request.decode(as: BookValue.self, context: context)
    guard book.isbn == isbn else {
      throw HTTPError(.badRequest, message: "The path names the ISBN \(isbn) and the body \(book.isbn).")
    }
    let isNew = try await books.put(book)
    return EditedResponse(status: isNew ? .created : .ok, response: book)
  }
  router.delete("books/:isbn") { _, context -> HTTPResponse.Status in
    try await books.delete(isbn: context.parameters.require("isbn")) ? .noContent : .notFound
  }
  return router
}
