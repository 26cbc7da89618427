import Foundation
import Sorted
import Synchronization

/// How large a picture is shown: in its ratio, within a square. The page keeps its place from the start, so nothing moves when it comes.
struct PictureSize: Sendable {
  let width: Int
  let height: Int

  /// In points.
  static let maximum = 420
  /// A narrow picture keeps room for a finger.
  private static let minimum = 48
  /// The beginning of a file that is read for its size. A profile of colours comes before the size of a JPEG.
  private static let head = 1 << 18

  /// - Parameter size: the picture's own size.
  init?(of size: (width: Int, height: Int)) {
    guard size.width > 0, size.height > 0 else { return nil }
    let scale = min(1, Double(Self.maximum) / Double(max(size.width, size.height)))
    width = max(Self.minimum, Int(Double(size.width) * scale))
    height = max(Self.minimum, Int(Double(size.height) * scale))
  }

  private static let known = Mutex<[String: PictureSize?]>([:])

  /// The size of a picture that was attached; nil if its file does not say it.
  /// - Complexity: reads the beginning of a file once for as long as the server runs.
  static func of(_ attachment: AttachmentEntity, in files: FileCabinet?) -> PictureSize? {
    guard attachment.type == .image, let files else { return nil }
    let id = attachment.id
    if let size = known.withLock({ $0[id] }) { return size }
    let head = attachment.contents?.prefix(Self.head) ?? files.head(of: attachment, Self.head)
    let kind = head.flatMap { try? FileKind(Data($0), name: attachment.fileName) }
    let size = kind.flatMap { PictureSize(of: CleanPicture(Data(head ?? Data()), $0).size) }
    known.withLock { known in
      if known.count > 20_000 { known = [:] }
      known[id] = .some(size)
    }
    return size
  }
}
