import Foundation

/// Names in Swift.
package enum Identifiers {
  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
    "internal", "let", "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows", "static",
    "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do", "else",
    "fallthrough", "for", "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as",
    "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try",
  ]
  /// Names that a class can have and a member of a type cannot.
  private static let metatypes: Set<String> = ["Type", "Protocol"]
  /// The names of members that every model has.
  private static let members: Set<String> = [
    "hash", "hashValue", "modelContext", "hasChanges", "isDeleted", "persistentModelID", "persistentBackingData",
    "schemaMetadata",
  ]
  /// The modules of the types that printed classes name. A class with the name of such a type hides it, and the type is
  /// printed with its module then.
  private static let modules = [
    "Bool": "Swift", "String": "Swift", "Double": "Swift", "Float": "Swift", "Int": "Swift", "Int16": "Swift",
    "Int32": "Swift", "Codable": "Swift", "Data": "Foundation", "Date": "Foundation", "Decimal": "Foundation",
    "UUID": "Foundation", "URL": "Foundation", "JSONValue": "SwiftDataAppleStore", "Model": "SwiftData",
    "Attribute": "SwiftData", "Relationship": "SwiftData",
  ]

  /// The names that `@Model` takes for types of attributes, whatever class has them. The macro's own list is
  /// `TypeSyntax.attributeTypes`, which a library cannot import.
  private static let attributeTypes: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float",
    "Double", "TimeInterval", "Decimal", "String", "Date", "UUID", "URL", "Data",
  ]

  /// Another name for a class that relationships cannot lead to by its own, or nil for other classes.
  static func alias(of name: String, besides classes: Set<String>) -> String? {
    guard attributeTypes.contains(name) else { return nil }
    var alias = name + "Model"
    while classes.contains(alias) { alias += "_" }
    return alias
  }

  /// Whether the text is a word: what Core Data allows as a name.
  static func isName(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
    return name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue } && name != "_"
  }

  /// Whether a member of a type can have the name.
  static func isPlain(_ name: String) -> Bool {
    isName(name) && !keywords.contains(name) && !metatypes.contains(name)
  }

  /// Whether a class can have the name: a class with the name of a module would hide the module.
  package static func isType(_ name: String) -> Bool {
    isName(name) && !keywords.contains(name) && name != "SwiftData" && !modules.values.contains(name)
  }

  /// Swift text in which the types that `classes` hide have their module before them.
  static func qualified(_ text: String, besides classes: Set<String>) -> String {
    var (result, word) = ("", "")
    for character in text + " " {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
        continue
      }
      if let module = modules[word], classes.contains(word), result.last != "." { result += module + "." }
      result += word + String(character)
      word = ""
    }
    return String(result.dropLast())
  }

  /// The name of a property in Swift. It differs from the file's if Swift does not allow that name.
  package static func property(_ name: String) -> String {
    if isPlain(name), !members.contains(name) { return name }
    var result = String(name.unicodeScalars.map { $0.properties.isXIDContinue ? Character($0) : "_" })
    if result.isEmpty || result.first?.isNumber == true { result = "_" + result }
    return isPlain(result) && !members.contains(result) ? result : result + "_"
  }

  /// The name of the type of a property, which differs from the names of classes and of Swift's types.
  static func type(_ name: String, besides taken: Set<String>) -> String {
    var result = property(name).prefix(1).uppercased() + property(name).dropFirst()
    while !isType(result) || metatypes.contains(result) || modules[result] != nil || taken.contains(result) {
      result += "Value"
    }
    return result
  }
}
