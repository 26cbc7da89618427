/// Texts of a store as a terminal shows them.
enum TerminalText {
  /// A text whose control characters are escaped. A terminal would take them for commands.
  ///
  /// It looks at scalars, because a combining mark makes another character of the control character before it.
  static func withoutControls(_ text: String) -> String { escaped(text, [:]) }

  /// The same for a column of a table: line ends, tabs and backslashes have their usual escapes.
  static func cell(_ text: String) -> String {
    escaped(text, ["\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"])
  }

  private static func escaped(_ text: String, _ escapes: [Unicode.Scalar: String]) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      if let escape = escapes[scalar] {
        result += escape
      } else if scalar.properties.generalCategory == .control {
        result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
}
