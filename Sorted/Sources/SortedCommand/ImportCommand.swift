import ArgumentParser
import Dispatch
import Foundation
import Sorted
import SwiftData

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Read an archive of messages into the store.",
    discussion: """
      FORMATS
        irc       logs of an IRC channel, YYYY-MM-DD*.raw.txt: a file or a folder
        telegram  Telegram Desktop's result.json, one chat or all: the file or
                  its folder
        ndjson    a JSON object a line, in a file or a folder of *.ndjson or
                  *.jsonl. Required: conversation, sender, text, createdAt
                  (2026-01-31T09:30:00Z, or seconds since 1970). Optional: id
                  (unique in the conversation), conversationName, isGroup

      Importing the same archive again changes nothing. Ctrl-C stops after the
      current chunk. Imported messages stay, and running the command again completes
      it. Invalid UTF-8 becomes U+FFFD; control characters become visible symbols.

      EXAMPLE
        sorted import irc logs/ --store inbox.store
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case irc, telegram, ndjson
  }

  @Argument(help: "The format of the archive.")
  var format: Format

  @Argument(help: "The file or folder.", completion: .file())
  var path: String

  @Flag(help: "irc: import each annotated conversation of *.clusters.txt separately.")
  var threads = false

  @Option(help: "irc: the name of the channel.")
  var channel = "#ubuntu"

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if threads && format != .irc { throw ValidationError("--threads is for the format irc") }
    if channel.allSatisfy({ $0 == "#" }) { throw ValidationError("--channel needs a name") }
  }

  func run() throws {
    let url = URL(fileURLWithPath: path)
    let reader: any ArchiveReader = try Failure.explained {
      let reader: any ArchiveReader =
        switch format {
        case .irc: try IRCReader(path: url, channel: channel, withThreads: threads)
        case .telegram: TelegramReader(path: url)
        case .ndjson: NDJSONReader(path: url)
        }
      // A mistyped path must not create a store.
      _ = try reader.files()
      return reader
    }
    let stop = ImportSession.StopSign()
    let interrupt = Interrupt { stop.raise() }
    let bar = ProgressLine()
    let container = try store.container()
    let session = ImportSession(container: container)
    let report = try Failure.explained {
      defer { bar.end() }
      return try session.run(reader, stop: stop) { bar.show($0, $1) }
    }
    interrupt.cancel()
    if !report.isInterrupted { try ClassificationProgress.classifyPending(container) }
    try output.print(report) { summary(report, $0) }
    if report.isInterrupted { throw ExitCode(130) }
  }

  private func summary(_ report: ImportReport, _ rendering: TextRendering) -> String {
    var text = report.skipped.map { "skipped  \($0.file):\($0.line)  \($0.reason)" }
    text.append(
      rendering.table([
        ("messages", "\(report.messages)"), ("conversations", "\(report.conversations)"),
        ("participants", "\(report.participants)"), ("events", "\(report.events)"),
        ("skipped", "\(report.skipped.count)"), ("lines", "\(report.lines)"), ("changes", "\(report.changes)"),
      ]))
    if report.isInterrupted {
      text.append("Interrupted: what was read is stored; run the command again to complete it.")
    }
    return text.joined(separator: "\n")
  }
}

/// Catches Ctrl-C as long as it is retained. A second one ends the program as usual, without storing the current chunk.
final class Interrupt {
  private let source: any DispatchSourceSignal

  init(_ action: @escaping @Sendable () -> Void) {
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      action()
      signal(SIGINT, SIG_DFL)
    }
    source.resume()
  }

  func cancel() {
    source.cancel()
    signal(SIGINT, SIG_DFL)
  }
}

/// Shows progress on standard error: a bar on a terminal, else a line per tenth.
private final class ProgressLine {
  private var lastTenth = 0
  private var lastPercent = -1

  func show(_ report: ImportReport, _ fraction: Double) {
    if Terminal.isTerminal {
      let percent = Int(fraction * 100)
      guard percent != lastPercent else { return }
      lastPercent = percent
      let full = Int(fraction * 30)
      let bar = String(repeating: "#", count: full) + String(repeating: "-", count: 30 - full)
      Terminal.note("\r[\(bar)] \(percent)%  \(report.messages) messages")
    } else if Int(fraction * 10) > lastTenth {
      lastTenth = Int(fraction * 10)
      Terminal.note("\(lastTenth * 10)%  \(report.messages) messages\n")
    }
  }

  func end() {
    if Terminal.isTerminal { Terminal.note("\r\u{1B}[K") }
  }
}
