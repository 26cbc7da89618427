import AssistKernels
import Foundation
import AssistFixtures
import Testing

@testable import AssistModel

@Suite("The sentence encoder") struct SentenceEncoderTests {
  private var pieces: WordPiece {
    get throws {
      try WordPiece(
        vocabulary: SentenceModels.smallVocabulary.joined(separator: "\n"), count: SentenceModels.smallVocabulary.count)
    }
  }

  private func names(_ text: String, limit: Int = 100) throws -> String {
    try pieces.ids(of: text, limit: limit).map { SentenceModels.smallVocabulary[Int($0)] }.joined(separator: " ")
  }

  @Test("A text becomes the longest pieces of its words, folded, between the marks of begin and end")
  func splitting() throws {
    #expect(try names("Hello WORLDS!") == "[CLS] hello wor ##ld ##s ! [SEP]")
    #expect(try names("réfund?refund") == "[CLS] refund ? refund [SEP]")
    #expect(try names("he\u{301}llo\u{0}\u{200B} \u{FFFD}") == "[CLS] hello [SEP]")
    #expect(try names("héllo") == "[CLS] hello [SEP]")
    #expect(try names("日a本") == "[CLS] [UNK] a [UNK] [SEP]")
    #expect(try names("[SEP]") == "[CLS] [UNK] s ##e ##p [UNK] [SEP]")
    #expect(try names("") == "[CLS] [SEP]")
    #expect(try names(String(repeating: "a", count: 101)) == "[CLS] [UNK] [SEP]")
  }

  @Test("A text that is too long is cut after as many pieces as there may be, also within a word")
  func cutting() throws {
    #expect(try names("hello hello hello", limit: 4) == "[CLS] hello hello [SEP]")
    #expect(try names("worlds", limit: 4) == "[CLS] wor ##ld [SEP]")
    #expect(try pieces.ids(of: String(repeating: "z", count: 90), limit: 50).count == 50)
  }

  @Test("A text has the same vector, of length 1, alone and among others, and shared words bring texts nearer")
  func vectors() throws {
    let encoder = try SentenceModels.smallEncoder()
    let texts = ["hello worlds", "", "hello refund", String(repeating: "zebra ", count: 400), "zzzzzz"]
    let together = encoder.vectors(of: texts)
    for (text, vector) in zip(texts, together) {
      #expect(abs(vector.reduce(0) { $0 + $1 * $1 } - 1) < 1e-4)
      let alone = encoder.vectors(of: [text])[0]
      #expect(zip(vector, alone).allSatisfy { abs($0 - $1) < 1e-4 }, "\(text.prefix(20))")
    }
    let rounded = together.map(Embedding.init)
    #expect(rounded[0].similarity(to: rounded[2]) > rounded[0].similarity(to: rounded[4]))
    #expect(encoder.vectors(of: []).isEmpty)
  }

  @Test("Rounding to 8 bits changes a cosine by less than 0.01, and what a store has reads back")
  func rounding() throws {
    var random = SentenceModels.Numbers(seed: 1)
    for _ in 0..<50 {
      let vectors = (0..<2).map { _ in
        let numbers = (0..<SentenceEncoder.dimensions).map { _ in random.next() }
        let length = numbers.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return numbers.map { $0 / length }
      }
      let exact = zip(vectors[0], vectors[1]).reduce(0) { $0 + $1.0 * $1.1 }
      let (a, b) = (Embedding(vectors[0]), Embedding(vectors[1]))
      #expect(abs(a.similarity(to: b) - exact) < 0.01)
      #expect(abs((a.similarity(to: b.data) ?? 2) - a.similarity(to: b)) < 1e-6)
      #expect(Embedding(a.data) == a)
    }
    let zero = Embedding([Float](repeating: 0, count: SentenceEncoder.dimensions))
    #expect(zero.similarity(to: zero) == 0 && zero.similarity(to: zero.data) == 0)
    #expect(Embedding(Data([1, 2])) == nil && zero.similarity(to: Data([1, 2])) == nil)
  }

