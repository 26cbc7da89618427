import Foundation
import Synchronization

/// Finds where in a value's JSON a key path's value stands, by comparing samples.
///
/// Names would not do: a type may rename its coding keys, compute properties, or write what it likes.
enum JSONPaths {
  /// The path (`$."address"."city"`), or nil where the JSON does not hold the value as it is.
  /// - Complexity: O(1) after the first call for a key path.
  static func path<Root, Value>(of keyPath: KeyPath<Root, Value>) -> String? {
    let bare = ScalarType.bare(Root.self)
    let key = Key(keyPath: keyPath)
    if let known = cache.withLock({ $0[key] }) { return known }
    let samples = (0..<SampleValues.rounds).map { round -> Sample? in
      guard let sample = SampleValues(index: 1, round: round).value(of: bare), let root = sample as? Root,
        let json = text(root)
      else { return nil }
      let value = root[keyPath: keyPath]
      return text(value).map { Sample(json: json, value: $0) }
    }
    let path = find(samples)
    cache.withLock { $0[key] = .some(path) }
    return path
  }

  /// A value's JSON, and the JSON of what a key path finds in the value.
  struct Sample {
    let json: String
    let value: String
  }

  /// The only path that leads to each sample's value; nil where there is none or a sample is missing.
  static func find(_ samples: [Sample?]) -> String? {
    var candidates: Set<String>?
    for sample in samples {
      guard let sample else { return nil }
      let matching = paths(in: sample.json, to: sample.value, prefix: "$")
      candidates = candidates?.intersection(matching) ?? matching
    }
    return candidates?.count == 1 ? candidates!.first : nil
  }

  /// The JSON of a value; nil where it has none.
  static func text(_ value: Any) -> String? {
    guard let value = ScalarType.unwrapped(value) as? any Encodable, let data = try? JSONCoding.encode(value) else {
      return nil
    }
    return String(decoding: data, as: UTF8.self)
  }

  private static func paths(in json: String, to value: String, prefix: String) -> Set<String> {
    var result = Set<String>()
    for (key, member) in JSONText.members(json) where !key.contains("\"") && !key.contains("\\") {
      let path = "\(prefix).\"\(key)\""
      if member == value { result.insert(path) }
      result.formUnion(paths(in: member, to: value, prefix: path))
    }
    return result
  }

  // @unchecked Sendable because key paths are immutable.
  private struct Key: Hashable, @unchecked Sendable { let keyPath: AnyKeyPath }
  private static let cache = Mutex<[Key: String?]>([:])
}
