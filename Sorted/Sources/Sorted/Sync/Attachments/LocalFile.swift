import Crypto
import Foundation
import UntrustedInput

/// The local file of an attachment.
struct LocalFile {
  let url: URL
  /// The size in bytes.
  let size: Int64

  /// - Parameter location: a path or a file URL.
  /// - Throws: ``AttachmentUploadError`` if the file cannot be read.
  init(_ location: String?) throws {
    guard let location, !location.isEmpty else {
      throw AttachmentUploadError.unreadable("", "the attachment has no localURL")
    }
    url = URL(string: location).flatMap { $0.isFileURL ? $0 : nil } ?? URL(fileURLWithPath: location)
    do {
      let values = try url.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
      guard values.isRegularFile == true, let size = values.fileSize else {
        throw AttachmentUploadError.unreadable(url.path, "it is not a file")
      }
      self.size = Int64(size)
    } catch let error as AttachmentUploadError {
      throw error
    } catch {
      throw AttachmentUploadError.unreadable(url.path, error.localizedDescription)
    }
  }

  /// The MD5 of the file in base64, as Google has it.
  /// - Complexity: reads the file in pieces of 1 MiB.
  func checksum() throws -> String {
    try reading { file in
      var hash = Insecure.MD5()
      while let bytes = try file.read(upToCount: 1 << 20), !bytes.isEmpty { hash.update(data: bytes) }
      return Data(hash.finalize()).base64EncodedString()
    }
  }

  /// Reads bytes. Returns fewer only at the end of the file.
  /// - Throws: ``AttachmentUploadError`` for an offset that is not in the file, which a remote may have sent.
  func bytes(from offset: Int64, count: Int) throws -> Data {
    guard let start = Untrusted(offset).value(in: 0...size) else {
      throw AttachmentUploadError.unreadable(url.path, "the remote asks for the bytes after \(offset) of \(size)")
    }
    return try reading { file in
      try file.seek(toOffset: UInt64(start))
      return try file.read(upToCount: count) ?? Data()
    }
  }

  private func reading<Result>(_ body: (FileHandle) throws -> Result) throws -> Result {
    do {
      let file = try FileHandle(forReadingFrom: url)
      defer { try? file.close() }
      return try body(file)
    } catch {
      throw AttachmentUploadError.unreadable(url.path, error.localizedDescription)
    }
  }
}
