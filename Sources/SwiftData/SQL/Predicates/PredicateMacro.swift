public import Foundation

// `#Predicate` and `#Expression` for models. The compiler chooses Foundation's macros of the same names for all other
// types.
//
// The parameter is a pack, as in Foundation's macros. With a plain parameter, the compiler would prefer Foundation's
// macro wherever an optional is compared. (Documentation/decisions/0005-predicate-compile-time.md)

/// A condition on models, written as a Swift closure.
///
///     let overdue = #Predicate<Item> { item in
///       guard let due = item.dueDate else { return false }
///       return item.status == .pending && due < now && item.title.hasPrefix("Re:")
///     }
///
/// The closure never runs. It becomes a `Foundation.Predicate`, which a store lowers to SQL and `evaluate` computes in
/// memory, with the same result. Each operation becomes its own statement, so long conditions compile quickly.
///
/// In addition to Foundation's macro it supports: enum cases without their type, also for optionals; `hasPrefix`,
/// `hasSuffix`, `lowercased()`, `uppercased()` and localized comparisons; `let`, `guard`, `if` and `switch` with
/// several statements; `evaluate` of another predicate; comparisons of optionals with non-optional values;
/// `first(where:)`, `count(where:)`, and `map` before `min()`, `max()` and `contains`.
///
/// A subexpression that does not mention the model is computed once, when the predicate is made, and captured. It may
/// be any Swift expression whose value is `Codable` and `Sendable`. If a captured `!` or subscript finds nothing, the
/// predicate fails for the rows that depend on it instead of trapping.
///
/// An unsupported expression is a compile-time error at its place in the closure.
///
/// Type-checking can time out at five or more conditions, because the compiler considers this macro and Foundation's.
/// Write the type of the parameter, `{ (item: Item) in … }`, use several statements, or declare the macro in the module
/// (Documentation/decisions/0005-predicate-compile-time.md). (Apple's documentation, `Predicate(_:)`. The forms that
/// Apple's macro rejects are our own decision.)
@freestanding(expression)
public macro Predicate<each Input: PersistentModel>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> =
  #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")

/// A value computed from a model, written as a Swift closure with the syntax of ``Predicate(_:)``.
///
///     let open = #Expression<Project, Int> { $0.tasks.count { !$0.isDone } }
///
/// (Apple's documentation, `Expression(_:)`.)
@freestanding(expression)
public macro Expression<each Input: PersistentModel, Output>(
  _ body: (repeat each Input) -> Output
) -> Foundation.Expression<repeat each Input, Output> =
  #externalMacro(module: "SwiftDataMacros", type: "ModelExpressionMacro")
