import Foundation
import SwiftData

#if !canImport(Darwin)
  /// SwiftData's `#Predicate` for this module.
  ///
  /// Foundation declares a macro of the same name, and the compiler considers both for every predicate. A declaration
  /// in the module hides them, so long conditions compile quickly.
  @freestanding(expression)
  macro Predicate<Input>(_ body: (Input) -> Bool) -> Foundation.Predicate<Input> =
    #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")
#endif
