import JSONLists

extension FuzzTarget {
  private typealias Part = DocumentSplitter.Part
  private typealias Fault = DocumentSplitter.Fault

  /// Long JSON documents, of which only parts are held.
  static var documents: [FuzzTarget] {
    let samples = [
      #"{"version":1, "a" : [ {"x":[1,2]} , "]\"," ,3 ] , "b":null}"#, #"{"a":[],"b":{"a":[1,"}"]},"k\"":"é"}"#,
      "{\"a\":[{\n1,\r\n2}\n],\"b\":\n7}\n",
    ]
    return [
      FuzzTarget(name: "documents", samples: samples.map { Array($0.utf8) }) { input in
        let whole = parts(of: [input.text])
        var divided: [[UInt8]] = []
        input.forEachPart { divided.append(Array($0)) }
        require(parts(of: divided) == whole, "parts change what is read")
        require(whole.parts.allSatisfy(isShort), "a part that is too long")
        let length = whole.parts.reduce(0) { sum, part in
          switch part {
          case .member(let key, let text): sum + key.count + text.count
          case .element(let text): sum + text.count
          }
        }
        require(length <= input.text.count, "parts that are longer than their text")
        guard whole.fault == nil else { return }
        // Written anew, without the array where it is empty, the parts are the same.
        let again = parts(of: [text(of: whole.parts)])
        require(again.parts == whole.parts && again.fault == nil, "\(whole.parts)")
        require(whole.hasArray || !again.hasArray, "elements without an array")
      }
    ]
  }

  private static let mostBytes = 64

  private static func isShort(_ part: Part) -> Bool {
    switch part {
    case .member(let key, let text): key.count <= mostBytes && text.count <= mostBytes
    case .element(let text): text.count <= mostBytes && !text.contains { $0 == 0x0a || $0 == 0x0d }
    }
  }

  /// What a text in these blocks has, up to its fault.
  private static func parts(of blocks: [[UInt8]]) -> Splitting {
    var splitter = DocumentSplitter(array: "a", mostBytes: mostBytes)
    var found = Splitting()
    for block in blocks where found.fault == nil {
      block.withUnsafeBytes { bytes in
        splitter.append(bytes) { part in
          switch part {
          case .success(let part): found.parts.append(part)
          case .failure(let fault): found.fault = fault
          }
        }
      }
    }
    found.fault = found.fault ?? splitter.faultOfEnd
    found.hasArray = splitter.hasArray
    return found
  }

  private struct Splitting: Equatable {
    var parts: [Part] = []
    var fault: Fault?
    var hasArray = false
  }

  /// A document of these parts.
  private static func text(of parts: [Part]) -> [UInt8] {
    var members: [[UInt8]] = []
    var elements: [[UInt8]] = []
    func endArray() {
      if !elements.isEmpty { members.append(Array("\"a\":[".utf8) + elements.joined(separator: [0x2c]) + [0x5d]) }
      elements = []
    }
    for part in parts {
      switch part {
      case .element(let text): elements.append(text)
      case .member(let key, let text):
        endArray()
        members.append([0x22] + key + Array("\":".utf8) + text)
      }
    }
    endArray()
    return [0x7b] + members.joined(separator: [0x2c]) + [0x7d]
  }
}
