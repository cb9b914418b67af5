import TestSupport
import Testing

@testable import JSONLists

@Suite struct `A document in parts` {
  /// The parts of a text as words, and how it ends.
  private func parts(_ text: String, blockSize: Int = .max, mostBytes: Int = 1000) -> [String] {
    var splitter = DocumentSplitter(array: "a", mostBytes: mostBytes)
    var found: [String] = []
    var fault: DocumentSplitter.Fault?
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty, fault == nil {
      rest.prefix(blockSize).withUnsafeBytes { block in
        splitter.append(block) { part in
          switch part {
          case .success(.member(let key, let text)):
            found.append(String(decoding: key, as: UTF8.self) + "=" + String(decoding: text, as: UTF8.self))
          case .success(.element(let text)): found.append(String(decoding: text, as: UTF8.self))
          case .failure(let problem): fault = problem
          }
        }
      }
      rest = rest.dropFirst(blockSize)
    }
    if let fault = fault ?? splitter.faultOfEnd { found.append("\(fault)") }
    return found
  }

  @Test(
    arguments: [
      ("{}", []), (" { } \n", []), (#"{"a":[]}"#, []), (#"{"a":[1]}"#, ["1"]),
      (
        #"{"b" : {"a":[1,"}"]} , "a" : [ {"x":[1,2]} , "]\"," ,3 ] , "c":null}"#,
        [#"b={"a":[1,"}"]}"#, #"{"x":[1,2]}"#, #""]\",""#, "3", "c=null"]
      ), (#"{"a":{"b":1},"k\"":"é"}"#, [#"a={"b":1}"#, #"k\"="é""#]), ("{\"a\":[{\n1,\r\n2}\n]\n}\n", ["{ 1,  2}"]),
    ] as [(String, [String])]) func `is its members and the elements of its array`(text: String, expected: [String])
  { for blockSize in [1, 2, 7, 1000] { #expect(parts(text, blockSize: blockSize) == expected, "\(text)") } }

  @Test(arguments: [
    ("", "incomplete"), ("[]", "invalid"), ("7", "invalid"), ("{", "incomplete"), (#"{"a":[1"#, "incomplete"),
    (#"{"a":[1]"#, "incomplete"), (#"{"b":"x"#, "incomplete"), ("{} {}", "textAfterObject"), (#"{"b":}"#, "invalid"),
    (#"{"b":1,}"#, "invalid"), (#"{,}"#, "invalid"), (#"{"b" 1}"#, "invalid"), (#"{"a":[1,]}"#, "invalid"),
    (#"{"a":[,1]}"#, "invalid"), (#"{"a":[1}"#, "invalid"), (#"{"b":1]"#, "invalid"),
    (#"{"b":1,"b":2}"#, "duplicateKey([98])"), (#"{"a":[1],"a":[2]}"#, "duplicateKey([97])"), (#"{b:1}"#, "invalid"),
  ]) func `is refused where brackets, commas and keys are wrong`(text: String, fault: String) {
    for blockSize in [1, 1000] { #expect(parts(text, blockSize: blockSize).last == fault, "\(text)") }
  }

  @Test func `has parts of a limited length`() {
    #expect(parts(#"{"a":["1234567","12345678"]}"#, mostBytes: 9) == [#""1234567""#, "tooLong"])
    #expect(parts(#"{"a":[],"b":[1,2,3,4]}"#, mostBytes: 8).last == "tooLong")
    #expect(parts(#"{"123456789":0}"#, mostBytes: 8).last == "tooLong")
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
