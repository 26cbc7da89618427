public import Foundation

/// Thumbnails by `vipsthumbnail`, the program of libvips (on Debian in `libvips-tools`).
///
/// It reads the formats that libvips holds safe (JPEG, PNG, WebP, GIF, …), turns photographs upright and shrinks while it
/// decodes. A process of its own: what an image does to its decoder, it does not do to this one.
public struct VipsThumbnails: ThumbnailMaker {
  /// Why there is no thumbnail.
  public struct Failure: Error, CustomStringConvertible {
    /// What the program said.
    public let description: String
  }

  private let program: URL
  private let side: Int
  /// A picture for which this is not enough was made to keep somebody busy.
  private static let maximumTime = Duration.seconds(30)

  /// Makes a maker; nil where the program is not installed.
  /// - Parameter side: the width and the height at most, in pixels; smaller images keep their size.
  public init?(side: Int = 320, path: String? = ProcessInfo.processInfo.environment["PATH"]) {
    let programs = (path ?? "").split(separator: ":").map { URL(fileURLWithPath: $0 + "/vipsthumbnail") }
    guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      return nil
    }
    self.program = program
    self.side = side
  }

  /// A JPEG picture, without what the camera noted of place and time.
  /// - Throws: ``Failure`` for what is no image, `CancellationError`.
  public func thumbnail(of image: URL) async throws -> Data {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("thumbnail-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // A name of its own: brackets at the end of one would be options.
    let source = folder.appendingPathComponent("image")
    try FileManager.default.createSymbolicLink(at: source, withDestinationURL: image.standardizedFileURL)
    let result = folder.appendingPathComponent("thumbnail.jpg")
    let errors = folder.appendingPathComponent("errors")
    try Data().write(to: errors)
    let process = Process()
    process.executableURL = program
    process.arguments = [source.path, "--size", "\(side)x\(side)>", "-o", result.path + "[Q=80,strip]"]
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
      // Before it runs there is nothing to end, and Foundation does not take that well.
      if process.isRunning { process.terminate() }
    }
  }
}
