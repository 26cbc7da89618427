import AppleStoreTemplates
import ChildProcesses
import Foundation
import SwiftData
import SwiftDataAppleStore

/// The built command, run as a stranger runs it.
enum Command {
  struct Result {
    /// The status that it exited with; nil if a signal ended it.
    let status: Int32?
    let output: String
    let errors: String
  }

  static var folder: URL { URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent() }

  /// Starts a program, with a pipe for its errors.
  static func start(
    _ arguments: [String], program: String = "swiftdata", environment: [String: String] = [:],
    output: ChildProcess.Stream = .pipe
  ) throws -> ChildProcess {
    // The variables of a developer's shell would name another store.
    let own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SWIFTDATA_") }
    return try ChildProcess(
      folder.appendingPathComponent(program).path, arguments, environment: own.merging(environment) { $1 },
      output: output, errors: .pipe)
  }

  static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Result {
    try run(arguments, environment: environment)
  }

  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Result {
    result(of: try start(arguments, environment: environment))
  }

  /// Reads what a program prints, and waits for its end.
  static func result(of process: ChildProcess) -> Result {
    func text(_ stream: FileHandle?) -> String {
      String(decoding: stream?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
    }
    let (output, errors) = (text(process.output), text(process.errors))
    let status: Int32? = if case .exit(let status) = process.wait() { status } else { nil }
    return Result(status: status, output: output, errors: errors)
  }
}

@Model final class Album {
  @Attribute(.unique) var title: String
  var released: Date?
  @Relationship(deleteRule: .cascade, inverse: \Track.album) var tracks: [Track] = []
  init(_ title: String) { self.title = title }
}

@Model final class Track {
  var name: String
  var seconds: Double
  var moods: [String]
  var album: Album?
  init(_ name: String, _ seconds: Double, _ album: Album?) {
    (self.name, self.seconds, moods, self.album) = (name, seconds, ["calm"], album)
  }
}

@Model final class Cover {
  @Attribute(.externalStorage) var picture: Data
  init(_ picture: Data) { self.picture = picture }
}

enum Music {
  /// A container of OpenSwiftData's own, in a new file.
  static func container(_ file: URL) throws -> ModelContainer {
    try ModelContainer(for: Schema([Album.self, Track.self]), configurations: [ModelConfiguration(url: file)])
  }

  static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// A file in Apple's format with an album and its tracks.
  static func store(tracks: Int = 3) throws -> URL {
    let file = try folder().appendingPathComponent("music.store")
    try AppleStoreTemplate(for: [Album.self, Track.self]).make(at: file)
    let container = try ModelContainer(
      for: Schema([Album.self, Track.self]), configurations: [AppleStoreConfiguration(url: file, allowsSave: true)])
    let context = ModelContext(container)
    let album = Album("Blue <Train>")
    album.released = Date(timeIntervalSinceReferenceDate: -1_000)
    context.insert(album)
    for index in 0..<tracks { context.insert(Track("t\(index)", Double(index), album)) }
    try context.save()
    return file
  }
}
