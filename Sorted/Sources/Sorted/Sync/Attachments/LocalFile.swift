import Crypto
import Foundation

/// The file of an attachment on this machine.
struct LocalFile {
  let url: URL
  /// In bytes.
  let size: Int64

  /// - Parameter location: a path, or a URL of a file.
  /// - Throws: ``AttachmentUploadError`` where there is no file to read.
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

  /// The MD5 of all bytes, in base64, as Google has it.
  /// - Complexity: reads the file, a MiB at a time.
  func checksum() throws -> String {
    try reading { file in
      var hash = Insecure.MD5()
      while let bytes = try file.read(upToCount: 1 << 20), !bytes.isEmpty { hash.update(data: bytes) }
      return Data(hash.finalize()).base64EncodedString()
    }
  }

  /// Fewer bytes than asked for only where the file ends.
  func bytes(from offset: Int64, count: Int) throws -> Data {
    try reading { file in
      try file.seek(toOffset: UInt64(offset))
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
