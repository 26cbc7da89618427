extension ModelContext {
  /// A found object with its score and snippets.
  public struct SearchHit<T: PersistentModel> {
    /// The object.
    public let model: T

    /// The BM25 score of SQLite's FTS5. A larger score is better.
    ///
    /// It depends on how rare the words are among all stored objects of the class hierarchy, so scores of different
    /// searches are not comparable. The score of an unsaved object is an estimate, because only unsaved texts determine
    /// the average length.
    public let score: Double

    /// The texts of the object when it was found, in their indexed form.
    let texts: [SQLValue]
    let source: SearchSnippets

    /// The matching parts of the object's texts, one per attribute, in declaration order.
    ///
    /// The texts are the ones that the search found, whatever happens to the object later.
    /// - Complexity: proportional to the texts, at each access.
    public var snippets: [ModelContext.SearchSnippet] {
      source.snippets(of: texts).map { .init(property: $0.property, text: $0.text, ranges: $0.ranges) }
    }
  }
}

// Objects belong to their context, so hits of models are not Sendable.
@available(*, unavailable)
extension ModelContext.SearchHit: Sendable {}

extension ModelContext {
  /// A part of a text with matches.
  public struct SearchSnippet: Hashable, Sendable, CustomStringConvertible {
    /// The name of the attribute.
    public let property: String

    /// About 32 words of the text in Unicode normal form C, with an ellipsis (…) where it was cut.
    public let text: String

    /// The matches: ranges of whole characters in ``text``, in order, not overlapping.
    public let ranges: [Range<String.Index>]

    /// The text with brackets around the matches.
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
