import SwiftDiagnostics
import SwiftSyntax

/// Turns the closure of a predicate into statements that build its nodes, one for each node.
///
/// What depends on the model becomes a `let`, so that its type is known before the next statement; what is captured
/// stands inside the statement that uses it, where literals and enum cases without their type get their type.
final class PredicateLowering {
  /// What is asked of an expression.
  enum Role {
    /// Truth: its type is `Bool`.
    case condition
    /// A value of whatever type.
    case value
  }

  /// A piece of Swift that is a node.
  enum Node {
    /// The name of a statement's node.
    case named(String)
    /// A node whose type the place where it stands decides.
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

    /// Whether it captures an array that is written out.
    var isList: Bool { text.hasPrefix("\(PredicateLowering.build)value([") }
  }

  /// What a name of the closure stands for: a node, or the value that the closure is given to compute at once.
  enum Binding {
    case node(Node)
    case captured
  }

  static let foundation = "Foundation.PredicateExpressions."
  static let build = "SwiftData.__Build."

  // MARK: - Mutable State

  private(set) var diagnostics: [Diagnostic] = []
  /// The names in sight, innermost scope last.
  private var names: [[String: Binding]] = []
  /// The statements of each closure that is being written.
  private var statements: [[String]] = []
  private var count = 0

  // MARK: - Names

  func binding(of name: String) -> Binding? { names.reversed().lazy.compactMap { $0[name] }.first }

  func bind(_ name: String, to binding: Binding) { names[names.count - 1][name] = binding }

  /// Runs `body` with names of its own.
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

  /// Writes a statement for a node.
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

  /// The text of a closure, of whose parameter `body` makes the node to return.
  func block(_ body: (_ parameter: Node) -> Node) -> String { block(parameters: 1) { body($0[0]) } }

  private func block(parameters count: Int, _ body: ([Node]) -> Node) -> String {
    let parameters = (0..<count).map { _ in makeName("__v") }
    statements.append([])
    let result = body(parameters.map(Node.named))
    let indentation = String(repeating: "  ", count: statements.count)
    let lines = used(statements.removeLast() + ["return \(result.text)"]).map { indentation + $0 }
    return "{ \(parameters.joined(separator: ", ")) in\n\(lines.joined(separator: "\n"))\n\(indentation.dropLast(2))}"
  }

  /// Leaves out nodes that nothing uses, about which the compiler would warn.
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

  /// What a closure of the source returns for arguments.
  func closure(_ closure: ClosureExprSyntax, applied arguments: [Node], _ role: Role) -> Node {
    scope {
      let parameters = closure.parameterNames ?? arguments.indices.map { "$\($0)" }
      for (name, argument) in zip(parameters, arguments) { bind(name, to: .node(argument)) }
      return body(Array(closure.statements), of: Syntax(closure), role)
    }
  }

  // MARK: - Errors

  /// Notes an error and goes on, so that all of them are told at once.
  func fail(_ diagnostic: Diagnostic) -> Node {
    diagnostics.append(diagnostic)
    return .inline("\(Self.build)value(true)")
  }
}

extension ClosureExprSyntax {
  /// How many parameters there are, named or not.
  fileprivate var parameterCount: Int {
    if let parameterNames { return parameterNames.count }
    let finder = ParameterFinder(viewMode: .sourceAccurate)
    finder.walk(statements)
    return finder.last + 1
  }

  /// The names of the parameters as written; nil where there are none, so that they are `$0` and so on.
  var parameterNames: [String]? {
    switch signature?.parameterClause {
    case .simpleInput(let list)?: list.map(\.name.text)
    case .parameterClause(let clause)?: clause.parameters.map { ($0.secondName ?? $0.firstName).text }
    case nil: nil
    }
  }
}

/// Finds the last of `$0`, `$1` and so on that a closure uses; those in nested closures are theirs.
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
