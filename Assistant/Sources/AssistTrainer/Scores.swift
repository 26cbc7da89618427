import AssistModel

/// A confusion matrix.
struct Confusion: Codable {
  let labels: [String]
  /// The number of messages, by wanted label and then by predicted label.
  var counts: [[Int]]

  init(_ labels: [String]) {
    self.labels = labels
    counts = labels.map { _ in labels.map { _ in 0 } }
  }

  mutating func add(_ wanted: String, _ answer: String) {
    counts[labels.firstIndex(of: wanted)!][labels.firstIndex(of: answer)!] += 1
  }

  var total: Int { counts.reduce(0) { $0 + $1.reduce(0, +) } }
  var accuracy: Double { Double(labels.indices.reduce(0) { $0 + counts[$1][$1] }) / Double(max(1, total)) }

  /// Returns the F1 of one label: the harmonic mean of its precision and recall.
  func f1(_ label: String) -> Double {
    let index = labels.firstIndex(of: label)!
    let wanted = counts[index].reduce(0, +)
    let answered = counts.reduce(0) { $0 + $1[index] }
    return wanted + answered == 0 ? 1 : 2 * Double(counts[index][index]) / Double(wanted + answered)
  }

  /// The mean F1 of the labels that occur.
  var macroF1: Double {
    let present = labels.indices.filter { counts[$0].contains { $0 > 0 } }
    return present.reduce(0) { $0 + f1(labels[$1]) } / Double(max(1, present.count))
  }

  /// Returns Cohen's kappa, the agreement beyond chance.
  /// - Parameter isOrdered: whether a disagreement counts by the square of its distance (quadratic weights).
  func kappa(isOrdered: Bool = false) -> Double {
    let all = Double(max(1, total))
    let rows = counts.map { Double($0.reduce(0, +)) / all }
    let columns = labels.indices.map { index in Double(counts.reduce(0) { $0 + $1[index] }) / all }
    var (seen, chance) = (0.0, 0.0)
    for i in labels.indices {
      for j in labels.indices {
        let cost = isOrdered ? Double((i - j) * (i - j)) : i == j ? 0 : 1
        seen += cost * Double(counts[i][j]) / all
        chance += cost * rows[i] * columns[j]
      }
    }
    return chance == 0 ? 1 : 1 - seen / chance
  }

  /// The matrix as a table in Markdown, with a row for each wanted label and a column for each predicted label.
  var table: String {
    let head = "| wanted \\ answered | " + labels.joined(separator: " | ") + " | F1 |\n"
    let line = "| --- |" + labels.map { _ in " ---: |" }.joined() + " ---: |\n"
    let rows = labels.indices.map { row in
      "| \(labels[row]) | " + counts[row].map(String.init).joined(separator: " | ") + " | \(f1(labels[row]).short) |"
    }
    return head + line + rows.joined(separator: "\n") + "\n"
  }
}

extension Double {
  /// The number with three decimals, independent of the locale.
  var short: String {
    let thousandths = Int((self * 1_000).rounded())
    let digits = String(abs(thousandths) % 1_000)
    return (thousandths < 0 ? "-" : "") + "\(abs(thousandths) / 1_000)."
      + String(repeating: "0", count: 3 - digits.count) + digits
  }
}
