import Testing

/// What `#Predicate` says about closures that cannot be queries, and where.
@Suite
struct PredicateDiagnosticsTests {
  struct Refusal: CustomTestStringConvertible {
    /// The closure, the part at fault between guillemets.
    let closure: String
    let message: String
    var testDescription: String { closure }
  }

  @Test(
    "What cannot be part of a query is named at its place, with what to write instead",
    arguments: [
      Refusal(
        closure: "$0.title.«trimmingCharacters»(in: .whitespaces) == \"\"",
        message: "'trimmingCharacters(in:)' cannot be part of a query; store the text trimmed, or write a computed"
          + " property of String"),
      Refusal(
        closure: "$0.due.«addingTimeInterval»(60) > now",
        message: "'addingTimeInterval(_:)' cannot be part of a query; move the interval to the captured date:"
          + " 'date > limit.addingTimeInterval(-seconds)'"),
      Refusal(
        closure: "$0.tasks.«reduce»(0) { $0 + $1.cost } > 3",
        message: "'reduce(_:_:)' cannot be part of a query; keep the sum in a property, or ask 'contains',"
          + " 'allSatisfy', 'min()', 'max()' or 'filter { … }.count'"),
      Refusal(
        closure: "$0.album «===» album",
        message: "'===' cannot be part of a query; compare the models with '=='"),
      Refusal(
        closure: "«isGood»($0.title)",
        message: "'isGood' cannot run inside the database; compute the value before the predicate and capture it, or"
          + " store the result in a property"),
      Refusal(
        closure: "«($0.a, $0.b)» == (1, 2)",
        message: "'($0.a, $0.b)' cannot be part of a query; a query has no tuples; compare each value by itself"),
      Refusal(
        closure: "$0.name «+» \"!\" == \"x\"",
        message: "a query cannot put texts together with '+'; compare the property itself, without what is added"
          + " ('name == \"x\"', 'hasPrefix', 'hasSuffix'), or keep the whole text in a property of its own"),
      Refusal(
        closure: "$0.bits «&» 3 == 3",
        message: "'&' cannot be part of a query; keep the bits in properties of their own"),
      Refusal(
        closure: "$0.title == «\"\\($0.name)!\"»",
        message: "'\"\\($0.name)!\"' cannot be part of a query; make the text outside, or compare the properties one"
          + " by one"),
      Refusal(
        closure: "$0.tags.contains(where: «isGood»)",
        message: "a query cannot look into a closure that is kept elsewhere; write the closure of 'contains' here"),
      Refusal(
        closure: "«for tag in $0.tags { print(tag) }»; return true",
        message: "a loop cannot be part of a query; write conditions with 'let', 'if', 'guard', 'switch' and 'return',"
          + " and ask of collections with 'contains', 'allSatisfy' and 'filter'"),
      Refusal(
        closure: "«print($0)»; return true",
        message: "nothing uses this value: a query changes nothing and calls nothing; name it with 'let' or remove it"),
      Refusal(
        closure: "«if» $0.flag { return true }",
        message: "this 'if' needs an 'else', or a 'return' after it"),
      Refusal(
        closure: "let a = 1; let «(b, c)» = (2, 3); return $0.x == a",
        message: "a query has no tuples; give each value a name of its own"),
      Refusal(
        closure: "let «limit: Int»; return $0.x == 1",
        message: "a name inside a query needs its value here; write 'let limit = if … else …'"),
      Refusal(
        closure: "if «#available(macOS 99, *)» { return $0.x } else { return $0.y }",
        message: "this condition cannot be part of a query; decide it outside and choose between two predicates"),
      Refusal(
        closure: "switch $0.shape { case «.circle(let radius)»: return radius > 1; default: return false }",
        message: "a predicate does not support patterns with bindings; compare with '==', or store the value in its own"
          + " property"),
      Refusal(
        closure: "$0.mood == «.some($0.other)»",
        message: "a predicate cannot construct '.some($0.other)' from a row's values; compare the values themselves"),
    ])
  func refusals(_ refusal: Refusal) throws {
    let start = "let p = #Predicate<Item> { "
    let before = refusal.closure.prefix { $0 != "«" }
    let source = start + refusal.closure.filter { $0 != "«" && $0 != "»" } + " }"
    let expansion = Expansion(source)
    #expect(expansion.texts == [refusal.message])
    #expect(expansion.messages.first?.column == (start + before).utf8.count + 1)
  }

  @Test("A variable becomes a constant by a repair")
  func variable() {
    let expansion = Expansion("let p = #Predicate<Item> { var x = $0.count; return x > 1 }")
    #expect(expansion.texts == ["nothing can change inside a query; use 'let'"])
    #expect(
      expansion.repaired == [
        "replace 'var' with 'let'": "let p = #Predicate<Item> { let x = $0.count; return x > 1 }"
      ])
  }

  @Test("Identity of models becomes equality by a repair")
  func identity() {
    let expansion = Expansion("let p = #Predicate<Item> { $0.album !== album }")
    #expect(
      expansion.repaired == [
        "compare the models with '!='": "let p = #Predicate<Item> { $0.album != album }"
      ])
  }

  @Test("All errors of a closure are told at once")
  func several() {
    let expansion = Expansion("let p = #Predicate<Item> { f($0) && $0.x & 1 == 0 && g($0) }")
    #expect(expansion.messages.map(\.column) == [28, 42, 54])
  }

  @Test("The condition has to be a closure")
  func closure() {
    #expect(
      Expansion("let p = #Predicate<Item>(condition)").texts
        == ["the condition has to be written here as a closure: '{ $0.property == value }'"])
  }
}
