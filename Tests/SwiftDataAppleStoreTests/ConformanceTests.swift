import AppleStoreTemplates
import Foundation
import SwiftData
import SwiftDataAppleStore
import SwiftDataTesting
import Testing

@Suite("The conformance suite over files in Apple's format") struct AppleConformanceTests {
  private static let subject = StoreUnderTest("Apple store", features: Set(StoreUnderTest.Feature.allCases)) {
    let file = $1.appendingPathComponent("default.store")
    if !FileManager.default.fileExists(atPath: file.path) {
      try AppleStoreTemplate(for: $0, isOrdered: true).make(at: file)
    }
    return AppleStoreConfiguration(schema: $0, url: file, allowsSave: true)
  }

  /// What the format cannot do.
  private static let exceptions = [
    "values.floats": "the format has no NaN; a save refuses it",
    "values.decimals": "the format keeps a fraction as binary floating point",
    "relationships.oneSided": "a list without an inverse has no order, and each target one owner",
  ]

  @Test("An Apple store keeps every guarantee that its format allows", arguments: StoreGuarantee.all)
  func keeps(_ guarantee: StoreGuarantee) throws {
    if Self.exceptions[guarantee.id] != nil {
      guard case .failed = guarantee.outcome(for: Self.subject) else { throw CocoaError(.featureUnsupported) }
      return
    }
    try guarantee.verify(Self.subject)
  }
}
