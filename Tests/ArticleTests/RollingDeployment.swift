import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

@Suite("Article: Rolling deployment")
struct RollingDeployment {
  @Model
  final class Order {
    @Attribute(.unique) var number: Int
    var note: String?

    init(number: Int) { self.number = number }
  }

  func open(_ url: String) throws -> ModelContainer {
    do {
      return try ModelContainer(for: Order.self, configurations: PostgresConfiguration(url: url, isRolling: true))
    } catch let error as SwiftDataError where error == .loadIssueModelContainer {
      print("not while older programs run: \(error)")
      throw error
    }
  }

  /// `RollingUpgradeTests` opens stores that older programs use.
  @Test("An opening that is refused throws the error with the steps")
  func refused() {
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try open("not a URL") }
  }
}
