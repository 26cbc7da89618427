import Foundation
import Synchronization

/// Finds the JSON path of a key path's value by comparing samples.
///
/// Names are not reliable: a type may rename its coding keys, compute properties, or encode anything.
enum JSONPaths {
  /// The path (`$."address"."city"`), or nil if the JSON does not contain the value unchanged.
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

  /// The JSON of a value, and the JSON of the key path's value.
  struct Sample {
    let json: String
    let value: String
  }

  /// The only path that leads to the value in each sample. Nil if there is no such path or a sample is missing.
  static func find(_ samples: [Sample?]) -> String? {
    var candidates: Set<String>?
    for sample in samples {
      guard let sample else { return nil }
      let matching = paths(in: sample.json, to: sample.value, prefix: "$")
      candidates = candidates?.intersection(matching) ?? matching
    }
    return candidates?.count == 1 ? candidates!.first : nil
  }

  /// The JSON of a value, or nil if it has none.
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
