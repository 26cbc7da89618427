// `import SwiftData` re-exports the modules whose `Date`, `UUID`, `#Predicate` and `@Observable` SwiftData code uses,
// as Apple's does.
@_exported public import Foundation
@_exported public import Observation
