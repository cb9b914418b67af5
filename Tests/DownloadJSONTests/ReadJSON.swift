import DownloadCore
import Testing

@testable import DownloadJSON

/// All entries and errors that a parser finds, for a caller that continues after errors.
struct ReadJSON: Equatable {
  var entries: [ListEntry] = []
  var errors: [ListError] = []

  init(_ bytes: [UInt8], _ parser: any ListParser, partSize: Int = .max) {
    var parser = parser
    var rest = bytes[...]
    while !rest.isEmpty {
      rest.prefix(partSize).withUnsafeBytes { parser.append($0) }
      rest = rest.dropFirst(partSize)
      readAll(&parser)
    }
    parser.end()
    readAll(&parser)
  }

  private mutating func readAll(_ parser: inout any ListParser) {
    while true {
      do throws(ListError) {
        guard let entry = try parser.next() else { return }
        entries.append(entry)
      } catch {
        errors.append(error)
      }
    }
  }

  static func document(_ text: String, _ rules: ColumnRules = ColumnRules()) -> ReadJSON {
    ReadJSON(Array(text.utf8), JSONDocumentParser(rules), partSize: 7)
  }

  static func lines(_ text: String, _ rules: ColumnRules = ColumnRules()) -> ReadJSON {
    ReadJSON(Array(text.utf8), JSONLinesParser(rules), partSize: 7)
  }

  static func rules(columns: String? = nil, template: String? = nil, scheme: String? = nil) throws -> ColumnRules {
    ColumnRules(
      choice: try columns.map { try ColumnChoice(text: Array($0.utf8)) },
      template: try template.map { try URLTemplate(text: Array($0.utf8)) }, scheme: scheme)
  }

  var urls: [[String]] { entries.map { $0.urls.map { String(decoding: $0, as: UTF8.self) } } }
  var outs: [String?] { entries.map { $0.out.map { String(decoding: $0, as: UTF8.self) } } }
  var names: [String?] { entries.map { $0.name.map { String(decoding: $0, as: UTF8.self) } } }
  var digests: [[String]] { entries.map { $0.digests.map(\.text) } }
  var lineNumbers: [Int] { entries.map(\.lineNumber) }
  var problems: [ListProblem] { errors.map(\.problem) }
}

enum Samples {
  static let md5 = String(repeating: "0123456789abcdef", count: 2)
  static let sha256 = String(repeating: "0123456789abcdef", count: 4)
  static let otherSHA256 = String(repeating: "fedcba9876543210", count: 4)

  /// An entry with every key.
  static let full = """
    {"url": ["https://h/1", "https://m/1"], "out": "sub/é", "dir": "/d", "size": 123, "checksum": {"sha256": \
    "\(sha256)", "MD5": "\(md5)"}, "headers": {"Accept": "a/b", "X-E": ["", "2"]}, "pieces": {"algorithm": "sha-256", \
    "length": 100, "hashes": ["\(sha256)", "\(otherSHA256)"], "x-y": []}, "untrusted": true, "x-note": {"a": [1.5, null]}}
    """

  /// Entries that the parser and the schema accept.
  static let valid = [
    full, #"{"url":"https://h/1"}"#, #"{"url":"https://h/1#sha256=\#(sha256)","size":0}"#,
    #"{"url":"https://h/1","size":9223372036854775807}"#, #"{"url":"https://h/1","checksum":"sha3-256:\#(sha256)"}"#,
    #"{"url":"https://h/1","headers":{},"x-":1}"#,
    #"{"reason":"404","url":"https://h/1","source":{"list":"l","line":1}}"#,
    #"{"url":"https://h/1","final_url":"https://h/2","etag":"\"x\"","last_modified":"Sun, 06 Nov 1994 08:49:37 GMT"}"#,
    #"{"url":"https://h/\u00e9","checksum":{"SHA":"\#(String(repeating: "0a", count: 20))"}}"#,
  ]

