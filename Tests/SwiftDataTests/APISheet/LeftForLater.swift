/// Names of Apple's API that later issues bring. The test of the sheet fails when one of them has appeared, so that
/// the list shrinks as they do, and when a name is missing that is not listed.
///
/// An entry is a name as it stands in the sheet, or a type followed by `.*` for the type with all its members.
enum LeftForLater {
  static let byIssue: [(issue: String, names: [String])] = [
    (
      // Apple's `@Query` is a macro as well as a property wrapper; here it is a property wrapper alone, which leaves the
      // initialisers above.
      "Never: the macros of @Query",
      [
        "Query()", "Query(filter:sort:order:animation:)", "Query(filter:sort:order:transaction:)",
        "Query(filter:sort:animation:)", "Query(filter:sort:transaction:)", "Query(_:animation:)",
        "Query(_:transaction:)", "Query(filter:sort:order:sectionBy:)", "Query(filter:sort:sectionBy:)",
      ]
    ),
    (
      // Here they have further parameters with default values: an animation, a transaction and a context. The tests of `@Query` with an
      // animation call each of these forms.
      "Declared with more parameters",
      [
        "Query.init(filter:sort:order:animation:)", "Query.init(filter:sort:order:transaction:)",
        "Query.init(filter:sort:animation:)", "Query.init(filter:sort:transaction:)", "Query.init(_:animation:)",
        "Query.init(_:transaction:)",
      ]
    ),
    (
      // Apple's page has it with `isolation:` too, as it is here.
      "As Apple's page has it",
      ["HistoryObserver.init(historyTokens:observedModels:authors:modelContainer:)"]
    ),
  ]

  /// Whether an entry of the list means a name of the sheet.
  static func entry(_ entry: String, covers name: String) -> Bool {
    guard entry.hasSuffix(".*") else { return entry == name }
    let type = entry.dropLast(2)
    return name == type || name.hasPrefix(type + ".")
  }
}
