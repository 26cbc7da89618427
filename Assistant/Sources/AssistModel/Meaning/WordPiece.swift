import Foundation

/// The WordPiece tokenizer of an uncased BERT model.
///
/// It removes control characters, accents and case. A punctuation mark or a CJK ideograph is a word of its own. Each word becomes
/// the longest matching tokens of the vocabulary, from left to right. The model's `tokenizer.json` has the rules. One rule differs:
/// a text that spells a special token, such as `[SEP]`, is ordinary text.
struct WordPiece: Sendable {
  private let ids: [[UInt8]: Int32]
  private let longest: Int
  private let unknown: Int32
  private let first: Int32
  private let last: Int32

  /// The largest length of a word in scalars. A longer word is the unknown token.
  private static let maximumWordLength = 100

  /// Reads a vocabulary with one token on each line. The id of a token is the number of its line.
  /// - Throws: ``WeightsError`` if the vocabulary lacks a special token, or if its number of tokens differs from the model's.
  init(vocabulary: String, count: Int) throws {
    var ids: [[UInt8]: Int32] = [:]
    var next: Int32 = 0
    for line in vocabulary.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if !line.isEmpty { ids[Array(line)] = next }
      next += 1
    }
    func special(_ name: String) throws -> Int32 {
      guard let id = ids[Array(name.utf8)] else {
        throw WeightsError(description: "the vocabulary has no token \(name); install the model again")
      }
      return id
    }
    guard ids.count == count, ids.values.allSatisfy({ $0 < count }) else {
      throw WeightsError(
        description: "the vocabulary has \(ids.count) tokens, and the model has \(count); install the model again")
    }
    self.ids = ids
    longest = ids.keys.map(\.count).max() ?? 0
    (unknown, first, last) = (try special("[UNK]"), try special("[CLS]"), try special("[SEP]"))
  }

  /// Returns the ids of a text's tokens, with the tokens `[CLS]` and `[SEP]` around them.
  /// - Parameter limit: the largest number of ids, with these two.
  /// - Complexity: linear in the length of the text that has `limit` tokens.
  func ids(of text: String, limit: Int) -> [Int32] {
    var reader = Reader(pieces: self, limit: limit - 1)
    for scalar in text.unicodeScalars where !reader.isFull { reader.read(scalar) }
    reader.endWord()
    return reader.ids + [last]
  }

  /// The state of the tokenizer in the middle of a text.
  private struct Reader {
    let pieces: WordPiece
    let limit: Int
    var ids: [Int32]
    private var word: [UInt8] = []
    private var length = 0

    init(pieces: WordPiece, limit: Int) {
      self.pieces = pieces
      self.limit = limit
      ids = [pieces.first]
    }

    var isFull: Bool { ids.count >= limit }

    mutating func read(_ scalar: Unicode.Scalar) {
      if scalar.isASCII { return readASCII(UInt8(scalar.value)) }
      let properties = scalar.properties
      if properties.isWhitespace { return endWord() }
      guard scalar != "\u{FFFD}", !WordPiece.isControl(properties.generalCategory) else { return }
      let isIdeograph = WordPiece.isCJKIdeograph(scalar)
      if isIdeograph { endWord() }
      for part in String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
      where part.properties.generalCategory != .nonspacingMark {
        for folded in part.properties.lowercaseMapping.unicodeScalars { append(folded) }
      }
      if isIdeograph { endWord() }
    }

    private mutating func readASCII(_ byte: UInt8) {
      switch byte {
      case 0x09...0x0D, 0x20: if byte != 0x0B, byte != 0x0C { endWord() }
      case 0x41...0x5A: appendByte(byte | 0x20)
      case 0x30...0x39, 0x61...0x7A: appendByte(byte)
      case 0x21...0x7E: appendPunctuation { $0.append(byte) }
      default: break
      }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
      if scalar.isASCII ? WordPiece.isPunctuation(UInt8(scalar.value)) : scalar.isPunctuation {
        appendPunctuation { $0.append(contentsOf: UTF8.encode(scalar)!) }
      } else {
        word.append(contentsOf: UTF8.encode(scalar)!)
        length += 1
      }
    }

    private mutating func appendByte(_ byte: UInt8) {
      word.append(byte)
      length += 1
    }

    private mutating func appendPunctuation(_ append: (inout [UInt8]) -> Void) {
      endWord()
      append(&word)
      length = 1
      endWord()
    }

    /// Appends the tokens of the current word, or the unknown token if the vocabulary cannot spell the word.
    mutating func endWord() {
      defer {
        word.removeAll(keepingCapacity: true)
        length = 0
      }
      guard !word.isEmpty, !isFull else { return }
      guard length <= WordPiece.maximumWordLength, let found = pieces.pieces(of: word) else {
        return ids.append(pieces.unknown)
      }
      ids.append(contentsOf: found.prefix(limit - ids.count))
    }
  }

  private func pieces(of word: [UInt8]) -> [Int32]? {
    var found: [Int32] = []
    var start = 0
    while start < word.count {
      let prefix: [UInt8] = start == 0 ? [] : [UInt8(ascii: "#"), UInt8(ascii: "#")]
      var end = min(word.count, start + longest)
      var id: Int32?
      while end > start {
        id = ids[prefix + word[start..<end]]
        if id != nil { break }
        end -= 1
      }
      guard let id else { return nil }
      found.append(id)
      start = end
    }
    return found
  }

  // MARK: - Characters

  private static func isControl(_ category: Unicode.GeneralCategory) -> Bool {
    switch category {
    case .control, .format, .privateUse, .surrogate, .unassigned: true
    default: false
    }
  }

  private static func isPunctuation(_ byte: UInt8) -> Bool {
    (0x21...0x2F).contains(byte) || (0x3A...0x40).contains(byte) || (0x5B...0x60).contains(byte)
      || (0x7B...0x7E).contains(byte)
  }

  /// Returns whether BERT treats a scalar as a CJK ideograph. Kana and hangul are not ideographs.
  private static func isCJKIdeograph(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0xF900...0xFAFF, 0x20000...0x2A6DF, 0x2A700...0x2B73F, 0x2B740...0x2B81F,
      0x2B820...0x2CEAF, 0x2F800...0x2FA1F:
      true
    default: false
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isPunctuation: Bool {
    switch properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
      .finalPunctuation, .otherPunctuation:
      true
    default: false
    }
  }
}
