import Foundation
import SwiftData
import Testing

@Suite("An error")
struct ErrorTests {
  private struct Cause: Error, CustomDebugStringConvertible { var debugDescription: String { "the cause" } }

  private let error = SwiftDataError(
    .unsupportedPredicate,
    entity: "Trip",
    property: "name",
    message: "use == instead of custom code",
    sql: "SELECT 1",
    underlying: Cause()
  )

  @Test("is caught by its code, whatever it says")
  func catching() {
    func kind(of error: any Error) -> String {
      do { throw error } catch SwiftDataError.unsupportedKeyPath {
        return "key path"
      } catch SwiftDataError.unsupportedPredicate {
        return "predicate"
      } catch { return "other" }
    }
    #expect(kind(of: error) == "predicate")
    #expect(kind(of: SwiftDataError.unsupportedKeyPath) == "key path")
    #expect(kind(of: CancellationError()) == "other")
    #expect(error == .unsupportedPredicate)
    #expect(error != .unsupportedKeyPath)
    #expect(Set([error, .unsupportedPredicate]).count == 1)
    #expect(error.code == .unsupportedPredicate)
  }

  @Test("names entity and property and what to do, and keeps the statement for debugging")
  func text() {
    #expect(error.description == "Trip.name: use == instead of custom code.")
    #expect(error.localizedDescription == error.description)
    #expect(error.failureReason == "use == instead of custom code")
    #expect(error.debugDescription.hasPrefix("SwiftDataError.unsupportedPredicate: "))
    #expect(error.debugDescription.contains("SQL: SELECT 1"))
    #expect(error.debugDescription.contains("Underlying error: the cause"))
    #expect(!error.description.contains("SELECT"))
  }

  @Test("without details says what its code means, and often what helps")
  func bare() {
    #expect(
      SwiftDataError.storeLocked.description
        == "Another process or operation uses the store. Close the other process, or try again later.")
    #expect(SwiftDataError.storeLocked.recoverySuggestion?.isEmpty == false)
    #expect(SwiftDataError(.deleteDenied, entity: "Trip").description == "Trip: the model cannot be deleted.")
  }

  @Test("of a store is one of Apple's four")
  func storeErrors() {
    let all: Set<DataStoreError> = [.unsupportedFeature, .preferInMemoryFilter, .preferInMemorySort, .invalidPredicate]
    #expect(all.count == 4)
  }
}
