/// Recognizes runs of scalars that technical texts have and other messages almost never have: paths, options, names of files, addresses of
/// the network, commands of a robot, names with underscores or digits inside, links to wikis, forums and lists of bugs, and the name of the
/// person addressed at the beginning of a line in a chat ("name: …").
enum TechnicalSigns {
  /// Returns whether a lowercase run without spaces is technical.
  /// - Parameter isFirst: whether the run begins the text.
  static func contains(_ run: ArraySlice<UInt32>, isFirst: Bool) -> Bool {
    guard let first = run.first, let last = run.last else { return false }
    if isLink(run) { return linkWords.contains { holds(run, $0) } }
    if isFirst && run.count > 2 && last == 0x3A && Tokenizer.isLetter(first) { return true }
    return isCommand(run, first) || run.count > 2 && run.contains(0x5F) || isName(trimmed(run))
  }

  private static func isLink(_ run: ArraySlice<UInt32>) -> Bool { starts(run, "http") || starts(run, "www.") }

  /// The parts of a link by which one knows a technical site.
  private static let linkWords = [
    "wiki", "forum", "bug", "paste", "docs", "doc.", "git", "howto", "faq", "mirror", "launchpad", "showthread",
    "viewtopic", "manual",
  ].map { $0.unicodeScalars.map(\.value) }

  private static func holds(_ run: ArraySlice<UInt32>, _ part: [UInt32]) -> Bool {
    run.indices.contains { run[$0...].starts(with: part) }
  }

  private static func starts(_ run: ArraySlice<UInt32>, _ text: String) -> Bool {
    run.starts(with: text.unicodeScalars.lazy.map(\.value))
  }

  /// A path, an option, a command of a robot, or a sign of a shell.
  private static func isCommand(_ run: ArraySlice<UInt32>, _ first: UInt32) -> Bool {
    let second = run.dropFirst().first ?? 0
    switch first {
    case 0x2F: return run.count > 2 && Tokenizer.isLetter(second)
    case 0x7E, 0x2E: return run.count > 2 && second == 0x2F || first == 0x7E && run.count == 1
    case 0x2D: return run.count > 2 && second == 0x2D || isASCIILetter(second)
    case 0x21: return isASCIILetter(second)
    case 0x23, 0x24, 0x3E: return run.count == 1
    case 0x7C, 0x26: return run.count == 1 && first == 0x7C || run.count == 2 && second == first
    default: return false
    }
  }

  /// A name of a file, a hexadecimal number, an address or a version, or a word with a digit inside.
  private static func isName(_ run: ArraySlice<UInt32>) -> Bool {
    guard let first = run.first else { return false }
    if let point = run.lastIndex(of: 0x2E), point > run.startIndex + 1, extensions.contains(Array(run[(point + 1)...]))
    {
      return true
    }
    if starts(run, "0x") { return true }
    if Tokenizer.isDigit(first) {
      let points = run.count { $0 == 0x2E }
      return points >= 3 || points == 2 && run.contains(0x2D)
    }
    guard isASCIILetter(first), let digit = run.firstIndex(where: Tokenizer.isDigit) else { return false }
    return run[digit...].contains(where: Tokenizer.isLetter)
  }

  private static func isASCIILetter(_ value: UInt32) -> Bool { (0x61...0x7A).contains(value) }

  /// Returns the run without punctuation marks at its end.
  private static func trimmed(_ run: ArraySlice<UInt32>) -> ArraySlice<UInt32> {
    var run = run
    while let last = run.last, marks.contains(last) { run.removeLast() }
    return run
  }

  private static let marks = Set(".,:;)?!".unicodeScalars.map(\.value))

  private static let extensions = Set(
    """
    conf deb txt log py js c h sh iso tar gz zip so ko exe cfg ini json xml swift yml yaml list d rpm img
    """.split(separator: " ").map { $0.unicodeScalars.map(\.value) })
}
