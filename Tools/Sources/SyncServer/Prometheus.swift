import CoreMetrics
import Foundation
import Synchronization

/// A metrics backend for swift-metrics that exports its values in Prometheus' text format.
final class Prometheus: MetricsFactory, Sendable {
  private struct Key: Hashable, Comparable {
    let name: String
    let labels: String
    static func < (left: Key, right: Key) -> Bool { (left.name, left.labels) < (right.name, right.labels) }
  }

  private let values = Mutex<[Key: (kind: String, value: Double)]>([:])

  init() {}

  /// All metrics in Prometheus' text format, sorted by name.
  var text: String {
    let all = values.withLock { $0 }.sorted { $0.key < $1.key }
    var lines: [String] = []
    var last = ""
    for (key, entry) in all {
      if key.name != last { lines.append("# TYPE \(key.name) \(entry.kind)") }
      last = key.name
      lines.append("\(key.name)\(key.labels) \(entry.value)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func change(_ key: Key, _ kind: String, _ body: (inout Double) -> Void) {
    values.withLock { body(&$0[key, default: (kind, 0)].value) }
  }

  private static func key(_ label: String, _ dimensions: [(String, String)], suffix: String = "") -> Key {
    let name = label.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() + suffix
    let labels = dimensions.map { name, value in
      "\(name)=\"\(escaped(value))\""
    }
    return Key(name: name, labels: labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
  }

  private static func escaped(_ value: String) -> String {
    value.replacingOccurrences(of: "\\", with: "\\\\", options: .literal)
      .replacingOccurrences(of: "\"", with: "\\\"", options: .literal)
      .replacingOccurrences(of: "\n", with: "\\n", options: .literal)
  }

  private final class Handler: CounterHandler, RecorderHandler, TimerHandler, FloatingPointCounterHandler {
    private let owner: Prometheus
    private let key: Key
    private let count: Key
    private let kind: String

    init(_ owner: Prometheus, _ label: String, _ dimensions: [(String, String)], _ kind: String) {
      (self.owner, self.kind) = (owner, kind)
      key = Prometheus.key(label, dimensions, suffix: kind == "counter" ? "_total" : kind == "summary" ? "_sum" : "")
      count = Prometheus.key(label, dimensions, suffix: "_count")
    }

    func increment(by amount: Int64) { owner.change(key, kind) { $0 += Double(amount) } }
    func increment(by amount: Double) { owner.change(key, kind) { $0 += amount } }
    func reset() { owner.change(key, kind) { $0 = 0 } }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { owner.change(key, kind) { $0 = value } }
    func recordNanoseconds(_ duration: Int64) {
      owner.change(key, "counter") { $0 += Double(duration) / 1e9 }
      owner.change(count, "counter") { $0 += 1 }
    }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    Handler(self, label, dimensions, "counter")
  }
  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    Handler(self, label, dimensions, "gauge")
  }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    Handler(self, label, dimensions, "summary")
  }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
