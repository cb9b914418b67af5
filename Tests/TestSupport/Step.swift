/// One action of a scripted server in answer to a request.
package enum Step: Sendable {
  case send([UInt8])
  /// `chunk` bytes at a time, at a rate.
  case sendSlowly([UInt8], bytesPerSecond: Double, chunk: Int)
  case sendBody(Body)
  /// Sends nothing for this time with the connection open; `nil` until the peer closes.
  case stall(Duration?)
  /// Closes the connection.
  case close
  case closeAfter(Duration)
  /// Resets the connection. Bytes in transit are lost.
  case reset

  package static func send(_ text: String) -> Step { .send(Array(text.utf8)) }

  /// A complete answer with its Content-Length.
  package static func respond(
    _ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) -> Step {
    let lines = headers + [("Content-Length", "\(body.count)")]
    return .send(responseHead(status, lines) + body)
  }
}

/// A status line, header lines and the empty line.
package func responseHead(_ status: Int, _ headers: [(name: String, value: String)]) -> [UInt8] {
  let lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
  return Array("HTTP/1.1 \(status) \(reasonPhrase(status))\r\n\(lines)\r\n".utf8)
}

private func reasonPhrase(_ status: Int) -> String {
  switch status {
  case 200: "OK"
  case 206: "Partial Content"
  case 301: "Moved Permanently"
  case 302: "Found"
  case 304: "Not Modified"
  case 404: "Not Found"
  case 416: "Range Not Satisfiable"
  case 429: "Too Many Requests"
  case 503: "Service Unavailable"
  default: "Status"
  }
}

/// A line of a fixed script for one connection.
package enum ScriptLine: Sendable {
  /// Reads one request, which must contain this text (a request line, a header line).
  case expect(String)
  case perform(Step)
}

/// A part of a content that is sent in chunks.
package struct Body: Sendable {
  package var content: Content
  package var range: Range<Int64>
  /// All of these apply, for example those of the connection and of the server.
  package var paces: [Pace]
  package var isChunked: Bool
  /// Called with the number of bytes that the system accepted.
  package var sent: (@Sendable (Int) -> Void)?

  package init(
    _ content: Content, _ range: Range<Int64>? = nil, paces: [Pace] = [], isChunked: Bool = false,
    sent: (@Sendable (Int) -> Void)? = nil
  ) {
    self.content = content
    self.range = range ?? 0..<content.byteCount
    self.paces = paces
    self.isChunked = isChunked
    self.sent = sent
  }
}

/// A rate shared by one or more senders, with bursts of at most 50 ms.
package final class Pace: Sendable {
  package let bytesPerSecond: Double
  /// When the bytes admitted so far are due, in monotonic seconds.
  private let due = Locked(0.0)

  package init(bytesPerSecond: Double) { self.bytesPerSecond = max(1, bytesPerSecond) }

  /// Books the bytes and returns how many seconds to wait before they are sent.
  func delay(for byteCount: Int) -> Double {
    let now = monotonicSeconds()
    return due.withLock { due in
      let start = max(due, now - 0.05)
      due = start + Double(byteCount) / bytesPerSecond
      return due - now
    }
  }
}

/// A request as received, with its position among others.
package struct WireRequest: Sendable {
  package let method: String
  /// Path and query, undecoded.
  package let target: String
  /// In order, with names as received.
  package private(set) var headers: [(name: String, value: String)]
  /// Index among the server's connections.
  package internal(set) var connectionIndex = 0
  /// Index among the requests of its connection.
  package internal(set) var indexOnConnection = 0
  /// Index among all requests of the server.
  package internal(set) var index = 0
  /// The number of requests being answered, including this one.
  package internal(set) var exchangesInProgress = 1
  package internal(set) var openConnections = 1

  /// Nil for bytes that are not a request head.
  init?(head: [UInt8]) {
    // Compares bytes, because CR LF is a single Swift character.
    let lines = head.split(separator: 10).map { line in
      String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }
    guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
    method = String(words[0])
    target = String(words[1])
    headers = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      return (String(line[..<colon]), String(value))
    }
  }

  /// The first value of a field; the name in any case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The same request without its conditions.
  package var unconditional: WireRequest {
    var plain = self
    plain.headers.removeAll { $0.name.lowercased().hasPrefix("if-") }
    return plain
  }

  package var rangeHeader: String? { header("Range") }

  /// The bytes that the Range field asks for; empty when they lie outside, `nil` without the field and when it is to be
  /// ignored: malformed, another unit, or several ranges. RFC 9110 §14.1.2.
  package func askedRange(of length: Int64) -> Range<Int64>? {
    guard let field = rangeHeader, field.hasPrefix("bytes=") else { return nil }
    let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[0].isEmpty {
      guard let count = Int64(parts[1]), count >= 0 else { return nil }
      return max(0, length - count)..<length
    }
    guard let start = Int64(parts[0]), start >= 0 else { return nil }
    guard start < length else { return 0..<0 }
    if parts[1].isEmpty { return start..<length }
    guard let last = Int64(parts[1]), last >= start else { return nil }
    return start..<min(last, length - 1) + 1
  }

  /// Whether the answer may have no body.
  package var isBodyless: Bool { method == "HEAD" }
  /// Without the query.
  package var path: String { String(target.prefix { $0 != "?" }) }
}
