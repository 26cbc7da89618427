#if Tracing || Sync
  import Tracing
#endif

/// An attribute of a span: a text or a number.
package enum SpanFact: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  case text(String)
  case number(Int)

  package init(stringLiteral text: String) { self = .text(text) }
  package init(integerLiteral number: Int) { self = .number(number) }
}

/// Makes spans of swift-distributed-tracing around the work of containers. It needs the trait `Tracing` or `Sync`.
///
/// A container looks up the tracer when it opens, so bootstrap it before the first container. Without the trait or a tracer there are
/// no `Spans`, and an operation only looks whether there are some.
///
/// A span has the names of stores, classes and properties, numbers, and the code of an error. It has no values: the message of an error may
/// contain one.
package final class Spans: Sendable {
  /// The kind of an operation, as the semantic conventions of OpenTelemetry name them.
  package enum Kind: Sendable {
    /// A request to a server.
    case client
    /// Work within the process.
    case `internal`
  }

  #if Tracing || Sync
    private let tracer: any Tracer

    /// Returns nil without a tracer.
    package init?() {
      // First, because the search for a tracer among other instruments asks the runtime for conformances.
      guard !(InstrumentationSystem.instrument is NoOpInstrument) else { return nil }
      let tracer = InstrumentationSystem.tracer
      guard !(tracer is NoOpTracer) else { return nil }
      self.tracer = tracer
    }

    /// Runs an operation in a span.
    /// - Parameters:
    ///   - facts: what is known before the operation.
    ///   - results: what its result says.
    package func span<Result>(
      _ name: String, _ kind: Kind, _ facts: [String: SpanFact], results: (Result) -> [String: SpanFact] = { _ in [:] },
      _ operation: () throws -> Result
    ) throws -> Result {
      // The tracer would record a thrown error with its message.
      let outcome = tracer.withSpan(name, ofKind: Self.kind(kind)) { span in
        Self.note(facts, on: span)
        let outcome = Swift.Result { try operation() }
        Self.note(outcome, results, on: span)
        return outcome
      }
      return try outcome.get()
    }

    /// Runs an asynchronous operation in a span.
    package func span<Result>(
      _ name: String, _ kind: Kind, _ facts: [String: SpanFact], isolation: isolated (any Actor)? = #isolation,
      _ operation: () async throws -> Result
    ) async throws -> Result {
      let outcome: Swift.Result<Result, any Error> = await tracer.withSpan(
        name, ofKind: Self.kind(kind), isolation: isolation
      ) { span in
        Self.note(facts, on: span)
        do {
          return .success(try await operation())
        } catch {
          Self.note(error, on: span)
          return .failure(error)
        }
      }
      return try outcome.get()
    }

    private static func kind(_ kind: Kind) -> SpanKind {
      switch kind {
      case .client: .client
      case .internal: .internal
      }
    }

    private static func note<Result>(
      _ outcome: Swift.Result<Result, any Error>, _ results: (Result) -> [String: SpanFact], on span: any Span
    ) {
      switch outcome {
      case .success(let result): note(results(result), on: span)
      case .failure(let error): note(error, on: span)
      }
    }

    private static func note(_ facts: [String: SpanFact], on span: any Span) {
      guard span.isRecording, !facts.isEmpty else { return }
      span.updateAttributes { attributes in
        for (name, fact) in facts {
          switch fact {
          case .text(let text): attributes[name] = text
          case .number(let number): attributes[name] = number
          }
        }
      }
    }

    private static func note(_ error: any Error, on span: any Span) {
      let code = (error as? SwiftDataError)?.code.description ?? "\(type(of: error))"
      note(["error.type": .text(code)], on: span)
      span.setStatus(SpanStatus(code: .error, message: code))
    }
  #else
    package init?() { return nil }

    package func span<Result>(
      _ name: String, _ kind: Kind, _ facts: [String: SpanFact], results: (Result) -> [String: SpanFact] = { _ in [:] },
      _ operation: () throws -> Result
    ) throws -> Result {
      try operation()
    }

    package func span<Result>(
      _ name: String, _ kind: Kind, _ facts: [String: SpanFact], isolation: isolated (any Actor)? = #isolation,
      _ operation: () async throws -> Result
    ) async throws -> Result {
      try await operation()
    }
  #endif
}
