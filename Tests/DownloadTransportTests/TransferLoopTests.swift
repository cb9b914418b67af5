@testable import DownloadCore
import Glibc
import TestSupport
@testable import DownloadTransport
import Testing

@Suite(.waiting) struct `The transfer loop` {
  // MARK: Pausing and stopping

  @Test func `holds a paused body back until it may go on`() throws {
    let content = Content.generated(seed: 9, byteCount: 2_000_000)
    let server = try ScriptedServer(FileService(["/f": content]))
    let rig = Rig()
    let recorder = Recorder()
    var mayRead = true
    recorder.onBody = { _, piece in
      guard mayRead else { return .pause }
      mayRead = false
      return .taken
    }
    let exchange = try rig.start(server.url("/f"), isSeparate: true, to: recorder)
    var pauses = 0
    while recorder.result == nil, pauses < 1000 {
      try #require(rig.run { exchange.isPaused || recorder.result != nil })
      let held = recorder.body.count
      if pauses < 3 {
        // Nothing arrives before it continues.
        #expect(!rig.run(seconds: 0.05) { recorder.body.count > held || recorder.result != nil })
      }
      pauses += 1
      mayRead = true
      rig.loop.unpause(exchange)
    }
    #expect(recorder.result == .complete && recorder.body == content.allBytes && recorder.heads.count == 1)
    #expect(pauses > 10)
  }

