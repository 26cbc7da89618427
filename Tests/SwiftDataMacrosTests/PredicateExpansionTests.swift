import Testing

/// What `#Predicate` writes.
@Suite
struct PredicateExpansionTests {
  /// The statements of the expansion, the names of modules and of Foundation's namespace left out.
  private func lines(_ source: String) -> [String] {
    let expansion = Expansion(source)
    #expect(expansion.texts == [])
    return expansion.text.split(separator: "\n").map {
      $0.replacing("Foundation.PredicateExpressions.", with: "").replacing("SwiftData.__Build.", with: "")
        .drop { $0 == " " }.description
    }
  }

  @Test("Each node is a statement, and captured values stand where they are used")
  func statements() {
    #expect(
      lines("let p = #Predicate<Item> { $0.status == .pending && $0.count > limit + 1 }") == [
        "let p = Foundation.Predicate<Item>({ __v1 in",
        "let __e2 = member(__v1, \\.status)",
        "let __e3 = equal(__e2, value(.pending))",
        "let __e4 = member(__v1, \\.count)",
        "let __e5 = build_Comparison(lhs: __e4, rhs: value(limit + 1), op: .greaterThan)",
        "let __e6 = build_Conjunction(lhs: __e3, rhs: __e5)",
        "return __e6",
        "})",
      ])
  }

  @Test("An empty list after ?? is not captured, because models cannot be")
  func emptyList() {
    for list in ["[]", "[Item]()"] {
      #expect(
        lines("let p = #Predicate<Folder> { ($0.items ?? \(list)).isEmpty }") == [
          "let p = Foundation.Predicate<Folder>({ __v1 in",
          "let __e2 = member(__v1, \\.items)",
          "let __e3 = orEmpty(__e2)",
          "let __e4 = member(__e3, \\.isEmpty)",
          "return __e4",
          "})",
        ])
    }
  }

  @Test("An optional chain is a closure for each question mark, one after the other")
  func chains() {
    #expect(
      lines("let p = #Predicate { $0.album?.artist?.name.isEmpty == true }") == [
        "let p = Foundation.Predicate({ __v1 in",
        "let __e2 = member(__v1, \\.album)",
        "let __e5 = flatMap(__e2) { __v3 in",
        "let __e4 = member(__v3, \\.artist)",
        "return __e4",
        "}",
        "let __e9 = flatMap(__e5) { __v6 in",
        "let __e7 = member(__v6, \\.name)",
        "let __e8 = member(__e7, \\.isEmpty)",
        "return __e8",
        "}",
        "let __e10 = equal(__e9, value(true))",
        "return __e10",
        "})",
      ])
  }

  @Test("A captured value that might trap fails instead, where it is needed")
  func softened() {
    #expect(
      lines("let p = #Predicate<Item> { limit == nil || $0.count > limit! + list[0] / step }") == [
        "let p = Foundation.Predicate<Item>({ __v1 in",
        "let __e2 = member(__v1, \\.count)",
        "let __e6 = build_ForcedUnwrap(value((limit).flatMap({ __c3 in (element(list, 0) { $0[$1] })"
          + ".flatMap({ __c4 in (divisor(step)).map({ __c5 in __c3 + __c4 / __c5 }) }) })))",
        "let __e7 = build_Comparison(lhs: __e2, rhs: __e6, op: .greaterThan)",
        "let __e8 = build_Disjunction(lhs: value(limit == nil), rhs: __e7)",
        "return __e8",
        "})",
      ])
  }

  @Test("Where Swift may skip what might trap, only what it evaluates fails")
  func softenedShortCircuits() {
    let element = "(element(list, 0) { $0[$1] }).map({ __c3 in __c3 })"
    #expect(
      lines("let p = #Predicate<Item> { $0.count > (list.isEmpty ? 0 : list[0]) + 1 }") == [
        "let p = Foundation.Predicate<Item>({ __v1 in",
        "let __e2 = member(__v1, \\.count)",
        "let __e5 = build_ForcedUnwrap("
          + "value((list.isEmpty ? .some(0) : \(element)).map({ __c4 in (__c4) + 1 })))",
        "let __e6 = build_Comparison(lhs: __e2, rhs: __e5, op: .greaterThan)",
        "return __e6",
        "})",
      ])
    #expect(
      lines("let p = #Predicate<Item> { $0.count > abs(limit ?? list[0]) }").contains(
        "let __e5 = build_ForcedUnwrap(value((present(limit, or: \(element))).map({ __c4 in abs(__c4) })))"))
    #expect(
      lines("let p = #Predicate<Item> { $0.flag == same(!list.isEmpty && list[0]) }").contains(
        "let __e5 = build_ForcedUnwrap(value((!list.isEmpty ? \(element) : .some(false)).map({ __c4 in same(__c4) })))")
    )
  }

  @Test("A captured range, number or part that Swift may not be able to make fails instead")
  func impossibleValues() {
    for (source, node) in [
      ("(1...n).contains($0.count)", "value((closedRange(1, n)).map({ __c2 in __c2 }))"),
      (
        "(n..<list[0]).contains($0.count)",
        "value((element(list, 0) { $0[$1] }).flatMap({ __c2 in (range(n, __c2))"
          + ".map({ __c3 in __c3 }) }))"
      ),
      ("(n...).contains($0.count)", "value((bound(n)).map({ __c2 in __c2... }))"),
      ("list.prefix(n).contains($0.count)", "value((part(list, n) { $0.prefix($1) }).map({ __c2 in __c2 }))"),
      (
        "[Int](repeating: 1, count: n).contains($0.count)",
        "value((count(n)).map({ __c2 in [Int](repeating: 1, count: __c2) }))"
      ),
      ("[Int(x)].contains($0.count)", "value((integer(x, Int.self) { Int($0) }).map({ __c2 in [__c2] }))"),
      (
        "[a?.f(b!)?.g].contains($0.count)",
        "value((flat(chain(a) { __base in (b).map({ __c2 in __base.f(__c2)?.g }) })).map({ __c3 in [__c3] }))"
      ),
      ("[try! f()].contains($0.count)", "value((try? Optional.some(f())).map({ __c2 in [__c2] }))"),
    ] {
      #expect(
        lines("let p = #Predicate<Item> { \(source) }").contains { $0.hasSuffix("build_ForcedUnwrap(\(node))") },
        "\(source): \(lines("let p = #Predicate<Item> { \(source) }"))")
    }
    let places = [
      "(.low...(.top)).contains($0.count)": "build_ForcedUnwrap(value(closedRange(.low, (.top))))",
      "(-1...60 * 60).contains($0.count)": "value(-1...60 * 60)", "(1...).contains($0.count)": "value(1...)",
      "list.prefix(3).contains($0.count)": "value(list.prefix(3))",
    ]
    for (source, node) in places {
      #expect(
        lines("let p = #Predicate<Item> { \(source) }").contains { $0.hasSuffix("build_contains(\(node), __e2)") },
        "\(source): \(lines("let p = #Predicate<Item> { \(source) }"))")
    }
  }

  @Test("A let that Swift may not be able to compute is an optional, also in closures")
  func softenedConstants() {
    #expect(
      lines(
        "let p = #Predicate<Item> { let x: Int = list[0]; return $0.a == x + 1 && $0.flag == list.contains { $0 == x } }"
      )
        == [
          "let p = Foundation.Predicate<Item>({ __v1 in",
          "let __c3: (Int)? = (element(list, 0) { $0[$1] }).map({ __c2 in __c2 })",
          "let __e4 = member(__v1, \\.a)",
          "let __e6 = build_ForcedUnwrap(value((__c3).map({ __c5 in __c5 + 1 })))",
          "let __e7 = equal(__e4, __e6)",
          "let __e8 = member(__v1, \\.flag)",
          "let __e10 = build_ForcedUnwrap(value((__c3).map({ __c9 in list.contains { $0 == __c9 } })))",
          "let __e11 = equal(__e8, __e10)",
          "let __e12 = build_Conjunction(lhs: __e7, rhs: __e11)",
          "return __e12",
          "})",
        ])
  }

  @Test("A let of a branch or of a closure does not hide the value of that name outside")
  func namesOfBranches() {
    #expect(
      lines("let p = #Predicate<Item> { if $0.flag { return $0.a == x } else { let x = x + 1; return $0.b == x } }")
        == [
          "let p = Foundation.Predicate<Item>({ __v1 in",
          "let __c2 = x + 1",
          "let __e3 = member(__v1, \\.b)",
          "let __e4 = equal(__e3, value(__c2))",
          "let __e5 = member(__v1, \\.flag)",
          "let __e6 = member(__v1, \\.a)",
          "let __e7 = equal(__e6, value(x))",
          "let __e8 = conditional(__e5, __e7, __e4)",
          "return __e8",
          "})",
        ])
    let later = "if $0.flag { return $0.a == x }; let x = 1; return $0.b == x"
    let cases = "switch $0.b { case let x where x > 1: $0.flag; case 0: $0.flag; default: $0.a == x }"
    for statements in [later, cases] {
      #expect(
        lines("let p = #Predicate<Item> { \(statements) }").contains { $0.hasSuffix("value(x))") }, "\(statements)")
    }
    let own = "[1].contains { x in x == a.x(x) } && [2].contains { let x = 3; return x == $0 }"
    let read = "[4].contains { [x] in x == $0 } && [5].contains { if let y { y.x == $0 } else { $0 == \\.x } }"
    #expect(
      lines("let p = #Predicate<Item> { let x = first, y = last; return $0.flag == (x(\(own)) && \(read)) }").contains(
        "let __e5 = equal(__e4, value(__c2(\(own)) && [4].contains { [x = __c2] in x == $0 }"
          + " && [5].contains { if let __c3 { __c3.x == $0 } else { $0 == \\.x } }))"))
  }

  @Test("A name that several patterns of a case bind has the value of the first pattern that matches")
  func namesOfPatterns() {
    #expect(
      lines("let p = #Predicate<Item> { switch ($0.a, $0.b) { case (let x, 1), (1, let x): x > 3; default: false } }")
        == [
          "let p = Foundation.Predicate<Item>({ __v1 in",
          "let __e2 = member(__v1, \\.a)",
          "let __e3 = member(__v1, \\.b)",
          "let __e4 = matches(value(1), __e3)",
          "let __e5 = matches(value(1), __e2)",
          "let __e6 = build_Disjunction(lhs: __e4, rhs: __e5)",
          "let __e7 = conditional(__e4, __e2, __e3)",
          "let __e8 = build_Comparison(lhs: __e7, rhs: value(3), op: .greaterThan)",
          "let __e9 = build_Conjunction(lhs: __e6, rhs: __e8)",
          "return __e9",
          "})",
        ])
  }

  @Test("Names are looked up as Swift does: nested closures, let and if let hide those outside")
  func names() {
    #expect(
      lines("let p = #Predicate<Item> { item in let item = item.parent; return items.contains { item in item == 3 } }")
        == [
          "let p = Foundation.Predicate<Item>({ __v1 in",
          "return value(items.contains { item in item == 3 })",
          "})",
        ])
    #expect(
      lines("let p = #Predicate<Item> { item in item.tags.contains { item in item == name } }") == [
        "let p = Foundation.Predicate<Item>({ __v1 in",
        "let __e2 = member(__v1, \\.tags)",
        "let __e5 = build_contains(__e2, where: { __v3 in",
        "let __e4 = equal(__v3, value(name))",
        "return __e4",
        "})",
        "return __e5",
        "})",
      ])
  }

  @Test("A name of a capture list is a value, or a node if it depends on the model")
  func captureLists() {
    #expect(
      lines("let p = #Predicate<Item> { [limit = limits.first, name] in $0.count == limit && $0.name == name }") == [
        "let p = Foundation.Predicate<Item>({ __v1 in",
        "let __c2 = limits.first",
        "let __e3 = member(__v1, \\.count)",
        "let __e4 = equal(__e3, value(__c2))",
        "let __e5 = member(__v1, \\.name)",
        "let __e6 = equal(__e5, value(name))",
        "let __e7 = build_Conjunction(lhs: __e4, rhs: __e6)",
        "return __e7",
        "})",
      ])
    #expect(
      lines("let p = #Predicate<Item> { item in item.tags.contains { [name = item.name] in $0 == name } }") == [
        "let p = Foundation.Predicate<Item>({ __v1 in",
        "let __e2 = member(__v1, \\.tags)",
        "let __e6 = build_contains(__e2, where: { __v3 in",
        "let __e4 = member(__v1, \\.name)",
        "let __e5 = equal(__v3, __e4)",
        "return __e5",
        "})",
        "return __e6",
        "})",
      ])
  }

  @Test("A guard that returns false needs no choice, and an early return is one")
  func choices() {
    #expect(
      lines(
        "let p = #Predicate<Item> { if $0.flag { return false }; guard $0.open else { return false }; return true }")
        == [
          "let p = Foundation.Predicate<Item>({ __v1 in",
          "let __e2 = member(__v1, \\.open)",
          "let __e3 = member(__v1, \\.flag)",
          "let __e4 = conditional(__e3, value(false), __e2)",
          "return __e4",
          "})",
        ])
  }
}
