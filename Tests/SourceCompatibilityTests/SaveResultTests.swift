import SwiftData
import Testing

// As a package around custom stores writes it: its own results beside SwiftData's, which is a class.

private protocol SaveResult<Snapshot>: AnyObject, Sendable {
  associatedtype Snapshot: DataStoreSnapshot
  var storeIdentifier: String { get }
  var snapshotsToReregister: [PersistentIdentifier: Snapshot] { get }
}

extension DataStoreSaveChangesResult: SaveResult {
  fileprivate typealias Snapshot = T
}

@Suite("The result of a save")
struct SaveResultTests {
  @Test("conforms to a protocol for classes")
  func conformsToClassProtocol() {
    let result = DataStoreSaveChangesResult<DefaultSnapshot>(for: "store")
    let same: any SaveResult<DefaultSnapshot> = result
    #expect(same === result)
    #expect((same.storeIdentifier, same.snapshotsToReregister.isEmpty) == ("store", true))
  }
}
