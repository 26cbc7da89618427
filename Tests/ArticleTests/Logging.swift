import Foundation
import Logging
import SwiftData
import Testing

/// In a process of its own, because a process bootstraps its log once.
@Suite("Article: Logging, metrics and tracing")
struct LoggingArticle {
  @Model
  final class Order {
    var number: Int

    init(number: Int) { self.number = number }
  }

  @Test("The statements of a store are logged after a bootstrap")
  func bootstrap() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let file = folder.file("orders.store")

      LoggingSystem.bootstrap { label in
        var handler = StreamLogHandler.standardError(label: label)
        handler.logLevel = label == "SwiftData.SQL" ? .debug : .info
        return handler
      }

      let container = try ModelContainer(for: Order.self, configurations: ModelConfiguration(url: file))
      for summary in container.migrations { print(summary) }

      #expect(Logger(label: "SwiftData.SQL").logLevel == .debug && Logger(label: "SwiftData").logLevel == .info)
      let context = ModelContext(container)
      context.insert(Order(number: 1))
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Order>()) == 1)
    }
  }
}
