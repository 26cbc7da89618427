// Serve              keeps the books in memory
// Serve books.store  keeps them in a SQLite file
// Serve postgres://… keeps them in PostgreSQL
import Hummingbird
import RestService

let books = try BookStore.open(CommandLine.arguments.dropFirst().first)
let application = Application(
  router: makeRouter(books), configuration: .init(address: .hostname("127.0.0.1", port: 8080)))
try await application.runService()
