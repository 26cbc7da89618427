extension ModelContext {
  /// An object that a search found, how well it fits, and where.
  public struct SearchHit<T: PersistentModel> {
    /// The object.
    public let model: T

    /// How well the object fits by BM25, as SQLite's FTS5 counts it: the smaller (the more negative), the better.
    ///
    /// It depends on how rare the words are among all stored objects of the class hierarchy, so ranks of different
    /// searches cannot be compared. Of an unsaved object it is an estimate: the lengths of the unsaved texts alone decide
    /// what counts as a long one.
    public let rank: Double

    /// The parts of the object's texts in which something was found, one for each attribute, in the order of declaration.
    public let snippets: [ModelContext.SearchSnippet]
  }
}

// Objects belong to their context, so hits are not Sendable.
@available(*, unavailable)
extension ModelContext.SearchHit: Sendable {}

extension ModelContext {
  /// A part of a text in which a search found something.
  public struct SearchSnippet: Hashable, Sendable, CustomStringConvertible {
    /// The name of the attribute.
    public let property: String

    /// About 32 words of the text, in Unicode normal form C; an ellipsis (…) stands at an end where the text goes on.
    public let text: String

    /// What was found: whole characters of ``text``, in order, not overlapping.
    public let ranges: [Range<String.Index>]

    /// The text with brackets around what was found.
    public var description: String {
      var result = ""
      var position = text.startIndex
      for range in ranges {
        result += text[position..<range.lowerBound] + "[" + text[range] + "]"
        position = range.upperBound
      }
      return result + text[position...]
    }
  }
}
