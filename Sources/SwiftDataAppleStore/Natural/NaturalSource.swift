import Foundation

extension NaturalModel {
  /// The model without the classes whose names Swift does not allow, and without what needs them.
  package var printable: NaturalModel {
    var result = self
    let refused = classes.filter { member in
      sequence(first: member, next: { $0.superclass.flatMap(self.class) }).contains {
        !Identifiers.isType($0.name)
      }
    }.map(\.name)
    guard !refused.isEmpty else { return self }
    result.classes.removeAll { refused.contains($0.name) }
    for name in refused {
      result.notes.append(
        Identifiers.isType(name)
          ? "\(name), because its superclass has no class"
          : "\(name), which cannot be the name of a class in Swift; `swiftdata dump` prints its objects"
      )
    }
    for place in result.classes.indices {
      let owner = result.classes[place].name
      result.classes[place].properties.removeAll { property in
        guard let destination = property.relationship?.destination, refused.contains(destination)
        else { return false }
        result.notes.append("\(owner).\(property.name), which leads to \(destination)")
        return true
      }
    }
    return result
  }
  /// The declarations of the classes: a Swift file.
  package func source(of store: String) -> String { printable.text(of: store) }

  private func text(of store: String) -> String {
    var lines = ["// The models inside \(store.debugDescription), written by `swiftdata models`."]
    lines += notes.map { "// Not expressed: \(Self.comment($0))" }
    lines += ["", "import Foundation", "import SwiftData"]
    let names = Set(classes.map(\.name))
    var body = classes.flatMap { [""] + Self.lines(of: $0, self, names) }
    let destinations = Set(classes.flatMap(\.properties).compactMap { $0.relationship?.destination })
    for name in destinations.sorted() {
      guard let alias = Identifiers.alias(of: name, besides: names) else { continue }
      body += ["", "// `@Model` takes the name \(name) for the type of an attribute.", "typealias \(alias) = \(name)"]
    }
    if body.contains(where: { $0.contains("JSONValue") || $0.contains(".withoutInverse") }) {
      lines.append("import SwiftDataAppleStore")
    }
    return (lines + body).joined(separator: "\n") + "\n"
  }

  private static func comment(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
  }

