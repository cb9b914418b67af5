import Glibc

/// One accepted connection, on its thread.
///
/// request head ──► steps, performed in order ──► next request head ... until a step, the peer or the server ends it.
struct ServerConnection {
  let core: ServerCore
  let descriptor: Int32
  let index: Int

  /// Answers requests until the connection ends.
  func serve(_ handler: ScriptedServer.Handler) {
    var received: [UInt8] = []
    var served = 0
    while let head = nextHead(&received) {
      guard var request = WireRequest(head: head) else { break }
      request.connectionIndex = index
      request.indexOnConnection = served
      core.log.withLock { log in
        log.exchanges += 1
        log.peakExchanges = max(log.peakExchanges, log.exchanges)
        request.index = log.requests.count
        request.exchangesInProgress = log.exchanges
        request.openConnections = log.descriptors.count
        log.requests.append(request)
      }
      let isOpen = handler(request).allSatisfy(perform)
      core.log.withLock { $0.exchanges -= 1 }
      served += 1
      guard isOpen, request.header("Connection")?.lowercased() != "close" else { break }
    }
    end()
  }

  /// Performs a script without regard to requests, then closes.
  func play(_ script: [ScriptLine]) {
    var received: [UInt8] = []
    for line in script {
      switch line {
      case .expect(let wanted):
        guard let head = nextHead(&received) else {
          note("the connection ended before: \(wanted)")
          end()
          return
        }
        if var request = WireRequest(head: head) {
          request.connectionIndex = index
          core.log.withLock { log in
            request.index = log.requests.count
            log.requests.append(request)
          }
        }
        let text = String(decoding: head, as: UTF8.self)
        if !text.contains(wanted) { note("expected: \(wanted)\nreceived: \(text)") }
      case .perform(let step):
        guard perform(step) else {
          end()
          return
        }
      }
    }
    end()
  }

  private func note(_ mismatch: String) { core.log.withLock { $0.mismatches.append(mismatch) } }

  /// Closes under the lock, so that `stop` never shuts down a descriptor that has been reused.
  private func end() {
    core.log.withLock { log in
      log.descriptors[index] = nil
      _ = close(descriptor)
    }
  }

  /// Bytes up to and including the next empty line; the rest stays in `received`. Nil where the connection has ended.
  private func nextHead(_ received: inout [UInt8]) -> [UInt8]? {
    var searched = 0
    while true {
      if let end = endOfHead(received, from: max(0, searched - 3)) {
        let head = Array(received[..<end])
        received.removeFirst(end)
        return head
      }
      searched = received.count
      guard searched < 1 << 20, !core.isStopping,
        let piece = LoopbackSocket.receive(descriptor, until: monotonicSeconds() + 600), !piece.isEmpty
      else { return nil }
      received += piece
    }
  }

  private func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= 4 else { return nil }
    var index = start
    while index + 4 <= bytes.count {
      if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 { return index + 4 }
      index += 1
    }
    return nil
  }

  /// Whether the connection is open afterwards.
  private func perform(_ step: Step) -> Bool {
    switch step {
    case .send(let bytes): return send(bytes)
    case .sendSlowly(let bytes, let bytesPerSecond, let chunk):
      let pace = Pace(bytesPerSecond: bytesPerSecond)
      for start in stride(from: 0, to: bytes.count, by: max(1, chunk)) {
        let end = min(start + max(1, chunk), bytes.count)
        guard wait(seconds: pace.delay(for: end - start)), send(Array(bytes[start..<end])) else { return false }
      }
      return true
    case .sendBody(let body): return send(body)
    case .stall(let duration): return wait(seconds: duration.map(seconds) ?? .infinity)
    case .close: return false
    case .closeAfter(let duration):
      _ = wait(seconds: seconds(duration))
      return false
    case .reset:
      abandonOnClose(descriptor)
      return false
    }
  }

  private func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    let sent = LoopbackSocket.sendAll(descriptor, bytes)
    core.log.withLock { $0.bytesSent += Int64(sent) }
    return sent == bytes.count
  }

  private func send(_ body: Body) -> Bool {
    // Twenty writes per second, so that a slow body arrives evenly.
    let slowest = body.paces.map(\.bytesPerSecond).min() ?? .infinity
    let pieceLength = Int64(max(1, min(65536, slowest / 20)))
    var position = body.range.lowerBound
    while position < body.range.upperBound {
      let end = min(position + pieceLength, body.range.upperBound)
      let piece = body.content.bytes(in: position..<end)
      let delay = body.paces.map { $0.delay(for: piece.count) }.max() ?? 0
      guard wait(seconds: delay) else { return false }
      if body.isChunked {
        guard send(Array("\(String(piece.count, radix: 16))\r\n".utf8)) else { return false }
      }
      let sent = LoopbackSocket.sendAll(descriptor, piece)
      core.log.withLock { log in
        log.bytesSent += Int64(sent)
        log.bodyBytesSent += Int64(sent)
      }
      body.sent?(sent)
      guard sent == piece.count else { return false }
      if body.isChunked, !send([13, 10]) { return false }
      position = end
    }
    return body.isChunked ? send(Array("0\r\n\r\n".utf8)) : true
  }

  /// Sleeps. Returns false as soon as the peer closes or the server stops.
  private func wait(seconds: Double) -> Bool {
    guard seconds > 0 else { return true }
    let end = monotonicSeconds() + seconds
    while true {
      let left = end - monotonicSeconds()
      if left <= 0 { return true }
      pause(seconds: min(left, 0.02))
      if core.isStopping || LoopbackSocket.isClosedByPeer(descriptor) { return false }
    }
  }
}
