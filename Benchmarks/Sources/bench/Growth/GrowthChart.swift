import Foundation

/// A small chart per measure with logarithmic axes. A flat line does not grow with the store.
struct GrowthChart {
  let points: [GrowthPoint]
  private let width = 220.0
  private let height = 130.0
  private let margin = 34.0

  var svg: String {
    let columns = 3
    let rows = (GrowthCommand.measures.count + columns - 1) / columns
    let (totalWidth, totalHeight) = ((width + margin) * Double(columns) + margin, (height + 60) * Double(rows) + 20)
    let charts = GrowthCommand.measures.enumerated().map { index, measure in
      let (x, y) = (margin + Double(index % columns) * (width + margin), 34 + Double(index / columns) * (height + 60))
      return "<g transform=\"translate(\(number(x)) \(number(y)))\">\(chart(measure.0, measure.1))</g>"
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(totalWidth)) \(number(totalHeight))" \
      font-family="sans-serif" font-size="10">
      <title>Costs by the number of rows in the store</title>
      <rect width="100%" height="100%" fill="#fff"/>
      \(charts.joined(separator: "\n"))
      </svg>

      """
  }

  /// The vertical axis covers a factor of a hundred, with the costs in the middle.
  private func chart(_ name: String, _ unit: String) -> String {
    // A measure that is not taken of the largest stores has fewer points.
    let measured = points.compactMap { point in point.costs[name].map { (point: point, value: $0) } }
    let values = measured.map(\.value)
    guard let first = points.first, let last = points.last, let least = values.min(), let most = values.max(), least > 0
    else { return "" }
    let middle = (log10(least) + log10(most)) / 2
    let span = max(log10(Double(last.rows)) - log10(Double(first.rows)), 1)
    let places = measured.map { point, value in
      let x = (log10(Double(point.rows)) - log10(Double(first.rows))) / span * width
      let y = height / 2 - (log10(value) - middle) / max(2, log10(most / least)) * height
      return (x: x, y: y, point: point, value: value)
    }
    let line = places.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    let marks = places.map { place in
      "<circle cx=\"\(number(place.x))\" cy=\"\(number(place.y))\" r=\"3\" fill=\"#0a58ca\"/>"
        + "<text x=\"\(number(place.x))\" y=\"\(number(place.y - 8))\" text-anchor=\"middle\">\(short(place.value))</text>"
        + "<text x=\"\(number(place.x))\" y=\"\(number(height + 14))\" text-anchor=\"middle\" fill=\"#555\">"
        + "\(short(Double(place.point.rows)))</text>"
    }
    return """
      <text y="-16" font-weight="bold">\(name)</text><text y="-4" fill="#555">\(unit)</text>\
      <rect width="\(number(width))" height="\(number(height))" fill="#f6f8fa"/>\
      <polyline points="\(line)" fill="none" stroke="#0a58ca" stroke-width="2"/>\(marks.joined())
      """
  }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private func short(_ value: Double) -> String {
    switch value {
    case 1_000_000...: String(format: "%.0fM", value / 1_000_000)
    case 10_000...: String(format: "%.0fk", value / 1000)
    case 100...: String(format: "%.0f", value)
    default: String(format: value < 10 ? "%.1f" : "%.0f", value)
    }
  }
}