  static func literal(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control: "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }

  // MARK: - Classes

  /// - Parameter names: the names of all classes.
  private static func lines(of member: NaturalClass, _ model: NaturalModel, _ names: Set<String>) -> [String] {
    func qualified(_ text: String) -> String { Identifiers.qualified(text, besides: names) }
    var lines = [qualified("@Model")]
    if member.entity.isAbstract { lines.append("/* abstract in the file */") }
    let heritage = member.superclass.map { ": \($0)" } ?? ""
    lines.append("\(member.hasSubclasses ? "" : "final ")class \(member.name)\(heritage) {")
    let compound = member.uniqueness.filter { !model.isUniqueAttribute($0, of: member) }
    let swift = { (names: [String]) in names.map { "\\.\(Identifiers.property($0))" }.joined(separator: ", ") }
    if !compound.isEmpty {
      lines.append("  #Unique<\(member.name)>(\(compound.map { "[\(swift($0))]" }.joined(separator: ", ")))")
    }
    let indices = member.plainIndices(model)
    if !indices.isEmpty {
      lines.append("  #Index<\(member.name)>(\(indices.map { "[\(swift($0))]" }.joined(separator: ", ")))")
    }
    for property in member.properties {
      for remark in [property.remark, property.computedDefault?.remark].compactMap(\.self) {
        lines.append("  // \(remark)")
      }
      for (macro, arguments) in model.attributes(of: property, in: member) {
        lines.append("  \(qualified(macro))(\(arguments))")
      }
      let value = property.defaultText(besides: names).map { " = \($0)" } ?? ""
      lines.append("  var \(property.name): \(property.typeText(besides: names))\(value)")
    }
    lines += initializer(of: member, model, names)
    for property in member.properties {
      switch property.kind {
      case .cases(let name, let cases):
        lines.append("")
        lines.append("  enum \(name): \(qualified("Codable")) { case \(cases.joined(separator: ", ")) }")
      case .structure(let structure): lines += [""] + Self.lines(of: structure, indent: "  ", qualified)
      default: break
      }
    }
    lines.append("}")
    return lines
  }

  private static func lines(
    of structure: NaturalStructure, indent: String, _ qualified: (String) -> String
  ) -> [String] {
    var lines = ["\(indent)struct \(structure.name): \(qualified("Codable")) {"]
    for (name, type) in structure.members { lines.append("\(indent)  var \(name): \(qualified(type))?") }
    for (name, cases) in structure.enums {
      lines.append("\(indent)  enum \(name): \(qualified("Codable")) { case \(cases.joined(separator: ", ")) }")
    }
    for inner in structure.nested { lines += Self.lines(of: inner, indent: indent + "  ", qualified) }
    return lines + ["\(indent)}"]
  }

  /// The initializer, with a parameter for each property without a default value.
  private static func initializer(
    of member: NaturalClass, _ model: NaturalModel, _ names: Set<String>
  ) -> [String] {
    func required(_ member: NaturalClass) -> [NaturalProperty] {
      member.properties.filter { $0.defaultText(besides: names) == nil }
    }
    var inherited = [NaturalProperty]()
    var parent = member.superclass.flatMap(model.class)
    while let known = parent {
      inherited = required(known) + inherited
      parent = known.superclass.flatMap(model.class)
    }
    let own = required(member)
    let list = (inherited + own).map { property in
      // A subclass finds the types that are nested in its superclass.
      "\(property.name): \(property.typeText(besides: names))"
    }
    var lines = [""]
    let isOverride = member.superclass != nil && own.isEmpty
    let head = "\(isOverride ? "override " : "")init("
    if list.isEmpty {
      lines.append("  \(head)) {")
    } else {
      lines.append("  \(head)")
      lines.append("    " + list.joined(separator: ",\n    "))
      lines.append("  ) {")
    }
    for property in own { lines.append("    self.\(property.name) = \(property.name)") }
    if member.superclass != nil {
      lines.append("    super.init(\(inherited.map { "\($0.name): \($0.name)" }.joined(separator: ", ")))")
    }
    return lines + ["  }"]
  }

  // MARK: - Properties

  /// The macros before a property, with their arguments.
  private func attributes(
    of property: NaturalProperty, in member: NaturalClass
  ) -> [(macro: String, arguments: String)] {
    if let relationship = property.relationship { return relationshipAttribute(property, relationship, member) }
    guard let attribute = property.attribute else { return [] }
    var options = [String]()
    if member.uniqueness.contains([property.originalName]) { options.append(".unique") }
    if attribute.isExternal, property.affinity == .blob { options.append(".externalStorage") }
    if attribute.isPreserved { options.append(".preserveValueOnDeletion") }
    if property.name != property.originalName {
      options.append("originalName: \(Self.literal(property.originalName))")
    } else if let former = attribute.formerName {
      options.append("originalName: \(Self.literal(former))")
    }
    return options.isEmpty ? [] : [("@Attribute", options.joined(separator: ", "))]
  }

  /// Whether a constraint is on one attribute, whose declaration says `.unique`. `#Unique` declares the others.
  private func isUniqueAttribute(_ names: [String], of member: NaturalClass) -> Bool {
    names.count == 1 && member.properties.contains { $0.originalName == names[0] && $0.attribute != nil }
  }

  /// One of the two sides names its inverse: the to-many side, or the side that sorts first if both are of one kind.
  private func relationshipAttribute(
    _ property: NaturalProperty, _ relationship: AppleRelationship, _ member: NaturalClass
  ) -> [(macro: String, arguments: String)] {
    var options = [String]()
    switch relationship.deleteRule {
    case .noAction: options.append("deleteRule: .noAction")
    case .nullify: break
    case .cascade: options.append("deleteRule: .cascade")
    case .deny: options.append("deleteRule: .deny")
    }
    if relationship.isToMany, relationship.minimum > 0 { options.append("minimumModelCount: \(relationship.minimum)") }
    if relationship.isToMany, relationship.maximum > 1 { options.append("maximumModelCount: \(relationship.maximum)") }
    if property.name != property.originalName {
      options.append("originalName: \(Self.literal(property.originalName))")
    } else if let former = relationship.formerName {
      options.append("originalName: \(Self.literal(former))")
    }
    if let inverse = relationship.inverse, namesInverse(relationship, inverse, member) {
      options.append(
        "inverse: \\\(declarer(of: inverse, in: relationship.destination)).\(Identifiers.property(inverse))")
    } else if property.deniesInverse {
      options.append("inverse: \\\(relationship.destination).withoutInverse")
    }
    return options.isEmpty ? [] : [("@Relationship", options.joined(separator: ", "))]
  }

  private func namesInverse(_ relationship: AppleRelationship, _ inverse: String, _ member: NaturalClass) -> Bool {
    guard let other = property(inverse, of: relationship.destination)?.relationship else { return false }
    // A declaration cannot name itself. The engine reads the pairs of such a list without it.
    if relationship.name == inverse, relationship.destination == member.name { return false }
    if relationship.isToMany != other.isToMany { return relationship.isToMany }
    return (member.name, relationship.name) <= (declarer(of: inverse, in: relationship.destination), inverse)
  }

  /// A property of a class or of its superclasses.
  package func property(_ originalName: String, of name: String) -> NaturalProperty? {
    var next = self.class(named: name)
    while let member = next {
      if let known = member.properties.first(where: { $0.originalName == originalName }) { return known }
      next = member.superclass.flatMap(self.class)
    }
    return nil
  }

  /// The class that declares a property.
  func declarer(of originalName: String, in name: String) -> String {
    var next = self.class(named: name)
    while let member = next {
      if member.properties.contains(where: { $0.originalName == originalName }) { return member.name }
      next = member.superclass.flatMap(self.class)
    }
    return name
  }
}

extension NaturalClass {
  /// The indices that no constraint has.
  func plainIndices(_ model: NaturalModel) -> [[String]] {
    indices.filter { index in
      !uniqueness.contains(index) && index.allSatisfy { name in model.property(name, of: self.name)?.attribute != nil }
    }
  }
}

extension NaturalProperty {
  /// The type without the optional.
  package var baseText: String {
    switch kind {
    case .value(let type): SwiftTypes.name(type) ?? "Data"
    case .cases(let name, _): name
    case .structure(let structure): structure.name
    case .array(let element): "[\(element)]"
    case .json: "JSONValue"
    case .toOne(let relationship): relationship.destination
    case .toMany(let relationship): "[\(relationship.destination)]"
    }
  }

