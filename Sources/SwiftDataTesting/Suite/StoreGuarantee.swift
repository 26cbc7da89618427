import SwiftData

/// One promise that every store keeps, with a check.
///
/// Run all of them against your store, one test case per guarantee:
///
///     @Test(arguments: StoreGuarantee.all)
///     func keeps(_ guarantee: StoreGuarantee) throws { try guarantee.verify(subject) }
public struct StoreGuarantee: Sendable, Identifiable, CustomStringConvertible {
  /// The guarantee's name: `area.topic`.
  public let id: String
  /// The promise in one sentence.
  public let summary: String
  /// The feature that the guarantee requires, or nil.
  public let requiredFeature: StoreUnderTest.Feature?
  private let check: @Sendable (StoreFixture) throws -> Void

  init(
    _ id: String, _ summary: String, requiredFeature: StoreUnderTest.Feature? = nil,
    _ check: @escaping @Sendable (StoreFixture) throws -> Void
  ) {
    self.id = id
    self.summary = summary
    self.requiredFeature = requiredFeature
    self.check = check
  }

  /// All guarantees, grouped by area.
  public static let all =
    values + queries + orders + pendingChanges + relationships + deletions + identities + saves + contexts
    + otherProcesses + wholes

  /// The result of a check.
  public enum Outcome: Sendable, Equatable {
    case passed
    /// The check failed or threw an error.
    case failed(String)
    /// The store does not offer the required feature.
    case notOffered
  }

  /// Checks the guarantee in a new store and returns the outcome.
  /// - Complexity: some checks write a few thousand models.
  public func outcome(for subject: StoreUnderTest) -> Outcome {
    if let requiredFeature, !subject.features.contains(requiredFeature) { return .notOffered }
    do {
      let fixture = try StoreFixture(subject)
      defer { fixture.remove() }
      try check(fixture)
      return .passed
    } catch let failure as GuaranteeFailure {
      return .failed(failure.description)
    } catch {
      return .failed(String(reflecting: error))
    }
  }

  /// Checks the guarantee in a new store. A guarantee whose feature the store does not offer passes.
  /// - Throws: ``GuaranteeFailure`` if the store breaks the promise.
  public func verify(_ subject: StoreUnderTest) throws {
    if case .failed(let reason) = outcome(for: subject) {
      throw GuaranteeFailure("\(subject.name) does not keep \(id): \(summary)\n\(reason)")
    }
  }

  /// The name and the summary.
  public var description: String { "\(id): \(summary)" }
}

/// The reason why a store breaks a guarantee.
public struct GuaranteeFailure: Error, CustomStringConvertible {
  /// The expected and the actual result.
  public let description: String

  init(_ description: String) { self.description = description }
}
