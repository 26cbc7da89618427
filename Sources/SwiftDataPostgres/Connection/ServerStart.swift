public import SwiftData

@_spi(Transactions) extension ModelContainer {
  /// Returns when the PostgreSQL server of the container's only store was started, in seconds since 1970; nil for another store.
  ///
  /// A server whose files were replaced was started since then. A replica that became the primary was started at another time.
  /// - Throws: `SwiftDataError.io`.
  public func serverStart() throws -> String? {
    guard core.stores.count == 1, let store = core.stores[0] as? PostgresStore,
      case .text(let start)? = try store.rows("SELECT extract(epoch FROM pg_postmaster_start_time())::text", [])
        .first?.first
    else { return nil }
    return start
  }
}
