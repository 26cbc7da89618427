// The names are all that the tests need of these types.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A module whose types have names that the library once had at its top, as modules of programs have them.

public struct Query { public init() {} }
public protocol QueryResult {}
public struct Aggregate { public init() {} }
public struct Assignment { public init() {} }
public struct EncryptionKey { public init() {} }
public struct FetchExplanation { public init() {} }
public struct FractionalColumnValue { public init() {} }
public struct MigrationChange { public init() {} }
public struct MigrationProgress { public init() {} }
public struct MigrationSummary { public init() {} }
public struct RecoveryReport { public init() {} }
public struct ResultsUpdate { public init() {} }
public struct ResultsUpdates { public init() {} }
public struct SearchHit { public init() {} }
public struct SearchSnippet { public init() {} }
