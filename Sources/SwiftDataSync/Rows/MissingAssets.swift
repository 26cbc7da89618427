#if Sync
import SyncCore

/// The bytes of values have to be fetched first.
struct MissingAssets: Error {
  struct Asset: Hashable {
    /// A row that has the value.
    let row: RecordKey
    let sha256: String
    let size: Int
  }

  var assets: [Asset]
}
#endif
