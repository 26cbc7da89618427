import SwiftIfConfig
import SwiftSyntax
import Synchronization

/// The attributes that `@Model` adds to the properties of a class, by the names of the properties.
///
/// The compiler asks for the attributes of each member separately and sends the whole class each time. Parsing all properties
/// at each request would take time in proportion to the square of their number, so the last class is remembered. The compiler
/// asks for all members of a class before it goes on to the next.
final class PropertyAttributes: Sendable {
  typealias Parse = @Sendable (ClassDeclSyntax, (any BuildConfiguration)?) -> [String: String]

  static let shared = PropertyAttributes(parse: parsed)

  private let parse: Parse
  private let last = Mutex<(source: String, attributes: [String: String])?>(nil)

  init(parse: @escaping Parse) { self.parse = parse }

  func of(_ declaration: ClassDeclSyntax, _ configuration: (any BuildConfiguration)?) -> [String: String] {
    // The selected branch of `#if` depends on the configuration too.
    let isConditional = declaration.memberBlock.members.contains { $0.decl.is(IfConfigDeclSyntax.self) }
    guard !isConditional else { return parse(declaration, configuration) }
    let source = declaration.description
    if let attributes = last.withLock({ $0?.source == source ? $0?.attributes : nil }) { return attributes }
    let attributes = parse(declaration, configuration)
    last.withLock { $0 = (source, attributes) }
    return attributes
  }

  @Sendable static func parsed(
    _ declaration: ClassDeclSyntax,
    _ configuration: (any BuildConfiguration)?
  ) -> [String: String] {
    // The role that adds attributes does not know whether the class is a root or a subclass. The attributes do not depend on it.
    let model = ModelDeclaration(declaration, role: .root, configuration: configuration)
    let flags = (model.mayInherit ? ", offset: true" : "") + (model.globalActor != nil ? ", isolated: true" : "")
    return Dictionary(
      model.properties.enumerated().map { index, property in
        let late = property.lateModel.map { ", late: \"\($0)\"" } ?? ""
        return (property.name, "@SwiftData.__Persisted(index: \(index)\(flags)\(late))")
      },
      uniquingKeysWith: { first, _ in first }
    )
  }
}
