import Foundation
import SwiftData

/// A new store for one check.
final class StoreFixture: @unchecked Sendable {
  // @unchecked Sendable because it is immutable, and a container is Sendable.
  let container: ModelContainer
  private let subject: StoreUnderTest
  private let directory: URL

  init(_ subject: StoreUnderTest) throws {
    self.subject = subject
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("StoreGuarantee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    container = try Self.open(subject, directory)
  }

  private static func open(_ subject: StoreUnderTest, _ directory: URL) throws -> ModelContainer {
    let schema = Schema(TestModels.all)
    return try ModelContainer(for: schema, configurations: [try subject.makeConfiguration(schema, directory)])
  }

  func remove() { try? FileManager.default.removeItem(at: directory) }

  /// A new context without registered objects.
  var context: ModelContext { ModelContext(container) }

  /// Opens the same store again.
  func reopened() throws -> ModelContainer { try Self.open(subject, directory) }

  /// Saves models and returns a new context that has not loaded them.
  func saved(_ models: any PersistentModel...) throws -> ModelContext {
    let context = context
    for model in models { context.insert(model) }
    try context.save()
    return self.context
  }
}

extension ModelContext {
  /// All models of a class, in the store's order.
  func all<M: PersistentModel>(_ type: M.Type) throws -> [M] { try fetch(FetchDescriptor<M>()) }

  /// The only model of a class.
  func only<M: PersistentModel>(_ type: M.Type) throws -> M {
    let all = try all(type)
    try expectEqual(all.count, 1, "the number of \(type)s")
    return all[0]
  }
}

// MARK: - Expectations

func expect(_ condition: Bool, _ message: @autoclosure () -> String, line: UInt = #line, file: String = #fileID) throws
{
  if !condition { throw GuaranteeFailure("\(file):\(line): \(message())") }
}

func expectEqual<T: Equatable>(
  _ value: T, _ expected: T, _ what: @autoclosure () -> String, line: UInt = #line, file: String = #fileID
) throws {
  try expect(value == expected, "\(what()) is \(value), not \(expected)", line: line, file: file)
}

/// - Returns: the error that `body` throws.
@discardableResult
func expectThrows(
  _ what: @autoclosure () -> String, line: UInt = #line, file: String = #fileID, _ body: () throws -> Void
) throws -> any Error {
  do {
    try body()
  } catch {
    return error
  }
  throw GuaranteeFailure("\(file):\(line): \(what()) throws nothing")
}

/// Checks the law: a fetch returns what Swift's filter and sort return for all models in memory.
func expectLaw<M: PersistentModel>(
  _ context: ModelContext, _ what: String, where predicate: Predicate<M>? = nil, sortedBy: [SortDescriptor<M>] = [],
  limit: Int? = nil, offset: Int? = nil, line: UInt = #line, file: String = #fileID
) throws {
  let all = try context.fetch(FetchDescriptor<M>())
  var expected = try predicate.map { predicate in try all.filter { try predicate.evaluate($0) } } ?? all
  if !sortedBy.isEmpty { expected.sort(using: sortedBy) }
  expected = Array(expected.dropFirst(offset ?? 0).prefix(limit ?? .max))
  var descriptor = FetchDescriptor(predicate: predicate, sortBy: sortedBy)
  descriptor.fetchLimit = limit
  descriptor.fetchOffset = offset
  let found = try context.fetch(descriptor)
  try expect(
    found.elementsEqual(expected, by: ===),
    "\(what): the fetch has \(found.count) of \(all.count) models, Swift has \(expected.count), or another order",
    line: line, file: file)
  try expectEqual(try context.fetchCount(descriptor), expected.count, "\(what): the count", line: line, file: file)
  try expectEqual(
    try context.fetchIdentifiers(descriptor), expected.map(\.persistentModelID), "\(what): the list of identifiers",
    line: line, file: file)
}
