import Foundation
import Synchronization

/// The changes of one transaction as the store keeps them: JSON in blocks of a bounded size, so that the usual save
/// writes one row and a large one never makes a value that does not fit in memory.
///
/// A block is an array of ``Entry``. The number of a change is that of its transaction in the upper half and its place
/// there in the lower half; a block has the number of its first change.
struct HistoryBlocks {
  /// Changes of one kind to objects of one class.
  private struct Entry: Decodable {
    let kind: Int64
    let entity: String
    /// The properties that changed.
    let properties: [String]?
    /// What is kept of a deleted object.
    let tombstone: [String: SQLValue]?
    /// First key and count of each run, in turn.
    let keys: [Int64]

    enum CodingKeys: String, CodingKey {
      case kind, properties, tombstone, keys
      case entity = "class"
    }
  }

  /// What the entries of many saves have in common.
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

  /// Where a block ends that another follows, in bytes.
  private static let size = 64 * 1024

  /// The finished blocks, each with the number that its first change has in the transaction.
  private(set) var blocks: [(place: Int64, json: String)] = []
  private var text = "["
  private var place: Int64 = 0
  private var next: Int64 = 0
  /// The entry that takes in more runs.
  private var open: Head?

  init(_ runs: some Sequence<HistoryRecorder.Run>) throws {
    for run in runs { try add(run) }
    closeBlock()
  }

  private mutating func add(_ run: HistoryRecorder.Run) throws {
    if text.utf8.count >= Self.size { closeBlock() }
    let head = Head(run)
    if open == head, run.tombstone == nil {
      text += ",\(run.first),\(run.count)"
    } else {
      closeEntry()
      if text.utf8.count > 1 { text += "," }
      text += try Self.json(head)
      if let tombstone = run.tombstone { text += ",\"tombstone\":" + tombstone }
      text += ",\"keys\":[\(run.first),\(run.count)"
      open = head
      if run.tombstone != nil { closeEntry() }
    }
    next += run.count
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

  /// The beginning of an entry, up to its last member. The same few come with every save, and an encoder costs as much
  /// as a statement.
  private static func json(_ head: Head) throws -> String {
    if let known = heads.withLock({ $0[head] }) { return known }
    let text = String(decoding: try JSONCoding.encode(head).dropLast(), as: UTF8.self)
    heads.withLock { cache in
      if cache.count >= 1000 { cache = [:] }
      cache[head] = text
    }
    return text
  }
  private static let heads = Mutex<[Head: String]>([:])

  // MARK: - Reading

  /// A run of changes as a block has it.
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
  /// - Parameter number: of its first change.
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

  /// Whether so many numbers can follow each other: in a damaged file there may be any.
  private static func isRun(_ first: Int64, _ count: Int64) -> Bool {
    (1...Int64(UInt32.max)).contains(count) && first >= 0 && first < Int64.max - count
  }

  private static func damaged(_ number: Int64, _ error: (any Error)?) -> SwiftDataError {
    SwiftDataError(
      .storeDamaged,
      message: "the history's transaction \(number >> 32) cannot be read; the objects are not concerned. Delete the"
        + " history with deleteHistory(_:), and let who follows it read the models anew", underlying: error)
  }
}
