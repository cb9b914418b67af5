import DownloadCore
import DownloadJSON
import TestSupport
import Testing

@testable import DownloadControl

@Suite struct `Conversation with a client` {
  private var now = Instant.zero
  private var conversation = Conversation(Conversation.Greeting(program: "p", process: 7, generation: 3))

  private mutating func say(_ lines: String) -> [ControlRequest] { conversation.received(Array(lines.utf8), now: now) }

  /// What is to be sent, which is sent.
  private mutating func heard() -> String {
    let text = String(decoding: conversation.unsent, as: UTF8.self)
    conversation.sent(conversation.unsent.count, now: now)
    return text
  }

  private static let hello = #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1}}"# + "\n"

  private mutating func begin() {
    _ = say(Self.hello)
    _ = heard()
  }

  @Test mutating func `begins with hello`() {
    #expect(say(Self.hello).isEmpty)
    #expect(
      heard() == #"{"jsonrpc":"2.0","id":1,"result":{"program":"p","protocol":1,"pid":7,"generation":3}}"# + "\n")
    let requests = say(#"{"jsonrpc":"2.0","id":"a\"b","method":"list","params":{"x":1,"unknown":[]}}"# + "\r\n")
    #expect(requests.map(\.method) == ["list"] && requests.first?.parameters?["x"]?.integer == 1)
    #expect(requests.first?.id == Array(#""a\"b""#.utf8))
  }

  @Test mutating func `ends if it begins otherwise`() {
    #expect(say(#"{"jsonrpc":"2.0","id":5,"method":"list"}"# + "\n" + Self.hello).isEmpty)
    #expect(heard().contains(#""id":5,"error":{"code":-32001"#))
    #expect(conversation.isOver(now: now))
  }

  @Test mutating func `refuses another protocol with both versions`() {
    #expect(say(#"{"jsonrpc":"2.0","id":5,"method":"hello","params":{"protocol":2}}"# + "\n").isEmpty)
    let text = heard()
    #expect(text.contains("protocol 2") && text.contains("protocol 1") && conversation.isOver(now: now))
  }

  @Test(arguments: [
    ("", -32700, "null"), ("x", -32700, "null"), ("[]", -32700, "null"), ("\u{0}", -32700, "null"),
    (#"{"jsonrpc":"2.0","id":4}"#, -32600, "4"), (#"{"id":4,"method":"m"}"#, -32600, "4"),
    (#"{"jsonrpc":"1.0","id":4,"method":"m"}"#, -32600, "4"),
    (#"{"jsonrpc":"2.0","id":[],"method":"m"}"#, -32600, "null"),
    (#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#, -32600, "null"),
    (#"{"jsonrpc":"2.0","id":4,"method":3}"#, -32600, "4"),
    (#"{"jsonrpc":"2.0","id":4,"method":"m","params":[1]}"#, -32602, "4"),
    (#"{"jsonrpc":"2.0","id":4,"id":5,"method":"m"}"#, -32700, "null"),
  ])
  mutating func `goes on after a line that is no request`(line: String, code: Int, id: String) {
    begin()
    #expect(say(line + "\n").isEmpty)
    #expect(heard().hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"#))
    #expect(say(#"{"jsonrpc":"2.0","id":9,"method":"m"}"# + "\n").map(\.method) == ["m"])
  }

  @Test mutating func `ends with a line that has no end`() {
    begin()
    let part = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    for _ in 0..<4 { #expect(conversation.received(part, now: now).isEmpty) }
    #expect(heard().isEmpty && !conversation.ends)
    #expect(conversation.received([UInt8(ascii: "a")], now: now).isEmpty)
    #expect(heard().contains("longer than 4 MiB") && conversation.isOver(now: now))
    // What follows counts no more.
    #expect(say("\n" + #"{"jsonrpc":"2.0","id":9,"method":"m"}"# + "\n").isEmpty)
  }

  @Test mutating func `misses news while it does not read, and learns that`() {
    begin()
    let line = Array((String(repeating: "n", count: 1023) + "\n").utf8)
    for _ in 0..<5000 { conversation.tell(line, now: now) }
    #expect(conversation.unsent.count <= 4 << 20 && conversation.hasGap)
    var isClosed = conversation.closeGap(now: now)
    #expect(!isClosed)
    conversation.sent(conversation.unsent.count - 1, now: now)
    // Until it has read all, news would be without what was before.
    conversation.tell(line, now: now)
    isClosed = conversation.closeGap(now: now)
    #expect(conversation.unsent.count == 1 && !isClosed)
    conversation.sent(1, now: now)
    isClosed = conversation.closeGap(now: now)
    #expect(isClosed && !conversation.hasGap)
    #expect(heard().contains(#""method":"gap""#))
    conversation.tell(line, now: now)
    #expect(conversation.unsent.elementsEqual(line))
  }

  @Test mutating func `is not read while its answers wait`() {
    begin()
    #expect(conversation.isReading)
    conversation.answer(Array("1".utf8), .success([UInt8](repeating: UInt8(ascii: "1"), count: 5 << 20)), now: now)
    #expect(!conversation.isReading)
    conversation.sent(2 << 20, now: now)
    #expect(conversation.isReading)
  }

  @Test mutating func `ends after a minute in which nothing was read`() {
    begin()
    now = now + .seconds(1000)
    #expect(conversation.deadline == nil && !conversation.isOver(now: now))
    conversation.answer(Array("1".utf8), .success(Array("true".utf8)), now: now)
    #expect(conversation.deadline == now + .seconds(60))
    now = now + .seconds(59)
    conversation.sent(1, now: now)
    now = now + .seconds(59)
    #expect(!conversation.isOver(now: now))
    now = now + .seconds(1)
    #expect(conversation.isOver(now: now))
  }

  @Test func `takes lines as it takes them whole, however they are cut`() {
    var random = SeededGenerator(seed: Fuzz.seed)
    let samples = [
      Self.hello, #"{"jsonrpc":"2.0","id":2,"method":"list","params":{"page":1}}"# + "\n",
      #"{"jsonrpc":"2.0","method":"x"}"# + "\r\n", "\n", "{\n",
    ].map { Array($0.utf8) }
    for _ in 0..<min(Fuzz.rounds, 5000) {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let sample = samples.randomElement(using: &random) ?? []
        bytes += Bool.random(using: &random) ? sample : random.mutate(sample, alphabet: Array("{}[]\":,\n\\0".utf8))
      }
      var (whole, parts) = (conversation, conversation)
      let expected = whole.received(bytes, now: now).map { [$0.id ?? [], Array($0.method.utf8)] }
      var found: [[[UInt8]]] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...20, using: &random))
        found += parts.received(part, now: now).map { [$0.id ?? [], Array($0.method.utf8)] }
        rest = rest.dropFirst(part.count)
      }
      #expect(found == expected && parts.unsent == whole.unsent)
      // What it says is one object a line.
      for line in whole.unsent.split(separator: UInt8(ascii: "\n")) { #expect(ControlReply(line: Array(line)) != nil) }
    }
  }
}
