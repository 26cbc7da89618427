import Foundation
import SwiftData

/// The number of the last save.
@Model final class WrittenCounter {
  var number: Int
  init(_ number: Int) { self.number = number }
}

/// Each save inserts one.
@Model final class WrittenNote {
  var number: Int
  init(_ number: Int) { self.number = number }
}

/// Each save replaces the data of one, in an external file.
@Model final class WrittenPicture {
  var number: Int
  @Attribute(.externalStorage) var data: Data
  init(_ number: Int) {
    self.number = number
    data = StoreWriter.data(number)
  }
}

/// A program that saves and prints the number of each save that returned, until it is killed.
///
///     StoreWriter STORE
@main
enum StoreWriter {
  /// Larger than what stays in the row.
  static func data(_ number: Int) -> Data { Data(repeating: UInt8(number % 251), count: 200_000) }

  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: StoreWriter STORE")
      exit(2)
    }
    let container = try ModelContainer(
      for: WrittenCounter.self, WrittenNote.self, WrittenPicture.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: CommandLine.arguments[1])))
    let context = ModelContext(container)
    let counter = WrittenCounter(0)
    let pictures = (0..<8).map { _ in WrittenPicture(0) }
    context.insert(counter)
    for picture in pictures { context.insert(picture) }
    for number in 1... {
      counter.number = number
      context.insert(WrittenNote(number))
      let picture = pictures[number % pictures.count]
      (picture.number, picture.data) = (number, data(number))
      try context.save()
      print(number)
      fflush(nil)
    }
  }
}
