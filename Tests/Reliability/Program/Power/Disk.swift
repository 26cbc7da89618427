import Foundation

/// A disk that a recorded program writes to, and that keeps only what it was told to sync when the power is cut.
///
/// Of writes that were not synced any may be there, whole or in part, in any order. Names in a folder that was not
/// synced change in order, as in the journal of a file system, up to any point.
struct Disk {
  /// A record of the log.
  struct Record {
    let kind: Character
    let handle: UInt32
    let number: Int64
    let bytes: Data
    var path: String { String(decoding: bytes, as: UTF8.self) }
  }

  private enum Write {
    case bytes(Int, Data)
    case size(Int)
  }
  private struct File {
    var synced = Data()
    var pending: [Write] = []
  }
  private enum Naming {
    case link(String, file: Int)
    case unlink(String)
    case rename(String, String)
    case folder(String)
  }
  private enum Handle {
    case file(Int)
    case folder(String)
  }

  private var files: [File] = []
  private var names: [String: Int] = [:]
  private var handles: [UInt32: Handle] = [:]
  private var syncedNames: [String: Int] = [:]
  private var syncedFolders: Set<String>
  private var pendingNames: [String: [Naming]] = [:]
  private let root: String

  init(root: String) {
    self.root = root
    syncedFolders = [root]
  }

  static func records(_ log: Data) -> [Record] {
    var result = [Record]()
    var offset = log.startIndex
    func integer<I: FixedWidthInteger>(_ type: I.Type) -> I {
      defer { offset += MemoryLayout<I>.size }
      return log[offset...].prefix(MemoryLayout<I>.size).reversed().reduce(0) { $0 << 8 | I(truncatingIfNeeded: $1) }
    }
    while offset < log.endIndex {
      let kind = Character(UnicodeScalar(integer(UInt8.self)))
      let (handle, number, count) = (integer(UInt32.self), integer(Int64.self), Int(integer(UInt32.self)))
      result.append(Record(kind: kind, handle: handle, number: number, bytes: log[offset..<(offset + count)]))
      offset += count
    }
    return result
  }

  // MARK: - What the program does

  mutating func take(_ record: Record) {
    switch record.kind {
    case "o": open(record)
    case "w": write(.bytes(Int(record.number), Data(record.bytes)), record.handle)
    case "t": write(.size(Int(record.number)), record.handle)
    case "s": sync(record.handle)
    case "u":
      names[record.path] = nil
      note(.unlink(record.path), in: record.path)
    case "r":
      let parts = record.path.split(separator: "\0").map(String.init)
      names[parts[1]] = names.removeValue(forKey: parts[0])
      note(.rename(parts[0], parts[1]), in: parts[1])
    case "m": note(.folder(record.path), in: record.path)
    default: break
    }
  }

  private mutating func open(_ record: Record) {
    if record.number == 1 {
      files.append(File())
      names[record.path] = files.count - 1
      note(.link(record.path, file: files.count - 1), in: record.path)
    }
    handles[record.handle] = names[record.path].map { .file($0) } ?? .folder(record.path)
  }

  private mutating func write(_ write: Write, _ handle: UInt32) {
    if case .file(let file) = handles[handle] { files[file].pending.append(write) }
  }

  private mutating func sync(_ handle: UInt32) {
    switch handles[handle] {
    case .file(let file):
      for write in files[file].pending { Self.apply(write, &files[file].synced) }
      files[file].pending = []
    case .folder(let folder):
      let path = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
      for naming in pendingNames.removeValue(forKey: path) ?? [] { Self.apply(naming, &syncedNames, &syncedFolders) }
    case nil: break
    }
  }

  private mutating func note(_ naming: Naming, in path: String) {
    pendingNames[(path as NSString).deletingLastPathComponent, default: []].append(naming)
  }

  private static func apply(_ write: Write, _ content: inout Data) {
    switch write {
    case .size(let size):
      if size < content.count { content.removeSubrange(size...) } else { content.grow(to: size) }
    case .bytes(let offset, let bytes):
      content.grow(to: offset + bytes.count)
      content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
  }

  private static func apply(_ naming: Naming, _ names: inout [String: Int], _ folders: inout Set<String>) {
    switch naming {
    case .link(let path, let file): names[path] = file
    case .unlink(let path): names[path] = nil
    case .rename(let old, let new): names[new] = names.removeValue(forKey: old)
    case .folder(let path): folders.insert(path)
    }
  }

  // MARK: - The power cut

  /// How much of what was not synced is there.
  enum Luck: CaseIterable { case nothing, everything, blocks, sectors }

  /// Writes what is there after the power was cut now.
  func cut(_ luck: Luck, _ random: inout Random, into folder: URL) throws {
    var (names, folders) = (syncedNames, syncedFolders)
    for (_, pending) in pendingNames.sorted(by: { $0.key < $1.key }) {
      let count = luck == .nothing ? 0 : luck == .everything ? pending.count : random.below(pending.count + 1)
      for naming in pending.prefix(count) { Self.apply(naming, &names, &folders) }
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (path, file) in names.sorted(by: { $0.key < $1.key }) {
      guard folders.contains((path as NSString).deletingLastPathComponent) else { continue }
      let place = folder.appendingPathComponent(String(path.dropFirst(root.count)))
      try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try content(files[file], luck, &random).write(to: place)
    }
  }

  private func content(_ file: File, _ luck: Luck, _ random: inout Random) -> Data {
    var content = file.synced
    if luck == .nothing { return content }
    for write in file.pending {
      guard luck != .everything else {
        Self.apply(write, &content)
        continue
      }
      guard case .bytes(let offset, let bytes) = write else {
        if random.chance(1, in: 2) { Self.apply(write, &content) }
        continue
      }
      let size = luck == .blocks ? 4096 : 512
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, (offset + start) / size * size + size - offset)
        if random.chance(2, in: 3) {
          Self.apply(.bytes(offset + start, bytes.subdata(in: start..<end)), &content)
        }
        start = end
      }
    }
    return content
  }
}

extension Data {
  fileprivate mutating func grow(to size: Int) {
    if count < size { append(Data(count: size - count)) }
  }
}
