import TestSupport
import Testing

@testable import DownloadJSON

@Suite struct `A document in parts` {
  /// The parts of a text as words, and how it ends.
  private func parts(
    _ text: String, records: String? = nil, blockSize: Int = .max, mostBytes: Int = 1000
  ) -> [String] {
    var splitter =
      records.map { DocumentSplitter(records: Array($0.utf8), mostBytes: mostBytes) }
      ?? DocumentSplitter(arrays: [[0x61]], mayBeArray: true, mostBytes: mostBytes)
    var found: [String] = []
    var fault: DocumentSplitter.Fault?
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty, fault == nil {
      rest.prefix(blockSize).withUnsafeBytes { block in
        splitter.append(block) { part in
          switch part {
          case .success(.member(let key, let text)):
            found.append(String(decoding: key, as: UTF8.self) + "=" + word(text))
          case .success(.array(let key, _, let line)): found.append("\(line):[\(key == nil ? "" : "a")")
          case .success(.object(let stepCount, let line)): found.append("\(line):{\(stepCount)")
          case .success(.element(let text, let key)):
            found.append((key.map { String(decoding: $0, as: UTF8.self) + "=" } ?? "") + word(text))
          case .failure(let problem): fault = problem
          }
        }
      }
      rest = rest.dropFirst(blockSize)
    }
    if let fault = fault ?? splitter.faultOfEnd {
      let reason = if case .syntax(let syntax) = fault.reason { "\(syntax)" } else { "tooLong" }
      found.append("\(fault.line):\(reason)")
    }
    return found
  }

  @Test(
    arguments: [
      ("a.*.u", #"{"a":{"x":{"u":1},"y":2},"b":3}"#, ["1:{1", #"x=1:{"u":1}"#, "y=1:2", "b=1:3"]),
      ("*.u", #"{"x":{},"x":[]}"#, ["1:{0", "x=1:{}", "x=1:[]"]),
      ("a.b.u", #"{"a":{"c":[1,{}],"b":[1,2],"d":"}"},"e":4}"#, ["1:[a", "1:1", "1:2", "e=1:4"]),
      ("a.b.*.u", #"{"a":{"b":{"k":1}},"a.b":{"l":2}}"#, ["1:{2", "k=1:1", "1:{2", "l=1:2"]),
      ("a.u", #"{"a":{"v":[1],"u":"x"}}"#, []), ("a.u", #"{"a":[{"u":1}]}"#, ["1:[a", #"1:{"u":1}"#]),
      ("a[].u", #"{"a":[1]}"#, ["a=1:[1]"]), ("a.u", #"{"a":{"b":1,"u":1,"u":2}}"#, ["1:duplicateKey"]),
      ("a.*", #"{"a":{"x":1]}"#, ["1:{1", "1:invalid"]), ("a.b.c", #"{"a":{"b":{"c":1}"#, ["1:incomplete"]),
    ])
  func `the values of an object are told apart by a route`(records: String, text: String, words: [String]) {
    for size in [1, 3, 1000] { #expect(parts(text, records: records, blockSize: size) == words, "\(size)") }
  }

  @Test func `a long member beside the records is passed over, and a long record is not`() {
    let long = "[" + String(repeating: "1,", count: 50) + "1]"
    #expect(parts(#"{"b":\#(long),"a":[1]}"#, records: "a.u", mostBytes: 20) == ["1:[a", "1:1"])
    #expect(parts(#"{"a":[\#(long)]}"#, records: "a.u", mostBytes: 20) == ["1:[a", "1:tooLong"])
  }

  private func word(_ text: DocumentSplitter.PartText) -> String {
    "\(text.line):\(String(decoding: text.bytes, as: UTF8.self))"
  }

  @Test(
    arguments: [
      ("{}", []), (" { } \n", []), (#"{"a":[]}"#, ["1:[a"]), (#"{"a":[1]}"#, ["1:[a", "1:1"]), ("\n[]", ["2:["]),
      ("[ 1\n, [2,\n3],\n{}\n]\n", ["1:[", "1:1", "2:[2,\n3]", "4:{}"]),
      (
        #"{"b" : {"a":[1,"}"]} , "a" : [ {"x":[1,2]} , "]\"," ,3 ] , "c":null}"#,
        [#"b=1:{"a":[1,"}"]}"#, "1:[a", #"1:{"x":[1,2]}"#, #"1:"]\",""#, "1:3", "c=1:null"]
      ), (#"{"a":{"b":1},"k\"":"é"}"#, [#"a=1:{"b":1}"#, #"k"=1:"é""#]),
      ("{\"a\":[{\n1,\r\n2}\n]\n,\n\"b\"\n:\n1}\n", ["1:[a", "1:{\n1,\r\n2}", "b=8:1"]),
    ] as [(String, [String])]) func `is its members and the elements of its array`(text: String, expected: [String])
  { for blockSize in [1, 2, 7, 1000] { #expect(parts(text, blockSize: blockSize) == expected, "\(text)") } }

  @Test(arguments: [
    ("", "incomplete"), ("[", "incomplete"), ("7", "invalid"), ("{", "incomplete"), (#"{"a":[1"#, "incomplete"),
    ("[1,]", "invalid"), ("[1}", "invalid"), ("[] 1", "textAfterValue"), ("{\"\u{0}\":1}", "invalid"),
    (#"{"a":[1]"#, "incomplete"), (#"{"b":"x"#, "incomplete"), ("{} {}", "textAfterValue"), (#"{"b":}"#, "invalid"),
    (#"{"b":1,}"#, "invalid"), (#"{,}"#, "invalid"), (#"{"b" 1}"#, "invalid"), (#"{"a":[1,]}"#, "invalid"),
    (#"{"a":[,1]}"#, "invalid"), (#"{"a":[1}"#, "invalid"), (#"{"b":1]"#, "invalid"),
    (#"{"b":1,"b":2}"#, "duplicateKey"), (#"{"a":[1],"a":[2]}"#, "duplicateKey"), (#"{b:1}"#, "invalid"),
  ]) func `is refused where brackets, commas and keys are wrong`(text: String, fault: String) {
    for blockSize in [1, 1000] { #expect(parts(text, blockSize: blockSize).last == "1:\(fault)", "\(text)") }
  }

  @Test func `has parts of a limited length`() {
    #expect(parts(#"{"a":["1234567","12345678"]}"#, mostBytes: 9) == ["1:[a", #"1:"1234567""#, "1:tooLong"])
    #expect(parts(#"{"a":[],"b":[1,2,3,4]}"#, mostBytes: 8).last == "1:tooLong")
    #expect(parts(#"{"123456789":0}"#, mostBytes: 8).last == "1:tooLong")
  }

  @Test func `has a limited number of keys`() {
    let keys = (0...DocumentSplitter.maximumKeyCount).map { "\"\($0)\":0" }
    #expect(parts("{\(keys.dropLast().joined(separator: ","))}").last == "\(DocumentSplitter.maximumKeyCount - 1)=1:0")
    #expect(parts("{\(keys.joined(separator: ","))}").last == "1:manyKeys")
  }

  @Test(arguments: 0..<200 as Range<UInt64>) func `ends with parts or a fault, whatever the text is`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = ["{", "}", "[", "]", ",", ":", "\"", "\\", "a", "\"a\"", "\"b\"", "1", " ", "\n", #"{"a":["#, "]}"]
    for _ in 0..<100 {
      let text = (0..<Int.random(in: 0..<14, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }
        .joined()
      #expect(parts(text) == parts(text, blockSize: 1), "\(text)")
    }
  }
}