  @Test("A file that is cut, lies about its tensors or lacks one is an error that says so")
  func damage() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "SentenceEncoderTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let whole = try SentenceModels.smallFile()
    func error(_ bytes: [UInt8], vocabulary: [String] = SentenceModels.smallVocabulary) throws -> String {
      try Data(vocabulary.joined(separator: "\n").utf8).write(to: folder.appendingPathComponent("vocab.txt"))
      try Data(bytes).write(to: folder.appendingPathComponent("model.safetensors"))
      let error = #expect(throws: WeightsError.self) {
        try SentenceEncoder(folder: folder, shape: SentenceModels.smallShape)
      }
      return error?.description ?? ""
    }
    #expect(try error([]).contains("too short"))
    #expect(try error([UInt8](repeating: 0xFF, count: 8) + [1, 2]).contains("longer than the file"))
    #expect(try error([2, 0, 0, 0, 0, 0, 0, 0, 0x7B, 0x7B]).contains("no header of tensors"))
    #expect(try error([2, 0, 0, 0, 0, 0, 0, 0, 0x7B, 0x7D]).contains("no tensor embeddings.word_embeddings.weight"))
    #expect(try error(Array(whole.dropLast(4))).contains("no tensor"))
    let changes = [
      ("F32", "F16"), ("[384,384]", "[384,383]"), ("\"data_offsets\":[0,", "\"data_offsets\":[8,"),
      ("\"data_offsets\":[0,", "\"data_offsets\":[9,-9223372036854775808],\"other\":[0,"),
    ]
    for (old, new) in changes {
      let length = 8 + Int(UInt64(littleEndian: whole.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }))
      let header = String(decoding: whole[8..<length], as: UTF8.self).replacing(old, with: new)
      let start = withUnsafeBytes(of: UInt64(header.utf8.count).littleEndian, Array.init)
      #expect(try error(start + Array(header.utf8) + whole[length...]).contains("no tensor"), "\(new)")
    }
    #expect(try error(whole, vocabulary: SentenceModels.smallVocabulary.dropLast()).contains("tokens, and the model"))
  }

  // MARK: - Kernels

  @Test(
    "Products of packed matrices are those of the definition, whatever the number of rows",
    arguments: [1, 2, 5, 6, 13, 40])
  func products(_ rows: Int) {
    var random = SentenceModels.Numbers(seed: UInt64(rows))
    let (outputs, inputs) = (64, 37)
    let x = (0..<rows * inputs).map { _ in random.next() }
    let matrix = (0..<outputs * inputs).map { _ in random.next() }
    let bias = (0..<outputs).map { _ in random.next() }
    var packed = [Float](repeating: 0, count: matrix.count)
    assist_pack(matrix, outputs, inputs, &packed)
    var y = [Float](repeating: 0, count: rows * outputs)
    assist_multiply(x, rows, packed, bias, outputs, inputs, &y)
    for row in 0..<rows {
      for output in 0..<outputs {
        let sum = (0..<inputs).reduce(Double(bias[output])) {
          $0 + Double(x[row * inputs + $1]) * Double(matrix[output * inputs + $1])
        }
        #expect(abs(Double(y[row * outputs + output]) - sum) < 1e-4)
      }
    }
  }

  @Test("The activation is x times the normal distribution to six digits, also far out")
  func activation() {
    let x = stride(from: Float(-30), through: 30, by: 0.173).map { $0 }
    var y = x
    assist_gelu(&y, y.count)
    for (x, y) in zip(x, y) {
      #expect(abs(Double(y) - 0.5 * Double(x) * erfc(-Double(x) / 2.0.squareRoot())) < 1e-5)
    }
  }

  @Test("Attention weighs values by the exponentials of the products of queries and keys", arguments: [1, 2, 7, 19])
  func attention(_ rows: Int) {
    let (heads, width) = (2, 64)
    var random = SentenceModels.Numbers(seed: UInt64(rows))
    let triples = (0..<rows * 3 * width).map { _ in 3 * random.next() }
    var scratch = [Float](repeating: 0, count: rows)
    var result = [Float](repeating: 0, count: rows * width)
    assist_attend(triples, rows, heads, &scratch, &result)
    func at(_ row: Int, _ column: Int) -> Double { Double(triples[row * 3 * width + column]) }
    for row in 0..<rows {
      for head in 0..<heads {
        let weights = (0..<rows).map { other in
          exp((32 * head..<32 * head + 32).reduce(0.0) { $0 + at(row, $1) * at(other, width + $1) } / 32.0.squareRoot())
        }
        let total = weights.reduce(0, +)
        for column in 32 * head..<32 * head + 32 {
          let expected = (0..<rows).reduce(0.0) { $0 + weights[$1] * at($1, 2 * width + column) } / total
          #expect(abs(Double(result[row * width + column]) - expected) < 1e-4)
        }
      }
    }
  }

  @Test("Medoids are the embeddings that represent most others, and clusters count their members")
  func themes() {
    func vector(_ direction: Int, _ noise: Float) -> Embedding {
      var numbers = [Float](repeating: 0, count: SentenceEncoder.dimensions)
      (numbers[direction], numbers[100 + direction]) = (1, noise)
      return Embedding(numbers)
    }
    let vectors = [-0.5, 0, 0.5, 0.1].map { vector(1, $0) } + [0, 0.3, 0.6].map { vector(2, $0) } + [vector(3, 0)]
    let groups = Clusters(vectors, count: 3).clusters
    #expect(groups == [.init(medoid: 1, count: 4), .init(medoid: 5, count: 3), .init(medoid: 7, count: 1)])
    #expect(Clusters(vectors, count: 9).clusters.count == 8)
    #expect(Clusters([], count: 3).clusters.isEmpty)
  }
}
