/// The features of a message for the linear models: hashed features with their values.
public struct FeatureVector: Sendable {
  /// One feature.
  public struct Entry: Sendable {
    /// The index of the feature in the weights, less than ``FeatureExtractor/buckets``.
    public var bucket: Int32
    /// The index of the token that has the feature. A negative number is the raw value of a ``Trait``.
    public var token: Int32
    /// The value of the feature. The values of one message have the Euclidean norm 1.
    public var value: Float
    /// The origin of the feature.
    public var origin: Origin

    /// Whether the feature is a word or a pair of words.
    public var isWord: Bool { origin == .word }
  }

  /// The origin of a feature.
  public enum Origin: Sendable {
    /// A word, a number or a punctuation mark, alone or as a pair with the token before it.
    case word
    /// A character n-gram of a word.
    case letters
    /// A concept of a word, alone or as a pair with a concept of the word before it.
    case concept
    /// A property of the whole message.
    case trait
  }

  /// The features, at most one for each bucket.
  public var entries: [Entry]
}

/// A property of a whole message.
public enum Trait: Int32, CaseIterable, Sendable {
  case length = -1
  case capitals = -2
  case exclamations = -3
  case questions = -4
  case digits = -5
  case money = -6
  case link = -7
  case phoneNumber = -8
  case technical = -9
  case beginning = -10
  case ending = -11

  /// The text of the trait in an explanation.
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
    case .technical: "technical signs"
    case .beginning: "how it begins"
    case .ending: "how it ends"
    }
  }
}

/// Extracts features from messages by feature hashing.
///
/// The features are words, bigrams of words, character n-grams of 3 to 5 letters, concepts, and traits of the whole message.
/// Hashing needs no dictionary, so the weights have a fixed size, and a word outside the training set still has its n-grams.
///
/// An extractor reuses its scratch memory for the next message, so each task needs an extractor of its own.
/// - Complexity: linear in the length of the message. It reads at most 4,000 scalars.
public struct FeatureExtractor: Sendable {
  /// The number of buckets that features are hashed into: a power of two.
  public static let buckets = 1 << 16

  private var tokenizer = Tokenizer()
  private var entries: [FeatureVector.Entry] = []
  /// The round in which each bucket was last used. It finds repeated buckets of a message without clearing an array.
  private var seen = [UInt32](repeating: 0, count: FeatureExtractor.buckets)
  private var round: UInt32 = 0
  private var concepts: [UInt32] = []
  private var lastConcepts: [UInt32] = []

  /// Makes an extractor.
  public init() {}

  /// Extracts the features of a message.
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

  /// The tokens of the last message, indexed by ``FeatureVector/Entry/token``.
  public var words: [String] { tokenizer.tokens.map { tokenizer.text(of: $0) } }

  /// Returns whether a text has the form of a question: a question mark, or a question word of one of the lexicon's languages.
  mutating func asks(_ text: String) -> Bool {
    tokenizer.read(text)
    var found = tokenizer.scalars.contains(0x3F)
    for token in tokenizer.tokens where token.kind == .word && !found {
      Concepts.shared.forEach(tokenizer.scalars[token.range]) { found = found || $0 == Concepts.shared.question }
    }
    return found
  }

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

  /// Returns the hash that identifies a token. All links have one hash, all addresses have one, and numbers are identified by
  /// their number of digits.
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

  /// Adds the concepts of a word, alone and as pairs with the concepts of the word before it, and its subjects.
  private mutating func addConcepts(_ token: Token, _ number: Int32) {
    concepts.removeAll(keepingCapacity: true)
    Concepts.shared.forEach(tokenizer.scalars[token.range]) { concepts.append($0) }
    for concept in concepts {
      var hash = Hash(seed: 0xF0)
      hash.add(concept)
      add(hash, number, 0.7, .concept)
      for last in lastConcepts {
        var pair = Hash(seed: 0xF1)
        pair.add(last)
        pair.add(concept)
        add(pair, number, 0.5, .concept)
      }
    }
    swap(&concepts, &lastConcepts)
    concepts.removeAll(keepingCapacity: true)
    Concepts.subjects.forEach(tokenizer.scalars[token.range]) { concepts.append($0) }
    for subject in concepts {
      var hash = Hash(seed: 0xF2)
      hash.add(subject)
      add(hash, number, 1.5, .concept)
    }
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
      case 0x24, 0xA3, 0x20AA, 0x20AC: money += 1
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
    addStyle()
  }

  /// Adds how the message is written: technical signs, its first letter and its last character.
  private mutating func addStyle() {
    let technical = min(tokenizer.technicalSigns, 2)
    add(.technical, technical, technical > 0 ? 4 : 0.3)
    let (start, end) = (tokenizer.beginsWithCapital ? 1 : 0, Self.ending(tokenizer.scalars.last { $0 > 0x20 }))
    add(.beginning, start, 0.5)
    add(.ending, end, 0.5)
    add(.ending, 100 + start * 5 + end, 0.5)
  }

  /// Returns the class of the last character: a letter or digit, a full stop, a question mark, an exclamation mark, or another one.
  private static func ending(_ last: UInt32?) -> Int {
    switch last {
    case 0x2E: 1
    case 0x3F: 2
    case 0x21: 3
    case let value?: Tokenizer.isLetter(value) || Tokenizer.isDigit(value) ? 0 : 4
    case nil: 4
    }
  }

  private mutating func add(_ trait: Trait, _ amount: Int, _ value: Float = 0.8) {
    add(Self.hash(trait, amount), trait.rawValue, value, .trait)
  }

  private static func hash(_ trait: Trait, _ amount: Int) -> Hash {
    var hash = Hash(seed: 0x1000 + UInt32(-trait.rawValue))
    hash.add(UInt32(amount))
    return hash
  }

  /// Returns the bucket of messages that have a number of technical signs. Two stands for more, too.
  static func bucket(technicalSigns: Int) -> Int32 { Int32(hash(.technical, technicalSigns).bucket) }

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

/// An FNV-1a hash over 32-bit words. A final mix lets the low bits depend on the whole input.
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
