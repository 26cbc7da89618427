import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The style sheet, the scripts and the pictures, from the bundle.
enum Assets {
  private static let types = [
    "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    "png": "image/png", "webmanifest": "application/manifest+json", "json": "application/json",
  ]

  /// By name, whatever folder they are in; read once.
  private static let files = Result { try read() }

  private static func read() throws -> [String: Data] {
    guard let folder = Bundle.module.path(forResource: "Assets", ofType: nil) else { throw CocoaError(.fileNoSuchFile) }
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
      types[($0 as NSString).pathExtension] != nil
    }
    return Dictionary(
      uniqueKeysWithValues: try names.map {
        (($0 as NSString).lastPathComponent, try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)")))
      })
  }

  /// Changes with the files, so that browsers keep them until then. It stands in the path, so that modules which import
  /// each other by relative addresses are always of one version.
  static var version: String {
    get throws {
      var hash = SHA256()
      for (_, data) in try files.get().sorted(by: { $0.key < $1.key }) { hash.update(data: data) }
      return String(Slug.encode(Data(hash.finalize())).prefix(12))
    }
  }

  /// A file by its name.
  /// - Throws: `CocoaError` for a bundle without the file.
  static func data(_ name: String) throws -> Data {
    guard let data = try files.get()[name] else { throw CocoaError(.fileNoSuchFile) }
    return data
  }

  /// - Throws: ``PageError/notFound``.
  /// - Parameter version: what the address says of it; without one it may be another one tomorrow.
  static func response(_ name: String, version: String?) throws -> Response {
    guard let data = try files.get()[name], let type = types[(name as NSString).pathExtension] else {
      throw PageError.notFound
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: type,
        .cacheControl: version == nil ? "public, max-age=300" : "public, max-age=31536000, immutable",
      ],
      body: .init(byteBuffer: ByteBuffer(bytes: data)))
  }
}
