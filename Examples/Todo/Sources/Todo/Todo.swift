import ArgumentParser
import Foundation
import SwiftData

@Model
final class Item {
  #Index<Item>([\.isDone, \.createdAt])

  var title: String
  var isDone = false
  var createdAt: Date

  init(title: String, createdAt: Date = .now) {
    self.title = title
    self.createdAt = createdAt
  }
}

/// A to-do list in one SQLite file: `todo add "Buy milk"`, `todo list`, `todo done 1`.
@main
struct Todo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todo",
    abstract: "Keeps a to-do list.",
    subcommands: [Add.self, List.self, Done.self]
  )
}

struct StoreOption: ParsableArguments {
  @Option(help: "The file of the list.") var store = "todo.store"

  func context() throws -> ModelContext {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: store))
    return ModelContext(try ModelContainer(for: Item.self, configurations: configuration))
  }
}

/// The items that are not done, oldest first. `list` shows this order and `done` counts in it.
let open = FetchDescriptor<Item>(predicate: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.createdAt)])

struct Add: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Adds an item.")
  @Argument(help: "What to do.") var title: String
  @OptionGroup var store: StoreOption

  func run() throws {
    let context = try store.context()
    context.insert(Item(title: title))
    try context.save()
    print("\(try context.fetchCount(open)) to do")
  }
}

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists what is to do.")
  @OptionGroup var store: StoreOption

  func run() throws {
    for (number, item) in try store.context().fetch(open).enumerated() { print("\(number + 1). \(item.title)") }
  }
}

struct Done: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Marks an item as done.")
  @Argument(help: "The item's number in the list.") var number: Int
  @OptionGroup var store: StoreOption

  func run() throws {
    let context = try store.context()
    var descriptor = open
    descriptor.fetchOffset = number - 1
    descriptor.fetchLimit = 1
    guard number > 0, let item = try context.fetch(descriptor).first else {
      throw ValidationError("There is no item \(number). `todo list` shows the numbers.")
    }
    item.isDone = true
    try context.save()
    print("done: \(item.title)")
  }
}