  /// Entries that both refuse.
  static let invalid: [(text: String, problem: ListProblem)] = [
    (#"{}"#, .json(.missingKey(Array("url".utf8)))), (#"[]"#, .json(.wrongType(key: nil, expected: .object))),
    (#"{"url":1}"#, .json(.wrongType(key: Array("url".utf8), expected: .texts))),
    (#"{"url":[]}"#, .json(.emptyValue(key: Array("url".utf8)))), (#"{"url":""}"#, .table(.emptyURL)),
    (#"{"url":[["https://h"]]}"#, .json(.wrongType(key: Array("url".utf8), expected: .texts))),
    (#"{"url":"https://h/\u0001"}"#, .controlCharacter),
    (#"{"url":"https://h/1","size":-1}"#, .json(.notSize(key: Array("size".utf8)))),
    (#"{"url":"https://h/1","size":1.5}"#, .json(.notSize(key: Array("size".utf8)))),
    (#"{"url":"https://h/1","size":"1"}"#, .json(.notSize(key: Array("size".utf8)))),
    (#"{"url":"https://h/1","size":null}"#, .json(.notSize(key: Array("size".utf8)))),
    (#"{"url":"https://h/1","size":9223372036854775808}"#, .json(.syntax(.numberTooLarge))),
    (#"{"url":"https://h/1","out":7}"#, .json(.wrongType(key: Array("out".utf8), expected: .text))),
    (#"{"url":"https://h/1","out":""}"#, .json(.emptyValue(key: Array("out".utf8)))),
    (#"{"url":"https://h/1","name":"a"}"#, .json(.unknownKey(Array("name".utf8)))),
    (#"{"url":"https://h/1","X-a":"a"}"#, .json(.unknownKey(Array("X-a".utf8)))),
    (#"{"url":"https://h/1","checksum":"\#(sha256)"}"#, .table(.unnamedDigest)),
    (#"{"url":"https://h/1","checksum":""}"#, .json(.emptyValue(key: Array("checksum".utf8)))),
    (#"{"url":"https://h/1","checksum":{}}"#, .json(.emptyValue(key: Array("checksum".utf8)))),
    (#"{"url":"https://h/1","checksum":["a"]}"#, .json(.wrongType(key: Array("checksum".utf8), expected: .checksum))),
    (#"{"url":"https://h/1","checksum":{"crc32":"0a0a0a0a"}}"#, .unknownAlgorithm(Array("crc32".utf8))),
    (#"{"url":"https://h/1","checksum":{"md5":"zz"}}"#, .malformedDigest(.md5)),
    (#"{"url":"https://h/1","headers":["a"]}"#, .json(.wrongType(key: Array("headers".utf8), expected: .object))),
    (#"{"url":"https://h/1","headers":{"a b":"c"}}"#, .json(.malformedHeader)),
    (#"{"url":"https://h/1","headers":{"a":"c\r\nd: e"}}"#, .json(.malformedHeader)),
    (#"{"url":"https://h/1","headers":{"a":1}}"#, .json(.wrongType(key: Array("a".utf8), expected: .texts))),
    (#"{"url":"https://h/1","headers":{"a":["b",1]}}"#, .json(.wrongType(key: Array("a".utf8), expected: .texts))),
    (#"{"url":"https://h/1","headers":{"a":[]}}"#, .json(.emptyValue(key: Array("a".utf8)))),
    (#"{"url":"https://h/1","headers":{"a":["b\nc"]}}"#, .json(.malformedHeader)),
    (#"{"url":"https://h/1","dir":""}"#, .json(.emptyValue(key: Array("dir".utf8)))),
    (#"{"url":"https://h/1","untrusted":1}"#, .json(.wrongType(key: Array("untrusted".utf8), expected: .boolean))),
    (#"{"url":"https://h/1","pieces":[]}"#, .json(.wrongType(key: Array("pieces".utf8), expected: .object))),
    (#"{"url":"https://h/1","pieces":{"algorithm":"md5","length":1}}"#, .json(.missingKey(Array("hashes".utf8)))),
    (
      #"{"url":"https://h/1","pieces":{"algorithm":"md5","length":0,"hashes":["\#(md5)"]}}"#,
      .json(.notSize(key: Array("length".utf8)))
    ),
    (
      #"{"url":"https://h/1","pieces":{"algorithm":"md5","length":1,"hashes":[]}}"#,
      .json(.emptyValue(key: Array("hashes".utf8)))
    ),
    (
      #"{"url":"https://h/1","pieces":{"algorithm":"md5","length":1,"hashes":["\#(md5)"],"a":1}}"#,
      .json(.unknownKey(Array("a".utf8)))
    ),
  ]

  /// What only a parser refuses.
  static let invalidForParser: [(text: String, problem: ListProblem)] = [
    (#"{"url":"https://h/1","out":"a","out":"b"}"#, .json(.syntax(.duplicateKey))),
    (#"{"url":"https://h/1","x-a":{"b":1,"b":2}}"#, .json(.syntax(.duplicateKey))),
    (#"{"url":"https://h/1","out":"a\u0000b"}"#, .json(.syntax(.nulCharacter))),
    (#"{"url":"https://h/1","a\u0000b":1}"#, .json(.syntax(.nulCharacter))),
    (#"{"url":"https://h/1""#, .json(.syntax(.incomplete))),
    (#"{"url":"https://h/1"} {}"#, .json(.syntax(.textAfterValue))),
    (#"{'url':"https://h/1"}"#, .json(.syntax(.invalid))), (#"{"url":"https://h/1",}"#, .json(.syntax(.invalid))),
    (#"5"#, .json(.syntax(.invalid))), (#"{"url":"\ud800"}"#, .json(.syntax(.invalid))),
    (String(repeating: "[", count: 100_000), .json(.syntax(.tooDeep))),
    (#"{"url":"h/1"}"#, .table(.notURL(Array("h/1".utf8)))),
    (#"{"url":"https://h/1","checksum":{"md5":"\#(md5)0"}}"#, .malformedDigest(.md5)),
    (
      #"{"url":"https://h/1#md5=\#(md5)","checksum":"md5:\#(String(repeating: "0", count: 32))"}"#,
      .contradictoryDigests(.md5)
    ),
    (
      #"{"url":"https://h/1","size":2,"pieces":{"algorithm":"md5","length":1,"hashes":["\#(md5)"]}}"#,
      .json(.pieceCount(found: 1, size: 2))
    ),
    (
      #"{"url":"https://h/1","size":0,"pieces":{"algorithm":"md5","length":1,"hashes":["\#(md5)"]}}"#,
      .json(.pieceCount(found: 1, size: 0))
    ),
  ]
}
