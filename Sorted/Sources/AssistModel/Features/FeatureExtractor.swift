/// What a message looks like to the linear models: which hashed features it has, and how much each of them counts.
public struct FeatureVector: Sendable {
  /// One feature.
  public struct Entry: Sendable {
    /// Its place in the weights: less than ``FeatureExtractor/buckets``.
    public var bucket: Int32
    /// The token that it comes from; a negative number names a property of the whole message (see ``Trait``).
    public var token: Int32
    /// How much it counts. The squares of one message's values add up to 1.
    public var value: Float
    /// Its origin.
    public var origin: Origin

    /// Whether it is a word or a pair of words.
    public var isWord: Bool { origin == .word }
  }

  /// The origin of a feature.
  public enum Origin: Sendable {
    /// A word, a number or a mark, alone or with the one before it.
    case word
    /// Some letters of a word.
    case letters
    /// The meaning of a word.
    case concept
    /// A property of the whole message.
    case trait
  }

  /// Each bucket once.
  public var entries: [Entry]
}

/// A property of a whole message, as opposed to one of its words.
public enum Trait: Int32, CaseIterable, Sendable {
  case length = -1
  case capitals = -2
  case exclamations = -3
  case questions = -4
  case digits = -5
  case money = -6
  case link = -7
  case phoneNumber = -8

  /// The trait in words, for an explanation.
  public var words: String {
    switch self {
    case .length: "its length"
    case .capitals: "capital letters"
    case .exclamations: "exclamation marks"
    case .questions: "question marks"
    case .digits: "how many digits it has"
    case .money: "an amount of money"
    case .link: "a link"
    case .phoneNumber: "a long number"
    }
  }
}

/// Turns messages into hashed features: words, pairs of words, the letters inside words in groups of 3 to 5, and traits of
/// the whole message. Hashing needs no dictionary, so the weights have one fixed size and an unknown word still counts by
/// its letters.
///
/// An extractor keeps its scratch memory between messages. Give each task its own one.
/// - Complexity: linear in the length of the message, at most 4,000 scalars of it.
public struct FeatureExtractor: Sendable {
  /// How many features the weights can tell apart: a power of two.
  public static let buckets = 1 << 16

  private var tokenizer = Tokenizer()
  private var entries: [FeatureVector.Entry] = []
  /// The round in which a bucket was last seen, so that a message counts each bucket once without clearing anything.
  private var seen = [UInt32](repeating: 0, count: FeatureExtractor.buckets)
  private var round: UInt32 = 0
  private var concepts: [UInt32] = []
  private var lastConcepts: [UInt32] = []

  /// Makes an extractor.
  public init() {}

  /// The features of a message.
  public mutating func features(of text: String) -> FeatureVector {
    entries.removeAll(keepingCapacity: true)
    round &+= 1
    if round == 0 {
      for index in seen.indices { seen[index] = 0 }
      round = 1
    }
    tokenizer.read(text)
    addTokens()
    addTraits()
    normalize()
    return FeatureVector(entries: entries)
  }

  /// The words of the message that was read last, by ``FeatureVector/Entry/token``.
  public var words: [String] { tokenizer.tokens.map { tokenizer.text(of: $0) } }

  // MARK: - Tokens

  private mutating func addTokens() {
    lastConcepts.removeAll(keepingCapacity: true)
    var last = Hash(seed: 0xB0)
    for (number, token) in tokenizer.tokens.enumerated() {
      let hash = identity(token)
      add(hash, Int32(number), 1, token.kind == .symbol ? .letters : .word)
      var pair = last
      pair.add(hash.value)
      add(pair, Int32(number), 0.5, .word)
      last = Hash(seed: 0xB1)
      last.add(hash.value)
      if token.kind == .word {
        addLetters(token, Int32(number))
        addConcepts(token, Int32(number))
      }
      if token.kind == .number { addNumber(token, Int32(number)) }
    }
    last.add(0xE0)
    if let end = tokenizer.tokens.indices.last { add(last, Int32(end), 0.5, .word) }
  }

  /// What makes two tokens the same: links and addresses are all alike, numbers are by their number of digits.
  private func identity(_ token: Token) -> Hash {
    var hash = Hash(seed: token.kind.rawValue)
    switch token.kind {
    case .link, .mail: break
    case .number: hash.add(UInt32(min(token.range.count, 12)))
    case .symbol:
      hash.add(tokenizer.scalars[token.range.lowerBound])
      hash.add(UInt32(min(token.range.count, 3)))
    case .word: for scalar in tokenizer.scalars[token.range] { hash.add(scalar) }
    }
    return hash
  }

