/// The hook that syncs the stores of containers. SwiftDataSync sets it when a program registers a server.
package enum ContainerSync {
  package static let current = Lock<(any ContainerSyncing)?>(nil)
}

/// Decides which stores sync, checks their models, and starts to sync when a container opens.
package protocol ContainerSyncing: Sendable {
  /// Whether it syncs the store of a configuration. CloudKit's rules do not apply to such a store.
  func syncs(_ configuration: ModelConfiguration) -> Bool
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` that names the properties which cannot be synced.
  func check(_ schema: Schema, _ configuration: ModelConfiguration) throws
  /// Called at the end of each container's initialiser.
  func didOpen(_ container: ModelContainer)
}
