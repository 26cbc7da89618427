import Foundation
import Hummingbird
import NIOCore

/// The answer that does not end: events for one browser.
enum EventStream {
  static func response(_ request: Request, _ hub: LiveHub, _ topics: [LiveHub.Topic]) -> Response {
    let headers: HTTPFields = [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"]
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        var events = await hub.subscribe(topics).makeAsyncIterator()
        // Browsers come back that soon after the connection broke.
        try await writer.write(ByteBuffer(string: "retry: 500\n\n"))
        while let buffer = await events.next() { try await writer.write(buffer) }
        try await writer.finish(nil)
      })
  }
}