  private mutating func addNumber(_ token: Token, _ number: Int32) {
    var hash = Hash(seed: 0xD0)
    for scalar in tokenizer.scalars[token.range] { hash.add(scalar) }
    add(hash, number, 0.5, .word)
  }

  private mutating func addLetters(_ token: Token, _ number: Int32) {
    let range = token.range
    for length in 3...5 where range.count + 2 >= length {
      for start in (range.lowerBound - 1)...(range.upperBound + 1 - length) {
        var hash = Hash(seed: 0xC0 + UInt32(length))
        for index in start..<(start + length) {
          hash.add(range.contains(index) ? tokenizer.scalars[index] : 0x5F)
        }
        add(hash, number, 0.3, .letters)
      }
    }
  }

  /// The concepts of a word, alone and with the concepts of the word before.
  private mutating func addConcepts(_ token: Token, _ number: Int32) {
    concepts.removeAll(keepingCapacity: true)
    Concepts.shared.forEach(tokenizer.scalars[token.range]) { concepts.append($0) }
    for concept in concepts {
      var hash = Hash(seed: 0xF0)
      hash.add(concept)
      add(hash, number, 1.5, .concept)
      for last in lastConcepts {
        var pair = Hash(seed: 0xF1)
        pair.add(last)
        pair.add(concept)
        add(pair, number, 0.5, .concept)
      }
    }
    swap(&concepts, &lastConcepts)
  }

  // MARK: - Traits

  private mutating func addTraits() {
    let scalars = tokenizer.scalars
    var (exclamations, questions, digits, money) = (0, 0, 0, 0)
    for scalar in scalars {
      switch scalar {
      case 0x21: exclamations += 1
      case 0x3F: questions += 1
      case 0x30...0x39: digits += 1
      case 0x24, 0xA3, 0x20AC: money += 1
      default: break
      }
    }
    let capitals = tokenizer.capitals
    let share = capitals.letters < 8 ? 0 : capitals.upper * 10 / capitals.letters
    add(.length, Int.bitWidth - scalars.count.leadingZeroBitCount)
    add(.capitals, share)
    add(.exclamations, min(exclamations, 3))
    add(.questions, min(questions, 2))
    add(.digits, min(Int.bitWidth - digits.leadingZeroBitCount, 5))
    if money > 0 { add(.money, 1) }
    if tokenizer.tokens.contains(where: { $0.kind == .link }) { add(.link, 1) }
    if tokenizer.tokens.contains(where: { $0.kind == .number && $0.range.count >= 5 }) { add(.phoneNumber, 1) }
  }

  private mutating func add(_ trait: Trait, _ amount: Int) {
    var hash = Hash(seed: 0x1000 + UInt32(-trait.rawValue))
    hash.add(UInt32(amount))
    add(hash, trait.rawValue, 0.8, .trait)
  }

  // MARK: - Entries

  private mutating func add(_ hash: Hash, _ token: Int32, _ value: Float, _ origin: FeatureVector.Origin) {
    let bucket = hash.bucket
    guard seen[bucket] != round else { return }
    seen[bucket] = round
    entries.append(FeatureVector.Entry(bucket: Int32(bucket), token: token, value: value, origin: origin))
  }

  private mutating func normalize() {
    var sum: Float = 0
    for entry in entries { sum += entry.value * entry.value }
    guard sum > 0 else { return }
    let scale = 1 / sum.squareRoot()
    for index in entries.indices { entries[index].value *= scale }
  }
}

/// FNV-1a over 32-bit words, with a last mix so that the low bits depend on all of the input.
struct Hash {
  private(set) var value: UInt32

  init(seed: UInt32) {
    value = 0x811C_9DC5
    add(seed)
  }

  mutating func add(_ word: UInt32) { value = (value ^ word) &* 0x0100_0193 }

  var bucket: Int {
    var mixed = value
    mixed ^= mixed >> 16
    mixed = mixed &* 0x85EB_CA6B
    mixed ^= mixed >> 13
    mixed = mixed &* 0xC2B2_AE35
    mixed ^= mixed >> 16
    return Int(mixed) & (FeatureExtractor.buckets - 1)
  }
}
