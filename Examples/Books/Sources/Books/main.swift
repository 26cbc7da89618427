import SwiftData

@Model
final class Book {
  @Attribute(.unique) var isbn: String
  var title: String
  var readOn: Date?
  @Relationship(deleteRule: .cascade, inverse: \Note.book) var notes: [Note] = []

  init(isbn: String, title: String) {
    self.isbn = isbn
    self.title = title
  }
}

@Model
final class Note {
  var text: String
  var book: Book?
  init(text: String) { self.text = text }
}

let container = try ModelContainer(for: Book.self)  // ~/.local/share/Books/default.store
let context = ModelContext(container)

let book = Book(isbn: "978-0201896831", title: "The Art of Computer Programming")
context.insert(book)  // updates the stored book if the ISBN exists
book.notes.append(Note(text: "Start with volume 1"))
try context.save()  // one transaction

let unread = FetchDescriptor<Book>(
  predicate: #Predicate { $0.readOn == nil }, sortBy: [SortDescriptor(\.title)])
for book in try context.fetch(unread) { print(book.title, book.notes.map(\.text)) }
