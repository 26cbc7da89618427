import Foundation

/// The changes of a transaction as JSON in blocks of bounded size. A usual save writes one row, and a large save never
/// creates a value that does not fit in memory.
///
/// A block is an array of ``Entry``. The upper half of a change's number is its transaction's number, the lower half
/// its position. A block has the number of its first change.
package struct HistoryBlocks {
  /// Changes of one kind to one class.
  private struct Entry: Decodable {
    let kind: Int64
    let entity: String
    /// The changed properties.
    let properties: [String]?
    /// The preserved values of a deleted object.
    let tombstone: [String: SQLValue]?
    /// The first key and the count of each run, alternating.
    let keys: [Int64]

    enum CodingKeys: String, CodingKey {
      case kind, properties, tombstone, keys
      case entity = "class"
    }
  }

  /// The common part of entries, which repeats in many saves.
  private struct Head: Hashable, Encodable {
    let kind: HistoryRecorder.Kind
    let entity: String
    let properties: [String]?

    init(_ run: HistoryRecorder.Run) {
      (kind, entity, properties) = (run.kind, run.entity, run.properties)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Entry.CodingKeys.self)
      try container.encode(kind.rawValue, forKey: .kind)
      try container.encode(entity, forKey: .entity)
      try container.encodeIfPresent(properties, forKey: .properties)
    }
  }

  /// The maximum size of a block in bytes, except for the last.
  private static let size = 64 * 1024

  /// The finished blocks, each with the position of its first change in the transaction.
  private(set) var blocks: [(place: Int64, json: String)] = []
  private var text = "["
  private var place: Int64 = 0
  private var next: Int64 = 0
  /// The entry that still accepts runs.
  private var open: Head?

  init(_ runs: some Sequence<HistoryRecorder.Run>) throws {
    for run in runs { try add(run) }
    closeBlock()
  }

  private mutating func add(_ run: HistoryRecorder.Run) throws {
    if text.utf8.count >= Self.size { closeBlock() }
    let head = Head(run)
    if open == head, run.tombstone == nil {
      text += ","
      append(run)
    } else {
      closeEntry()
      if text.utf8.count > 1 { text += "," }
      text += try Self.json(head)
      if let tombstone = run.tombstone { text += ",\"tombstone\":" + tombstone }
      text += ",\"keys\":["
      append(run)
      open = head
      if run.tombstone != nil { closeEntry() }
    }
    next += run.count
  }

  /// Appends the run's first key and count. An interpolation of both would be a string of its own.
  private mutating func append(_ run: HistoryRecorder.Run) {
    text += String(run.first)
    text += ","
    text += String(run.count)
  }

  private mutating func closeEntry() {
    if open != nil { text += "]}" }
    open = nil
  }

  private mutating func closeBlock() {
    closeEntry()
    guard text.utf8.count > 1 else { return }
    blocks.append((place, text + "]"))
    (text, place) = ("[", next)
  }

  /// The JSON of an entry up to its last member, cached because an encoder costs as much as a statement.
  private static func json(_ head: Head) throws -> String {
    if let known = heads.withLock({ $0[head] }) { return known }
    let text = String(decoding: try JSONCoding.encode(head).dropLast(), as: UTF8.self)
    heads.withLock { cache in
      if cache.count >= 1000 { cache = [:] }
      cache[head] = text
    }
    return text
  }
  private static let heads = Lock<[Head: String]>([:])

  // MARK: - Reading

  /// A run of changes in a block.
  struct StoredRun {
    /// The number of its first change.
    let number: Int64
    let kind: HistoryRecorder.Kind
    let entity: String
    let first: Int64
    let count: Int64
    let properties: [String]
    let tombstone: [String: SQLValue]

    var transaction: Int64 { number >> 32 }
    var keys: Range<Int64> { first..<first + count }
  }

  /// The runs of a block.
  /// - Parameter number: the number of the block's first change.
  /// - Throws: ``SwiftDataError/storeDamaged``.
  static func runs(_ json: String, number: Int64) throws -> [StoredRun] {
    let entries: [Entry]
    do { entries = try JSONCoding.decode([Entry].self, from: Data(json.utf8)) } catch {
      throw damaged(number, error)
    }
    var (runs, next) = ([StoredRun](), number)
    for entry in entries {
      guard let kind = HistoryRecorder.Kind(rawValue: entry.kind), entry.keys.count.isMultiple(of: 2) else {
        throw damaged(number, nil)
      }
      for index in stride(from: 0, to: entry.keys.count, by: 2) {
        let (first, count) = (entry.keys[index], entry.keys[index + 1])
        guard isRun(first, count), isRun(next, count) else { throw damaged(number, nil) }
        runs.append(
          StoredRun(
            number: next, kind: kind, entity: entry.entity, first: first, count: count,
            properties: entry.properties ?? [], tombstone: entry.tombstone ?? [:]))
        next += count
      }
    }
    return runs
  }

  /// Whether a run is valid. A damaged file may contain any numbers.
  package static func isRun(_ first: Int64, _ count: Int64) -> Bool {
    (1...Int64(UInt32.max)).contains(count) && first >= 0 && first < Int64.max - count
  }

  package static func damaged(_ number: Int64, _ error: (any Error)?) -> SwiftDataError {
    SwiftDataError(
      .storeDamaged,
      message: "the history's transaction \(number >> 32) cannot be read; the objects are not affected. Delete the"
        + " history with deleteHistory(_:), and let its readers fetch all objects again", underlying: error)
  }
}
