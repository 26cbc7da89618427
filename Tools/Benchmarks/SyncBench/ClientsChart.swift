import Foundation

/// How the cost of a change grows: for each series two charts with logarithmic axes. A flat line does not grow.
struct ClientsChart {
  struct Series {
    let name: String
    let points: [(Double, LoadResult)]
  }

  let series: [Series]
  private let width = 220.0
  private let height = 130.0
  private let margin = 40.0

  var svg: String {
    let measures: [(String, (LoadResult) -> Double)] = [
      ("server: processor ms for a change", \.processorPerChange),
      ("99 % of deliveries within ms", { $0.percentile(0.99) }),
    ]
    var charts: [String] = []
    for (row, measure) in measures.enumerated() {
      for (column, line) in series.enumerated() {
        let (x, y) = (margin + Double(column) * (width + margin), 40 + Double(row) * (height + 64))
        charts.append(
          "<g transform=\"translate(\(number(x)) \(number(y)))\">\(chart(line, measure.0, measure.1))</g>")
      }
    }
    let (totalWidth, totalHeight) = ((width + margin) * Double(series.count) + margin, (height + 64) * 2 + 20)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(totalWidth)) \(number(totalHeight))" \
      font-family="sans-serif" font-size="10">
      <title>The cost of a change by clients, zones and the length of the log</title>
      <rect width="100%" height="100%" fill="#fff"/>
      \(charts.joined(separator: "\n"))
      </svg>

      """
  }

  /// The vertical axis covers a factor of a hundred, with the costs in the middle.
  private func chart(_ series: Series, _ measure: String, _ value: (LoadResult) -> Double) -> String {
    let values = series.points.map { ($0.0, value($0.1)) }
    guard let first = values.first?.0, let last = values.last?.0, let least = values.map(\.1).min(), least > 0,
      let most = values.map(\.1).max()
    else { return "" }
    let middle = (log10(least) + log10(most)) / 2
    let places = values.map { place, value in
      (
        x: (log10(place) - log10(first)) / max(log10(last) - log10(first), 0.1) * width,
        y: height / 2 - (log10(value) - middle) / max(2, log10(most / least)) * height, place: place, value: value
      )
    }
    let line = places.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    let marks = places.map { place in
      "<circle cx=\"\(number(place.x))\" cy=\"\(number(place.y))\" r=\"3\" fill=\"#0a58ca\"/>"
        + "<text x=\"\(number(place.x))\" y=\"\(number(place.y - 8))\" text-anchor=\"middle\">\(number(place.value))</text>"
        + "<text x=\"\(number(place.x))\" y=\"\(number(height + 14))\" text-anchor=\"middle\" fill=\"#555\">"
        + "\(Int(place.place))</text>"
    }
    return """
      <text y="-16" font-weight="bold">\(series.name)</text><text y="-4" fill="#555">\(measure)</text>\
      <rect width="\(number(width))" height="\(number(height))" fill="#f6f8fa"/>\
      <polyline points="\(line)" fill="none" stroke="#0a58ca" stroke-width="2"/>\(marks.joined())
      """
  }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
