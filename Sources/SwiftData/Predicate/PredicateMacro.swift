public import Foundation

// `#Predicate` and `#Expression` for models. For every other type Foundation's macros of the same names are chosen.
//
// The parameter is a pack, as it is of Foundation's macros, because the compiler compares how well the two fit before
// it prefers the one with the constraint: to a parameter that is no pack it prefers Foundation's wherever an optional
// is compared. (Documentation/decisions/0005-predicate-compile-time.md)

/// A condition on models, written as an ordinary Swift closure.
///
///     let overdue = #Predicate<Item> { item in
///       guard let due = item.dueDate else { return false }
///       return item.status == .pending && due < now && item.title.hasPrefix("Re:")
///     }
///
/// The closure is never run: it becomes a `Foundation.Predicate`, which a store turns into SQL and which `evaluate`
/// answers in memory, both alike. Every operation becomes a statement of its own, so that long conditions compile
/// quickly.
///
/// Beyond what Foundation's macro takes: enum cases without their type, also of optionals; `hasPrefix`, `hasSuffix`,
/// `lowercased()`, `uppercased()` and the methods that compare texts in a locale; `let`, `guard`, `if` and `switch`
/// with several statements; `evaluate` of another predicate; comparisons of optionals with values that are none;
/// `first(where:)`, `count(where:)`, and `map` before `min()`, `max()` and `contains`.
///
/// What mentions no model is computed once, when the predicate is made, and captured: any Swift expression whose value
/// is `Codable` and `Sendable`. Where a captured `!` or subscript finds nothing, the predicate fails for the rows that
/// depend on it instead of trapping.
///
/// What cannot be part of a query is an error at that place of the closure.
///
/// Where the compiler gives up on a long condition "in reasonable time", it is because it weighs this macro against
/// Foundation's: write the type of the parameter, `{ (item: Item) in … }`, use several statements, or declare the macro
/// in the module (Documentation/decisions/0005-predicate-compile-time.md).
/// (Apple's documentation, `Predicate(_:)`; the forms that Apple's macro refuses are our decision.)
@freestanding(expression)
public macro Predicate<each Input: PersistentModel>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> =
  #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")

/// A value computed from a model, written as an ordinary Swift closure, in the language of ``Predicate(_:)``.
///
///     let open = #Expression<Project, Int> { $0.tasks.count { !$0.isDone } }
///
/// (Apple's documentation, `Expression(_:)`.)
@freestanding(expression)
public macro Expression<each Input: PersistentModel, Output>(
  _ body: (repeat each Input) -> Output
) -> Foundation.Expression<repeat each Input, Output> =
  #externalMacro(module: "SwiftDataMacros", type: "ModelExpressionMacro")
