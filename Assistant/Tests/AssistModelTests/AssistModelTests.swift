import Testing

@testable import AssistModel

@Suite("The assistant's models") struct AssistModelTests {
  private let model: MessageModel

  init() throws { model = try MessageModel.shipped() }

  private func tokens(_ text: String) -> [String] {
    var tokenizer = Tokenizer()
    tokenizer.read(text)
    return tokenizer.tokens.map { tokenizer.text(of: $0) }
  }

  @Test("A text splits into words, numbers, addresses and marks, folded to lower case")
  func tokenizing() {
    #expect(tokens("Don’t PAY 1,200.50 now!!!") == ["don't", "pay", "1,200.50", "now", "!!!"])
    #expect(
      tokens("see https://x.example/a?b and www.y.example") == ["see", "https://x.example/a?b", "and", "www.y.example"])
    #expect(tokens("mail ann@b.example, please") == ["mail", "ann@b.example,", "please"])
    #expect(tokens("Übung 日本 😍😍") == ["übung", "日本", "😍😍"])
    #expect(tokens("  \n ").isEmpty)
  }

  @Test(
    "Any text has features of length 1, each bucket once",
    arguments: [
      "a", "!!!", "http://x", String(repeating: "word ", count: 10_000), "\u{0}\u{FFFD}", "e\u{301}e\u{301}", "🏳️‍🌈",
    ])
  func anyText(_ text: String) {
    var extractor = FeatureExtractor()
    let features = extractor.features(of: text)
    #expect(Set(features.entries.map(\.bucket)).count == features.entries.count)
    let length = features.entries.reduce(0) { $0 + $1.value * $1.value }
    #expect(abs(length - 1) < 0.001)
    #expect(model.classify(features).confidence > 0)
  }

  @Test(
    "A text of a technical chat has technical signs",
    arguments: [
      ("edit /etc/fstab and run ls -la", 2), ("dana: which one?", 1), ("see ~/notes or ./run", 2),
      ("the file xorg.conf, please", 1),
      ("dana: https://wiki.x.example/boot", 2), ("http://paste.example/77 has it", 1),
      ("ping 192.168.0.1 from eth0", 1), ("kernel 2.6.15-25 with usb2go", 2), ("!ask dana_7", 2), ("a | b && c $ d", 3),
    ])
  func technical(_ text: String, _ count: Int) {
    var tokenizer = Tokenizer()
    tokenizer.read(text)
    #expect(tokenizer.technicalSigns == count)
  }

  @Test(
    "A text without technical chat has no technical signs",
    arguments: [
      "Am 12.5.2026 um 18.30, oder?", "and/or 7pm - 9pm", "https://a_b.example/c.txt", "it costs $1,200.50!",
      "wow :) <3", "50-60 €",
      "Hi Dana, at 7:", "no.1 fan!",
    ])
  func notTechnical(_ text: String) {
    var tokenizer = Tokenizer()
    tokenizer.read(text)
    #expect(tokenizer.technicalSigns == 0)
  }

  @Test("A text begins with a capital letter if its first letter is one, in any alphabet that has them")
  func beginnings() {
    func begins(_ text: String) -> Bool {
      var tokenizer = Tokenizer()
      tokenizer.read(text)
      return tokenizer.beginsWithCapital
    }
    #expect(
      begins("Hello") && begins("“Élan”") && begins("12 Äpfel") && !begins("hello World") && !begins("éclair Z")
        && !begins("!?"))
  }

  @Test("The empty text has a classification")
  func emptyText() {
    var extractor = FeatureExtractor()
    #expect(model.classify(extractor.features(of: "")).kind != .spam)
  }

  @Test("Features of one text do not depend on the text before it")
  func scratch() {
    var used = FeatureExtractor()
    _ = used.features(of: "something else altogether, with 12 numbers!")
    var fresh = FeatureExtractor()
    let (a, b) = (used.features(of: "hello there"), fresh.features(of: "hello there"))
    #expect(a.entries.map(\.bucket) == b.entries.map(\.bucket))
  }

  @Test("Exponential and logarithm are those of the C library to six digits")
  func functions() {
    for x in stride(from: Float(-20), through: 20, by: 0.37) {
      let value = exponential(x)
      #expect(abs(logarithm(value) - x) < 0.001)
    }
    #expect(abs(exponential(1) - 2.718_281_8) < 1e-6)
    #expect(exponential(-1_000) == 0)
    #expect(exponential(1_000).isFinite)
  }

  @Test("The minimizer finds the minimum of a function whose directions differ in curvature")
  func minimum() {
    var point = [Double](repeating: 0, count: 20)
    Minimizer().minimize(&point) { point, gradient in
      var value = 0.0
      for index in point.indices {
        let (curvature, distance) = (Double(index * index + 1), point[index] - Double(index))
        value += curvature * distance * distance
        gradient[index] = 2 * curvature * distance
      }
      return value
    }
    for index in point.indices { #expect(abs(point[index] - Double(index)) < 0.01) }
  }

  @Test("The probabilities of the kinds add up to 1, with and without a personal layer")
  func probabilities() {
    var extractor = FeatureExtractor()
    let layer = PersonalLayer([.init(text: "weekly report", kind: .urgent)], model: model)
    for text in ["weekly report", "win a prize now", "hello"] {
      let features = extractor.features(of: text)
      let kinds = model.scores(features).kinds
      #expect(abs(kinds.reduce(0, +) - 1) < 0.001)
      #expect(abs(layer.adjusted(kinds, features, model).reduce(0, +) - 1) < 0.001)
    }
  }

  @Test("One correction turns its message and one like it, and leaves a message of other words alone")
  func correction() {
    var extractor = FeatureExtractor()
    func kind(_ text: String, _ layer: PersonalLayer?) -> Kind {
      model.classify(extractor.features(of: text), layer: layer).kind
    }
    let text = "The greenhouse thermostat reads 4 degrees"
    let like = "greenhouse thermostat reads 3 degrees again"
    let other = "We'd like to sponsor two videos, budget 4,500 EUR. Could you quote?"
    for wanted in Kind.allCases {
      let layer = PersonalLayer([.init(text: text, kind: wanted)], model: model)
      #expect(kind(text, layer) == wanted)
      #expect(kind(like, layer) == wanted)
      #expect(kind(other, layer) == .business)
    }
    #expect(PersonalLayer([], model: model).isEmpty)
  }

  @Test("The reasons are words of the message, the decisive one first, and a corrected word becomes a reason")
  func reasons() {
    var extractor = FeatureExtractor()
    let urgent = model.explain("please call the ambulance now", as: .urgent, &extractor)
    #expect(["ambulance", "now", "call"].contains(urgent.reasons.first?.what))
    #expect(urgent.sentence.hasPrefix("because of “"))
    let layer = PersonalLayer([.init(text: "zorblatt arrived", kind: .business)], model: model)
    let taught = model.explain("zorblatt", as: .business, layer: layer, &extractor)
    #expect(taught.reasons.first?.what == "zorblatt")
  }

  @Test("A question is found by other words around it and by a slip of the pen; another question is not it")
  func questions() {
    let matcher = QuestionMatcher(
      [
        .init(id: "camera", wordings: "Which camera do you use?\nWhat do you film with?"),
        .init(id: "shipping", wordings: "Do you ship to other countries?"),
      ], model: model)
    var extractor = FeatureExtractor()
    #expect(matcher.match("Love the show! Which camera do you use for it?", &extractor)?.id == "camera")
    #expect(matcher.match("what do you flim with", &extractor)?.id == "camera")
    #expect(matcher.match("do you ship to other country", &extractor)?.id == "shipping")
    #expect(matcher.match("See you at six then", &extractor) == nil)
    #expect(QuestionMatcher([], model: model).best("Which camera?", &extractor) == nil)
  }

  @Test(
    "A frequent question is found in another language than its wording; a question that is not frequent is found by its words"
  )
  func intents() {
    let matcher = QuestionMatcher(
      [
        .init(id: "delivery", wordings: "Do you ship internationally?"),
        .init(id: "gear", wordings: "Which camera do you use?"),
        .init(id: "wifi", wordings: "What is the password of the guest network?"),
      ], model: model)
    var extractor = FeatureExtractor()
    #expect(matcher.match("Verschickt ihr auch nach Dänemark?", &extractor)?.id == "delivery")
    #expect(matcher.match("¿con qué cámara grabas esto?", &extractor)?.id == "gear")
    #expect(matcher.match("what is the password of your guest network", &extractor)?.id == "wifi")
    #expect(matcher.match("Kommst du morgen zum Essen?", &extractor) == nil)
  }
}
