import Foundation
import SwiftData

#if !canImport(Darwin)
  /// SwiftData's `#Predicate`, for this module alone.
  ///
  /// Foundation declares a macro of the same name, and Swift weighs the two against each other for every predicate. With
  /// a declaration of the module's own there is nothing to weigh, and long conditions compile at once.
  @freestanding(expression)
  macro Predicate<Input>(_ body: (Input) -> Bool) -> Foundation.Predicate<Input> =
    #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")
#endif
