public import Foundation

/// Makes thumbnails with `vipsthumbnail` of libvips (Debian: `libvips-tools`).
///
/// It reads the formats that libvips considers safe (JPEG, PNG, WebP, GIF, …), applies the orientation, and shrinks
/// while decoding. It runs in a process of its own, so a malicious image cannot affect this one.
public struct VipsThumbnails: ThumbnailMaker {
  /// The reason why there is no thumbnail.
  public struct Failure: Error, CustomStringConvertible {
    /// The program's message.
    public let description: String
  }

  private let program: URL
  private let side: Int
  private let isSquare: Bool
  /// An image that takes longer was probably made to waste time.
  private static let maximumTime = Duration.seconds(30)

  /// Makes a thumbnail maker, or nil if the program is not installed.
  /// - Parameters:
  ///   - side: the maximum width and height in pixels. Smaller images keep their size.
  ///   - isSquare: whether the image is cropped to a square of that side, and a smaller one enlarged.
  ///   - path: the folders to search for the program, separated by colons.
  public init?(side: Int = 320, isSquare: Bool = false, path: String? = ProcessInfo.processInfo.environment["PATH"]) {
    let programs = (path ?? "").split(separator: ":").map { URL(fileURLWithPath: $0 + "/vipsthumbnail") }
    guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      return nil
    }
    self.program = program
    self.side = side
    self.isSquare = isSquare
  }

  /// Makes a JPEG thumbnail without metadata.
  /// - Throws: ``Failure`` if the file is not an image, `CancellationError`.
  public func thumbnail(of image: URL) async throws -> Data {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("thumbnail-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // A name of our own, because brackets at the end of a name are options.
    let source = folder.appendingPathComponent("image")
    try FileManager.default.createSymbolicLink(at: source, withDestinationURL: image.standardizedFileURL)
    let result = folder.appendingPathComponent("thumbnail.jpg")
    let errors = folder.appendingPathComponent("errors")
    try Data().write(to: errors)
    let process = Process()
    process.executableURL = program
    let size = isSquare ? ["--size", "\(side)x\(side)", "--smartcrop", "centre"] : ["--size", "\(side)x\(side)>"]
    process.arguments = [source.path] + size + ["-o", result.path + "[Q=80,strip]"]
    process.environment = ["VIPS_BLOCK_UNTRUSTED": "1"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: errors)
    let status = try await Self.run(process)
    try Task.checkCancellation()
    guard status == 0, let data = try? Data(contentsOf: result) else {
      throw Failure(description: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
    return data
  }

  private static func run(_ process: Process) async throws -> Int32 {
    let limit = Task {
      try await Task.sleep(for: maximumTime)
      process.terminate()
    }
    defer { limit.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do {
          try process.run()
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      // Foundation does not allow terminating a process before it runs.
      if process.isRunning { process.terminate() }
    }
  }
}
