import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle

/// The answer that does not end: events for one browser.
enum EventStream {
  static func response(_ events: AsyncStream<ByteBuffer>) -> Response {
    let headers: HTTPFields = [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"]
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        // Browsers come back that soon after the connection broke.
        try await writer.write(ByteBuffer(string: "retry: 500\n\n"))
        // The server waits for its connections before anything else hears that it is to end.
        for await buffer in events.cancelOnGracefulShutdown() { try await writer.write(buffer) }
        try await writer.finish(nil)
      })
  }
}
