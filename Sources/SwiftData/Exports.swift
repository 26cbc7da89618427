// Files that say `import SwiftData` alone use `Date`, `UUID`, `#Predicate` and `@Observable`: Apple's module brings
// them along, and so does this one.
@_exported public import Foundation
@_exported public import Observation
