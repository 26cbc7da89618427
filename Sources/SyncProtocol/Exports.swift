// The messages carry times, names and registers.
@_exported public import SyncCore
