import Foundation
import SwiftData
import SwiftDataTesting
import Testing

/// The library that the article tests.
private enum Shop {
  @Model
  final class Product {
    @Attribute(.unique) var code: String
    var price: Int
    var maker: Maker?

    init(code: String, price: Int) {
      self.code = code
      self.price = price
    }
  }

  @Model
  final class Maker {
    var name: String
    @Relationship(inverse: \Product.maker) var products: [Product] = []

    init(name: String) { self.name = name }
  }

  static func catalogue(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Product>(sortBy: [SortDescriptor(\.code)])).map {
      "\($0.code) by \($0.maker?.name ?? "?")"
    }
  }

  static func context(products: Int) throws -> ModelContext {
    let container = try memoryContainer(Product.self)
    let context = ModelContext(container)
    let makers = (0..<5).map { Maker(name: "maker \($0)") }
    for number in 0..<products {
      let product = Product(code: "\(number)", price: number)
      product.maker = makers[number % 5]
      context.insert(product)
    }
    try context.save()
    return ModelContext(container)
  }
}

private let subject = StoreUnderTest("Our store", features: [.uniqueness, .history]) { schema, folder in
  ModelConfiguration("ours", schema: schema, isStoredInMemoryOnly: true)
}

@Suite("Article: Testing")
struct TestingArticle {
  private typealias Product = Shop.Product

  @Test("Each test has a container in memory, which is gone with it")
  func memory() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Product.self, configurations: configuration)
    let context = ModelContext(container)

    let other = try ModelContainer(for: Product.self, configurations: configuration)
    context.insert(Product(code: "a", price: 1))
    try context.save()
    #expect(try ModelContext(other).fetchCount(FetchDescriptor<Product>()) == 0)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Product>()) == 1)
  }

  @Test("What was saved is read in a new context, or from a file by a new container")
  func newContext() throws {
    let folder = try TemporaryFolder()
    let file = ModelConfiguration(url: folder.file("shop.store"))
    let context = ModelContext(try ModelContainer(for: Product.self, configurations: file))
    context.insert(Product(code: "a", price: 1))
    try context.save()

    let reopened = ModelContext(try ModelContainer(for: Product.self, configurations: file))
    #expect(try reopened.fetch(FetchDescriptor<Product>()).map(\.code) == ["a"])
  }

  @Test("The catalogue runs two statements, however many products there are")
  func statements() throws {
    for count in [10, 1_000] {
      let context = try Shop.context(products: count)
      let (lines, statements) = try StatementTrace.record { try Shop.catalogue(context) }
      #expect(lines.count == count)
      #expect(statements.count == 2, "\(statements)")
    }
  }

  @Test("The catalogue's work grows in proportion to the products")
  func steps() throws {
    var steps: [Int] = []
    for count in [1_000, 2_000] {
      let context = try Shop.context(products: count)
      steps.append(try StatementTrace.virtualMachineSteps { _ = try Shop.catalogue(context) })
    }
    #expect(steps[1] < steps[0] * 5 / 2)
  }

  @Test("An error has a code, the entity and the property")
  func errors() throws {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.uniquenessPolicy = .reject
    let context = ModelContext(try ModelContainer(for: Product.self, configurations: configuration))
    context.insert(Product(code: "a", price: 1))
    try context.save()

    context.insert(Product(code: "a", price: 2))
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.property == "code")
    #expect(context.hasChanges, "a refused save changes nothing")
  }

  @Test("Our store keeps every guarantee", arguments: StoreGuarantee.all)
  func keeps(_ guarantee: StoreGuarantee) throws { try guarantee.verify(subject) }
}