  /// The type as a declaration writes it.
  /// - Parameter classes: the names of all classes, which hide types of the same name.
  func typeText(besides classes: Set<String>) -> String {
    guard let relationship else {
      let base = Identifiers.qualified(baseText, besides: classes)
      return isOptional ? base + "?" : base
    }
    let name = Identifiers.alias(of: relationship.destination, besides: classes) ?? relationship.destination
    return isToMany ? "[\(name)]" : isOptional ? name + "?" : name
  }

  var isToMany: Bool { if case .toMany = kind { true } else { false } }

  /// The default value in Swift, or nil if the initializer has a parameter for it.
  func defaultText(besides classes: Set<String>) -> String? {
    if let computedDefault { return Identifiers.qualified(computedDefault.text, besides: classes) }
    guard case .value(.string) = kind else {
      return defaultText.map { Identifiers.qualified($0, besides: classes) }
    }
    return defaultText
  }

  /// A default that the app computed when it made its model, such as `UUID()`. The file has the value of that moment, which as
  /// a constant would be the same in every new object.
  var computedDefault: (text: String, remark: String)? {
    guard case .value(let type) = kind, let value = attribute?.defaultValue else { return nil }
    func isRandom(_ uuid: UUID) -> Bool { uuid.uuid.6 >> 4 == 4 }
    let (text, stored): (String, String)
    switch (type, value) {
    case (.uuid, .uuid(let uuid)) where isRandom(uuid): (text, stored) = ("UUID()", uuid.uuidString)
    case (.string, .string(let value)) where UUID(uuidString: value).map(isRandom) == true:
      (text, stored) = ("UUID().uuidString", value)
    // People write whole seconds.
    case (.date, .date(let seconds))
    where seconds.isFinite && abs(seconds) < 1e11 && seconds != seconds.rounded():
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      (text, stored) = (
        "Date()", date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      )
    default: return nil
    }
    return (
      text,
      "the app seems to compute the default; the file has \(stored), the value when the model was made"
    )
  }

  private var defaultText: String? {
    if isToMany { return "[]" }
    if case .array = kind, !isOptional { return "[]" }
    if case .json = kind, !isOptional { return ".null" }
    guard case .value(let type) = kind, let value = attribute?.defaultValue else { return isOptional ? "nil" : nil }
    switch (type, value) {
    case (.bool, .bool(let value)): return "\(value)"
    case (.bool, .integer(let value)): return value == 0 ? "false" : "true"
    case (.int16, .integer(let value)): return Int16(exactly: value).map { "\($0)" }
    case (.int32, .integer(let value)): return Int32(exactly: value).map { "\($0)" }
    case (.int64, .integer(let value)): return "\(value)"
    case (.double, .real(let value)), (.float, .real(let value)): return value.isFinite ? "\(value)" : nil
    case (.double, .integer(let value)), (.float, .integer(let value)), (.decimal, .integer(let value)):
      return "\(value)"
    case (.decimal, .decimal(let value)): return "Decimal(string: \"\(value)\")!"
    case (.string, .string(let value)): return NaturalModel.literal(value)
    case (.date, .date(let value)) where value.isFinite: return "Date(timeIntervalSinceReferenceDate: \(value))"
    case (.uuid, .uuid(let value)): return "UUID(uuidString: \"\(value.uuidString)\")!"
    default: return isOptional ? "nil" : nil
    }
  }
}
