import DownloadCore
import DownloadJSON

extension FuzzTarget {
  /// Long JSON documents, of which only parts are held.
  static var documents: [FuzzTarget] {
    let samples = [
      #"{"version":1, "a" : [ {"x":[1,2]} , "]\"," ,3 ] , "b":null}"#, #"{"a":[],"b":{"a":[1,"}"]},"k\"":"é"}"#,
      "{\"a\":[{\n1,\r\n2}\n],\"b\":\n7}\n", "[1,\n[2],{}]", #"{"\u0061":["é"],"\\":""}"#,
    ]
    return [
      FuzzTarget(name: "documents", samples: samples.map { Array($0.utf8) }) { input in
        let whole = Splitting(of: [input.text])
        var divided: [[UInt8]] = []
        input.forEachPart { divided.append(Array($0)) }
        require(Splitting(of: divided) == whole, "parts change what is read")
        let lineCount = input.text.count { $0 == 0x0a } + 1
        require(whole.lines.allSatisfy { (1...lineCount).contains($0) }, "lines \(whole.lines)")
        require(whole.lines == whole.lines.sorted(), "lines \(whole.lines)")
        let lengths = whole.parts.map { $0.bytes?.count ?? 0 }
        require(lengths.allSatisfy { $0 <= Splitting.mostBytes }, "a part that is too long")
        require(lengths.reduce(0, +) <= input.text.count, "parts that are longer than their text")
        guard whole.fault == nil else { return }
        // Written anew, the parts are the same.
        let again = Splitting(of: [whole.text], mostBytes: .max)
        require(
          again.fault == nil && again.parts.elementsEqual(whole.parts, by: { $0.isSame(as: $1) }), "\(whole.parts)")
      },
      FuzzTarget(
        name: "next-pages",
        samples: [
          #"{"a":[1],"links":{"next":{"href":"https://h/2"}}}"#, #"[{"next":"/2"}]"#,
          #"{"next":null,"nextLink":"?p=2"}"#,
        ].map {
          Array($0.utf8)
        }
      ) { input in
        var whole = NextPageReader()
        input.text.withUnsafeBytes { whole.append($0) }
        var divided = NextPageReader()
        // The first part has as many bytes as a byte order mark.
        input.text.prefix(3).withUnsafeBytes { divided.append($0) }
        for byte in input.text.dropFirst(3) { [byte].withUnsafeBytes { divided.append($0) } }
        require(whole.reference == divided.reference, "parts change what is read")
      },
      FuzzTarget(
        name: "utf-16", samples: [[0xff, 0xfe, 0x61, 0, 0x3d, 0xd8, 0, 0xde], [0xfe, 0xff, 0, 0x61, 0x20, 0xac]]
      ) { input in
        guard var whole = UTF16Decoder(beginning: input.text), var divided = UTF16Decoder(beginning: input.text) else {
          return
        }
        func decoded(_ decoder: inout UTF16Decoder, _ parts: [[UInt8]]) -> [UInt8]? {
          var text: [UInt8] = []
          do {
            for part in parts { try part.withUnsafeBytes { try decoder.decode($0, into: &text) } }
            try decoder.end()
          } catch { return nil }
          return text
        }
        var parts: [[UInt8]] = []
        input.forEachPart { parts.append(Array($0)) }
        let text = decoded(&whole, [input.text])
        require(decoded(&divided, parts) == text, "parts change what is read")
        if let text { require(String(validating: text, as: UTF8.self) != nil, "text that is no UTF-8") }
      },
    ]
  }
}

extension DocumentSplitter.Part {
  /// The text of a value.
  fileprivate var bytes: [UInt8]? {
    switch self {
    case .member(_, let text), .element(let text, _): text.bytes
    case .array, .object: nil
    }
  }

  fileprivate var line: Int {
    switch self {
    case .member(_, let text), .element(let text, _): text.line
    case .array(_, _, let line), .object(_, let line): line
    }
  }

  /// Whether it says the same, be it on another line.
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.member(let key, let text), .member(let otherKey, let otherText)):
      key == otherKey && text.bytes == otherText.bytes
    case (.element(let text, _), .element(let otherText, _)): text.bytes == otherText.bytes
    case (.array(let key, _, _), .array(let otherKey, _, _)): key == otherKey
    default: false
    }
  }
}

/// What a text has, up to its fault.
private struct Splitting: Equatable {
  var parts: [DocumentSplitter.Part] = []
  var fault: DocumentSplitter.Fault?

  static let mostBytes = 64

  init(of blocks: [[UInt8]], mostBytes: Int = Self.mostBytes) {
    var splitter = DocumentSplitter(arrays: [[0x61]], mayBeArray: true, mostBytes: mostBytes)
    for block in blocks where fault == nil {
      block.withUnsafeBytes { bytes in
        splitter.append(bytes) { part in
          switch part {
          case .success(let part): parts.append(part)
          case .failure(let found): fault = found
          }
        }
      }
    }
    fault = fault ?? splitter.faultOfEnd
  }

  var lines: [Int] { parts.map(\.line) + (fault.map { [$0.line] } ?? []) }

  /// A document of these parts.
  var text: [UInt8] {
    var members: [[UInt8]] = []
    var elements: [[UInt8]]?
    func endArray() {
      guard let inner = elements else { return }
      members.append(Array("\"a\":[".utf8) + inner.joined(separator: [0x2c]) + [0x5d])
      elements = nil
    }
    for part in parts {
      switch part {
      case .array(key: nil, _, _):
        return [0x5b] + parts.compactMap(\.bytes).joined(separator: [0x2c]) + [0x5d]
      case .array:
        endArray()
        elements = []
      case .object: break
      case .element(let text, _): elements?.append(text.bytes)
      case .member(let key, let text):
        endArray()
        members.append(Self.quoted(key) + [0x3a] + text.bytes)
      }
    }
    endArray()
    return [0x7b] + members.joined(separator: [0x2c]) + [0x7d]
  }

  private static func quoted(_ key: [UInt8]) -> [UInt8] {
    let inner: [[UInt8]] = key.map { byte in
      switch byte {
      case 0x22, 0x5c: [0x5c, byte]
      case 0x00..<0x20: Array("\\u00".utf8) + [0x30 + byte / 16, Array("0123456789abcdef".utf8)[Int(byte % 16)]]
      default: [byte]
      }
    }
    return [0x22] + inner.joined() + [0x22]
  }
}
