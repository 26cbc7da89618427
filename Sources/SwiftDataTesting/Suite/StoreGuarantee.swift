import SwiftData

/// One promise that a store keeps, whatever it is made of, with a check.
///
/// Run all of them against a store of your own, one test for each:
///
///     @Test(arguments: StoreGuarantee.all)
///     func keeps(_ guarantee: StoreGuarantee) throws { try guarantee.verify(subject) }
public struct StoreGuarantee: Sendable, Identifiable, CustomStringConvertible {
  /// The name by which it is referred to: `area.topic`.
  public let id: String
  /// What is promised.
  public let sentence: String
  /// What a store has to offer for it.
  public let needs: StoreSubject.Feature?
  private let check: @Sendable (StoreFixture) throws -> Void

  init(
    _ id: String, _ sentence: String, needs: StoreSubject.Feature? = nil,
    _ check: @escaping @Sendable (StoreFixture) throws -> Void
  ) {
    self.id = id
    self.sentence = sentence
    self.needs = needs
    self.check = check
  }

  /// All guarantees, by area.
  public static let all =
    values + queries + orders + pendingChanges + relationships + deletions + identities + saves + contexts + wholes

  /// What a store does about a guarantee.
  public enum Outcome: Sendable, Equatable {
    case passed
    /// The check found something else than what is promised, or threw.
    case failed(String)
    /// The store does not offer what the guarantee is about.
    case notOffered
  }

  /// Checks the guarantee in a new store.
  /// - Complexity: some write a few thousand models.
  public func outcome(for subject: StoreSubject) -> Outcome {
    if let needs, !subject.features.contains(needs) { return .notOffered }
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

  /// Checks the guarantee in a new store. What the store does not offer passes.
  /// - Throws: ``GuaranteeFailure`` where the promise is not kept.
  public func verify(_ subject: StoreSubject) throws {
    if case .failed(let reason) = outcome(for: subject) {
      throw GuaranteeFailure("\(subject.name) does not keep \(id): \(sentence)\n\(reason)")
    }
  }

  /// The name and the sentence.
  public var description: String { "\(id): \(sentence)" }
}

/// Why a promise is not kept.
public struct GuaranteeFailure: Error, CustomStringConvertible {
  /// What was expected and what came.
  public let description: String

  init(_ description: String) { self.description = description }
}
