import SwiftDiagnostics
import SwiftSyntax

/// Turns the closure of a predicate into statements that build its nodes, one statement per node.
///
/// A subexpression that depends on the model becomes a `let`, so the next statement knows its type. A captured
/// subexpression stays inside the statement that uses it, which gives literals and implicit enum cases their type.
final class PredicateLowering {
  /// The use of an expression's result.
  enum Role {
    /// A condition of type `Bool`.
    case condition
    /// A value of any type.
    case value
  }

  /// Swift source that evaluates to a node.
  enum Node {
    /// The name of a node that a statement defines.
    case named(String)
    /// A node whose type follows from its context.
    case inline(String)
    case constant(Bool)
    case null

    var text: String {
      switch self {
      case .named(let text), .inline(let text): text
      case .constant(let value): "\(PredicateLowering.build)value(\(value))"
      case .null: "\(PredicateLowering.foundation)NilLiteral()"
      }
    }

    var isNamed: Bool { if case .named = self { true } else { false } }

    /// Whether the node captures an array literal.
    var isList: Bool { text.hasPrefix("\(PredicateLowering.build)value([") }
  }

  /// The meaning of a name in the closure.
  enum Binding {
    case node(Node)
    /// A value that the closure computes at once. The expansion has it under a name of its own.
    case captured(String)
    /// Such a value as an optional, which is nil where Swift would trap.
    case softened(String)
  }

  static let foundation = "Foundation.PredicateExpressions."
  static let build = "SwiftData.__Build."
  /// Begins the names of captured values and their parts.
  static let capturedPrefix = "__c"

  // MARK: - Mutable State

  private(set) var diagnostics: [Diagnostic] = []
  /// The visible names, innermost scope last.
  private var names: [[String: Binding]] = []
  /// The statements of each closure under construction.
  private var statements: [[String]] = []
  private var count = 0

  // MARK: - Names

  func binding(of name: String) -> Binding? { names.reversed().lazy.compactMap { $0[name] }.first }

  func bind(_ name: String, to binding: Binding) { names[names.count - 1][name] = binding }

  /// The names of the innermost scope.
  var innermostNames: [String: Binding] { names.last ?? [:] }

  /// Runs `body` in a scope of its own.
  func scope<T>(_ body: () -> T) -> T {
    names.append([:])
    defer { names.removeLast() }
    return body()
  }

  func makeName(_ prefix: String = "__e") -> String {
    count += 1
    return "\(prefix)\(count)"
  }

  // MARK: - Statements

  /// Adds a statement that defines a node.
  func emit(_ text: String) -> Node {
    let name = makeName()
    write("let \(name) = \(text)")
    return .named(name)
  }

  func emit(foundation name: String, _ arguments: String...) -> Node {
    emit("\(Self.foundation)\(name)(\(arguments.joined(separator: ", ")))")
  }

  func emit(build name: String, _ arguments: String...) -> Node {
    emit("\(Self.build)\(name)(\(arguments.joined(separator: ", ")))")
  }

  func write(_ statement: String) { statements[statements.count - 1].append(statement) }

  /// The text of a closure. `body` makes the returned node from the parameter.
  func block(_ body: (_ parameter: Node) -> Node) -> String { block(parameters: 1) { body($0[0]) } }

  private func block(parameters count: Int, _ body: ([Node]) -> Node) -> String {
    let parameters = (0..<count).map { _ in makeName("__v") }
    statements.append([])
    let result = body(parameters.map(Node.named))
    let indentation = String(repeating: "  ", count: statements.count)
    let lines = used(statements.removeLast() + ["return \(result.text)"]).map { indentation + $0 }
    return "{ \(parameters.joined(separator: ", ")) in\n\(lines.joined(separator: "\n"))\n\(indentation.dropLast(2))}"
  }

  /// Removes unused nodes, which would cause compiler warnings.
  private func used(_ lines: [String]) -> [String] {
    var mentioned: Set<Substring> = []
    var kept: [String] = []
    for line in lines.reversed() {
      if line.hasPrefix("let __e"), !mentioned.contains(line.dropFirst(4).prefix { $0 != " " }) { continue }
      mentioned.formUnion(line.matches(of: /__e[0-9]+/).map(\.output))
      kept.append(line)
    }
    return kept.reversed()
  }

  // MARK: - Closures

  /// The text of a closure of the source.
  func closure(_ closure: ClosureExprSyntax, _ role: Role) -> String {
    block(parameters: closure.parameterCount) { self.closure(closure, applied: $0, role) }
  }

  /// The result of a closure of the source for given arguments.
  func closure(_ closure: ClosureExprSyntax, applied arguments: [Node], _ role: Role) -> Node {
    scope {
      // A name of the capture list is a `let` of the closure.
      for capture in closure.signature?.capture?.items ?? [] {
        if let value = capture.initializer?.value { declare(capture.name.text, nil, value) }
      }
      let parameters = closure.parameterNames ?? arguments.indices.map { "$\($0)" }
      for (name, argument) in zip(parameters, arguments) { bind(name, to: .node(argument)) }
      return body(Array(closure.statements), of: Syntax(closure), role)
    }
  }

  // MARK: - Errors

  /// Records an error and continues, so that all errors are reported at once.
  func fail(_ diagnostic: Diagnostic) -> Node {
    diagnostics.append(diagnostic)
    return .inline("\(Self.build)value(true)")
  }
}

extension ClosureExprSyntax {
  /// The number of parameters, named or not.
  fileprivate var parameterCount: Int {
    if let parameterNames { return parameterNames.count }
    let finder = ParameterFinder(viewMode: .sourceAccurate)
    finder.walk(statements)
    return finder.last + 1
  }

  /// The parameter names as written, or nil if the closure uses `$0` and so on.
  var parameterNames: [String]? {
    switch signature?.parameterClause {
    case .simpleInput(let list)?: list.map(\.name.text)
    case .parameterClause(let clause)?: clause.parameters.map { ($0.secondName ?? $0.firstName).text }
    case nil: nil
    }
  }
}

/// Finds the last of `$0`, `$1` and so on that a closure uses, ignoring nested closures.
private final class ParameterFinder: SyntaxVisitor {
  private(set) var last = 0

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    if case .dollarIdentifier(let name) = node.baseName.tokenKind, let index = Int(name.dropFirst()) {
      last = max(last, index)
    }
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