  @Test func `ends an exchange that is stopped at what was held back`() throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .stall(nil)]
    }
    let rig = Rig()
    let recorder = Recorder()
    recorder.onBody = { _, _ in .pause }
    let exchange = try rig.start(server.url("/"), isSeparate: true, to: recorder)
    try #require(rig.run { exchange.isPaused })
    recorder.onBody = { _, _ in .stop }
    rig.loop.unpause(exchange)
    #expect(recorder.result == .stopped && recorder.endCount == 1, "at once: the server may never send another byte")
    #expect(rig.loop.exchangeCount == 0 && eventually { server.openConnections == 0 })
  }

  @Test func `reports no event of a stopped exchange`() throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .stall(nil)]
    }
    let rig = Rig()
    let recorder = Recorder()
    let exchange = try rig.start(server.url("/"), to: recorder)
    #expect(rig.run { recorder.text == "abc" })
    rig.loop.stop(exchange)
    #expect(rig.loop.exchangeCount == 0 && exchange.delegate == nil)
    rig.loop.stop(exchange)
    #expect(!rig.run(seconds: 0.1) { recorder.endCount > 0 })
    #expect(eventually { server.openConnections == 0 })
  }

  @Test func `can be released with active exchanges`() throws {
    let server = try ScriptedServer { _ in [.send("HTTP/1.1 200 OK\r\n"), .stall(nil)] }
    let recorder = Recorder()
    do {
      let rig = Rig()
      for _ in 0..<5 { _ = try rig.start(server.url("/"), to: recorder) }
      #expect(rig.run { server.requests.count == 5 } && rig.loop.exchangeCount == 5)
    }
    #expect(eventually { server.openConnections == 0 } && recorder.endCount == 0)
  }

  // MARK: Connections

  @Test func `keeps a connection for the next exchange and reports the handshake`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("abc")]))
    let rig = Rig()
    #expect(try rig.get(server.url("/f")).handshake.map { $0 > .zero } == true)
    for _ in 0..<5 { #expect(try rig.get(server.url("/f")).handshake == nil) }
    #expect(server.connectionCount == 1)
  }

  @Test func `has separate connections for large files`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("abc")]))
    let rig = Rig()
    for isSeparate in [false, true, false, true] { _ = try rig.get(server.url("/f"), isSeparate: isSeparate) }
    #expect(server.connectionCount == 2)
  }

  @Test(arguments: [false, true])
  func `reports a closed kept connection as such`(isReset: Bool) throws {
    let server = try ScriptedServer { request in
      request.indexOnConnection == 0 ? [.respond(200, body: [65])] : [isReset ? .reset : .close]
    }
    let rig = Rig()
    #expect(try rig.get(server.url("/")).result == .complete)
    for _ in 0..<5 {
      let again = try rig.get(server.url("/"))
      // libcurl repeats a request if the server cannot have answered. The machines repeat the others.
      #expect(again.result == .complete || again.result == .failed(.keptConnectionClosed), "\(again.result as Any)")
      if again.result == .complete { #expect(again.text == "A" && again.heads.count == 1) }
    }
  }

  @Test func `reports a refused connection`() throws {
    let port = try RefusingPort()
    #expect(try Rig().get(port.url("/")).result == .failed(.connectRefused(by: "127.0.0.1:\(port.port)")))
  }

  @Test func `reports an unknown name`() throws {
    let answer = try Rig().get("http://no-such-host.invalid/")
    guard case .failed(.nameLookup(let detail)) = answer.result else {
      Issue.record("\(String(describing: answer.result))")
      return
    }
    #expect(detail.contains("no-such-host.invalid"))
  }

  @Test func `limits the time for a connection`() throws {
    // The queue of a listener that never accepts is full, so later connections get no answer.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        #expect(bind(listener, generic, length) == 0 && listen(listener, 0) == 0)
        getsockname(listener, generic, &length)
        return UInt16(bigEndian: pointer.pointee.sin_port)
      }
    }
    let rig = Rig { $0.transport.connectTimeout = .milliseconds(400) }
    let recorders = (0..<4).map { _ in Recorder() }
    let exchanges = try recorders.map { try rig.start("http://127.0.0.1:\(port)/", isSeparate: true, to: $0) }
    #expect(rig.run(seconds: 5) { recorders.contains { $0.result != nil } })
    // The first ones may be connected in the queue.
    #expect(recorders.allSatisfy { $0.result == nil || $0.result == .failed(.connectTimeout) })
    // Connections in the queue stall, and the others time out while connecting.
    let stalls = zip(recorders, exchanges).filter { $0.0.result == nil }.map(\.1.stall)
    #expect(stalls.allSatisfy { $0 == .stalled || $0 == .connectTimeout } && stalls.contains(.stalled), "\(stalls)")
    let late = try rig.start("http://127.0.0.1:\(port)/", isSeparate: true, to: Recorder())
    _ = rig.run(seconds: 0.1) { false }
    #expect(late.stall == .connectTimeout)
    for exchange in exchanges + [late] { rig.loop.stop(exchange) }
  }

  @Test func `runs many exchanges concurrently`() throws {
    let files = Dictionary(
      uniqueKeysWithValues: (0..<60).map { ("/\($0)", Content.generated(seed: UInt64($0), byteCount: 20_000)) })
    let server = try ScriptedServer(FileService(files))
    let rig = Rig()
    let recorders = try files.keys.sorted().map { path in
      let recorder = Recorder()
      _ = try rig.start(server.url(path), to: recorder)
      return (path, recorder)
    }
    #expect(rig.run { recorders.allSatisfy { $0.1.result != nil } })
    for (path, recorder) in recorders {
      #expect(recorder.result == .complete && recorder.body == files[path]?.allBytes)
    }
    #expect(rig.loop.exchangeCount == 0)
  }

  // MARK: Waiting

  @Test func `returns at its deadline, or at once if that has passed`() {
    let rig = Rig()
    let started = monotonicSeconds()
    rig.loop.wait(until: Clock.now() + .milliseconds(120))
    let waited = monotonicSeconds() - started
    #expect((0.11..<2).contains(waited))
    rig.loop.wait(until: Clock.now() + .milliseconds(-50))
    rig.loop.wait(until: .zero)
    #expect(monotonicSeconds() - started - waited < 1)
  }

  @Test func `is woken by another thread while it waits`() {
    let rig = Rig()
    let wakeup = Wakeup()
    var count = 0
    rig.loop.watch(wakeup.descriptor) {
      wakeup.clear()
      count += 1
    }
    startThread {
      pause(seconds: 0.1)
      wakeup.signal()
      wakeup.signal()
    }
    let started = monotonicSeconds()
    rig.loop.wait(until: Clock.now() + .seconds(20))
    #expect(monotonicSeconds() - started < 10 && count >= 1)
    // At most two signals, then none.
    rig.loop.wait(until: Clock.now() + .milliseconds(100))
    #expect((1...2).contains(count))
  }

  @Test func `serves watched descriptors while exchanges run`() throws {
    let server = try ScriptedServer(
      FileService(["/f": .generated(seed: 1, byteCount: 400_000)]) {
        $0.bytesPerSecondOfConnection = 1_000_000
      })
    let rig = Rig()
    let wakeup = Wakeup()
    let count = Locked(0)
    rig.loop.watch(wakeup.descriptor) {
      wakeup.clear()
      count.withLock { $0 += 1 }
    }
    startThread {
      // Signals before the last one is handled are combined.
      for number in 0..<5 {
        wakeup.signal()
        while count.withLock({ $0 }) <= number { pause(seconds: 0.01) }
      }
    }
    let answer = try rig.get(server.url("/f"))
    #expect(answer.result == .complete && answer.body.count == 400_000)
    #expect(count.withLock { $0 } > 0, "none was served meanwhile")
    #expect(rig.run { count.withLock { $0 } == 5 })
  }

  @Test func `may start an exchange from the end of another`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("abc")]))
    let rig = Rig()
    let chain = Chain(rig, server.url("/f"), length: 20)
    try chain.startNext()
    #expect(rig.run { chain.endCount == 20 })
    #expect(chain.results.allSatisfy { $0 == .complete } && server.connectionCount == 1)
  }

  /// Starts the next exchange at the end of the previous one.
  private final class Chain: ExchangeDelegate {
    let rig: Rig
    let url: String
    let length: Int
    var results: [ExchangeResult] = []
    var endCount: Int { results.count }
    private let recorder = Recorder()

    init(_ rig: Rig, _ url: String, length: Int) {
      self.rig = rig
      self.url = url
      self.length = length
    }

    func startNext() throws {
      let order = TransferOrder(
        id: TransferID(number: results.count), item: 0, mirror: 0, location: try URLParser.parse(url.utf8).location,
        asked: .whole, purpose: .content, condition: nil, isSegment: false)
      let options = ExchangeOptions(isTrusted: true, credentials: nil, isSeparate: false, bufferByteCount: 16 << 10)
      rig.loop.start(Exchange(order: order, now: Clock.now()), options: options, delegate: self)
    }

    func exchange(_ exchange: Exchange, received head: ResponseHead) -> Bool { true }
    func exchange(_ exchange: Exchange, body: UnsafeRawBufferPointer) -> BodyAnswer { .taken }
    func exchangeEnded(_ exchange: Exchange, _ result: ExchangeResult) {
      results.append(result)
      if results.count < length { #expect(throws: Never.self) { try startNext() } }
    }
  }
}

@Suite(.waiting) struct `A wakeup` {
  @Test func `lasts until it is cleared, and several are combined`() {
    let wakeup = Wakeup()
    #expect(!isReadable(wakeup.descriptor))
    wakeup.clear()
    wakeup.signal()
    wakeup.signal()
    #expect(isReadable(wakeup.descriptor))
    wakeup.wait()
    #expect(!isReadable(wakeup.descriptor))
    startThread {
      pause(seconds: 0.05)
      wakeup.signal()
    }
    wakeup.wait()
    #expect(!isReadable(wakeup.descriptor))
  }

  @Test func `may come from a signal`() {
    let found = Locked<[Int32?]>([])
    // Runs on a separate thread, because the signal mask stays and the signals go to that thread.
    startThread {
      let source = SignalSource([SIGUSR2, SIGWINCH])
      var seen: [Int32?] = [source.next()]
      pthread_kill(pthread_self(), SIGUSR2)
      seen.append(isReadable(source.descriptor) ? source.next() : nil)
      seen.append(source.next())
      found.withLock { $0 = seen }
    }
    #expect(eventually { found.withLock { $0.count } == 3 })
    #expect(found.withLock { $0 } == [nil, SIGUSR2, nil])
  }

  private func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }
}
