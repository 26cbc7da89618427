// RestServer fill own|raw FILE COUNT     stores books in a file
// RestServer serve own|raw FILE PORT     serves them on 127.0.0.1
import Foundation
import Hummingbird
import Logging
import RestService
import SwiftData

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 4, let command = arguments.first, let number = Int(arguments.last!) else {
  FileHandle.standardError.write(Data("usage: RestServer fill|serve own|raw FILE COUNT|PORT\n".utf8))
  exit(2)
}
let isOwn = arguments[2] == "own"
let file = arguments[3]

switch command {
case "fill":
  let books = (0..<number).lazy.map {
    BookValue(isbn: String(format: "978%010d", $0), title: "Book \($0 &* 7919 % number)", year: 1900 + $0 % 125)
  }
  if isOwn {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: file))
    let container = try ModelContainer(for: Book.self, configurations: configuration)
    let context = ModelContext(container)
    for book in books { context.insert(Book(isbn: book.isbn, title: book.title, year: book.year)) }
    try context.save()
  } else {
    try await RawBooks(file).fill(books)
  }
default:
  let router = isOwn ? makeRouter(try BookStore.open(file)) : makeRawRouter(try RawBooks(file))
  var logger = Logger(label: "RestServer")
  logger.logLevel = .warning
  let application = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: number)), logger: logger)
  try await application.runService()
}
