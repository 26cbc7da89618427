import Foundation
import Sorted
import SwiftData

/// The folder of the pictures that people show of themselves. No attachment is in it.
///
/// The name of a picture says whose it is, so a profile that a sync or another program wrote names no other person's picture
/// and no other file.
struct PictureCabinet: Sendable {
  /// As much as a picture may have before it is cropped.
  static let maximumBytes = 5 << 20
  static let path = "/pictures/"

  let folder: URL
  private let cropper = VipsThumbnails(side: 256, isSquare: true)

  /// - Throws: where the folder cannot be made.
  init(folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Crops a picture to a square, without the place and the time that a camera writes into it. Without libvips the style sheet crops
  /// it.
  /// - Throws: ``PageError`` for what is not a picture.
  func cropped(_ picture: Form.File) async throws -> Data {
    guard picture.bytes.count <= Self.maximumBytes else { throw PageError.tooLarge(Self.maximumBytes) }
    let noPicture = PageError.invalid("That file is not a picture.")
    let (bytes, kind) = try FileKind.contents(picture.bytes, name: picture.name)
    guard kind.type == .image else { throw noPicture }
    guard let cropper else { return bytes }
    let file = folder.appendingPathComponent("new-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try bytes.write(to: file)
    do { return try await cropper.thumbnail(of: file) } catch is VipsThumbnails.Failure { throw noPicture }
  }

  /// Keeps a picture of a person.
  /// - Returns: its address.
  func store(_ bytes: Data, of user: String) throws -> String {
    let name = Self.newName(of: user)
    try bytes.write(to: folder.appendingPathComponent(name), options: .atomic)
    return Self.path + name
  }

  /// A name that no picture of the person has.
  static func newName(of user: String) -> String { "\(owner(user)).\(UUID().uuidString)" }

  /// The picture that a person's profile names.
  /// - Returns: nil for an address that is not of a picture of this person.
  func bytes(_ address: String, of user: String) -> Data? {
    Self.name(address, of: user).flatMap { try? Data(contentsOf: folder.appendingPathComponent($0)) }
  }

  /// Deletes a person's picture, and nothing for an address that is not of a picture of this person.
  func discard(_ address: String?, of user: String) {
    guard let name = address.flatMap({ Self.name($0, of: user) }) else { return }
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
  }

  /// Whether an address is of a picture of a person.
  static func isPicture(_ address: String, of user: String) -> Bool { name(address, of: user) != nil }

  private static func name(_ address: String, of user: String) -> String? {
    let start = path + owner(user) + "."
    guard address.hasPrefix(start), UUID(uuidString: String(address.dropFirst(start.count))) != nil else { return nil }
    return String(address.dropFirst(path.count))
  }

  private static func owner(_ user: String) -> String { String(Secret.digest(user).prefix(22)) }
}

extension PictureCabinet {
  /// Copies the pictures here that an earlier version stored among the attachments. It leaves a file that is an attachment's or
  /// that two profiles name.
  /// - Returns: the files whose profiles name the copies from now on.
  func adopt(from files: FileCabinet, _ work: Work) throws -> [String] {
    let users = try work.inbox.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.photoURL != nil }))
    let old = Dictionary(grouping: users.filter { Self.oldID($0) != nil }) { Self.oldID($0) ?? "" }
    guard !old.isEmpty else { return [] }
    let copies = try work.own.fetch(FetchDescriptor<DeletedMessageEntity>())
    let deleted = copies.flatMap { (try? JSONDecoder().decode(MessageCopy.self, from: $0.contents))?.attachments ?? [] }
    let attached = try files.used(work.inbox).union(deleted.map(\.id))
    var adopted: [String] = []
    for (id, users) in old where users.count == 1 && !attached.contains(id) {
      let file = files.folder.appendingPathComponent(id)
      guard let bytes = try? Data(contentsOf: file), (try? FileKind(bytes, name: ""))?.type == .image else { continue }
      users[0].photoURL = try store(bytes, of: users[0].id)
      adopted.append(id)
    }
    return adopted
  }

  private static func oldID(_ user: UserEntity) -> String? {
    guard let address = user.photoURL, address.hasPrefix(path) else { return nil }
    let id = String(address.dropFirst(path.count))
    return UUID(uuidString: id) == nil ? nil : id
  }
}
