@testable import DownloadCore
import TestSupport
@testable import DownloadTransport

/// Records the events of one exchange and answers them by its closures.
final class Recorder: ExchangeDelegate {
  private(set) var heads: [ResponseHead] = []
  private(set) var body: [UInt8] = []
  private(set) var result: ExchangeResult?
  private(set) var endCount = 0
  /// The exchange's value at the head; nil for a kept connection.
  private(set) var handshake: Duration?
  var onHead: (ResponseHead) -> Bool = { _ in true }
  /// Called with the number of received bytes before more are added.
  var onBody: (_ received: Int, _ piece: UnsafeRawBufferPointer) -> BodyAnswer = { _, _ in .taken }

  func exchange(_ exchange: Exchange, received head: ResponseHead) -> Bool {
    heads.append(head)
    handshake = exchange.handshake
    return onHead(head)
  }

  func exchange(_ exchange: Exchange, body piece: UnsafeRawBufferPointer) -> BodyAnswer {
    let answer = onBody(body.count, piece)
    if answer == .taken { body += piece }
    return answer
  }

  func exchangeEnded(_ exchange: Exchange, _ result: ExchangeResult) {
    self.result = result
    endCount += 1
  }

  var text: String { String(decoding: body, as: UTF8.self) }
}

/// A transfer loop for one test, without the proxies of the environment.
final class Rig {
  let loop: TransferLoop
  private var count = 0

  init(_ configure: (inout RunSettings) -> Void = { _ in }) {
    var settings = RunSettings()
    settings.transport.noProxy = "*"
    configure(&settings)
    loop = TransferLoop(settings.transport, settings.secrets)
  }

  func start(
    _ url: String, _ asked: AskedContent = .whole, ifNewerThan: LocalCopy? = nil, isTrusted: Bool = true,
    headers: [String] = [], hostHeaders: [String] = [], userinfo: String? = nil, isSeparate: Bool = false,
    isSpread: Bool = false, to recorder: Recorder
  ) throws -> Exchange {
    count += 1
    var order = TransferOrder(
      id: TransferID(number: count), item: 0, mirror: 0, location: try URLParser.parse(url.utf8).location,
      asked: asked, purpose: .content, condition: ifNewerThan, isSegment: isSeparate)
    order.isSpread = isSpread
    let exchange = Exchange(order: order, now: Clock.now())
    var options = ExchangeOptions(
      isTrusted: isTrusted, headers: headers, credentials: userinfo.map(Credentials.init(userinfo:)),
      isSeparate: isSeparate, bufferByteCount: 64 << 10)
    options.hostHeaders = hostHeaders
    loop.start(exchange, options: options, delegate: recorder)
    return exchange
  }

  /// Runs the loop until the condition holds; false if it did not hold in time.
  func run(seconds: Double = 20, until condition: () -> Bool) -> Bool {
    let end = Clock.now() + .seconds(seconds)
    while !condition() {
      if Clock.now() >= end { return false }
      loop.wait(until: Clock.now() + .milliseconds(20))
    }
    return true
  }

  /// Runs one exchange to its end.
  func get(
    _ url: String, _ asked: AskedContent = .whole, ifNewerThan: LocalCopy? = nil, isTrusted: Bool = true,
    headers: [String] = [], hostHeaders: [String] = [], userinfo: String? = nil, isSeparate: Bool = false,
    recorder: Recorder = Recorder()
  ) throws -> Recorder {
    let exchange = try start(
      url, asked, ifNewerThan: ifNewerThan, isTrusted: isTrusted, headers: headers, hostHeaders: hostHeaders,
      userinfo: userinfo, isSeparate: isSeparate, to: recorder)
    guard run(until: { recorder.result != nil }) else {
      loop.stop(exchange)
      throw TestSupportError("no end of \(url)")
    }
    return recorder
  }
}
