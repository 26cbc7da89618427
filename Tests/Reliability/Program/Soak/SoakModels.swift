import Foundation
import SwiftData

/// Money that a writer moves between its accounts: the sum never changes in what anybody sees.
@Model final class Account {
  #Unique<Account>([\.owner, \.number])
  var owner: Int
  var number: Int
  var balance: Int
  /// Kept so that rows grow and shrink, and pages split.
  var note: String

  init(owner: Int, number: Int) {
    self.owner = owner
    self.number = number
    self.balance = Self.start
    self.note = ""
  }

  static let start = 1_000
  static let perOwner = 20
}

/// A property for each writer: saves of different properties of one row must all be there.
@Model final class Board {
  var first = 0
  var second = 0
  var third = 0
  var fourth = 0
  var fifth = 0
  var sixth = 0
  init() {}

  static let columns: [ReferenceWritableKeyPath<Board, Int> & Sendable] = [
    \.first, \.second, \.third, \.fourth, \.fifth, \.sixth,
  ]
}

/// A row for each save; old ones are deleted.
@Model final class Entry {
  #Index<Entry>([\.owner, \.number])
  var owner: Int
  var number: Int
  @Attribute(.externalStorage) var receipt: Data?

  init(owner: Int, number: Int, receipt: Data?) {
    self.owner = owner
    self.number = number
    self.receipt = receipt
  }

  static let kept = 50
}

enum SoakStore {
  static let owners = 6
  static let schema = Schema([Account.self, Board.self, Entry.self])

  static func open(_ path: String) throws -> ModelContainer {
    var configuration = ModelConfiguration(schema: schema, url: URL(fileURLWithPath: path))
    configuration.lockTimeout = .seconds(60)
    configuration.historyRetention = .seconds(60)
    return try ModelContainer(for: schema, configurations: configuration)
  }

  static func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Board())
    for owner in 0..<owners {
      for number in 0..<Account.perOwner { context.insert(Account(owner: owner, number: number)) }
    }
    try context.save()
  }
}
