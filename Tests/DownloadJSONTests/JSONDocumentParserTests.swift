import DownloadCore
import Testing

@testable import DownloadJSON

@Suite struct `JSON documents` {
  @Test(arguments: [
    (#""next": "https://h/?page=2""#, true), (#""next": "/api?page=2""#, true), (#""next": "?page=2""#, true),
    (#""links": {"self": "https://h/", "next": "https://h/?page=2"}"#, true),
    (#""_links": {"next": {"href": "https://h/?page=2"}}"#, true),
    (#""links": [{"rel": "self", "href": "https://h/"}, {"rel": "next", "href": "https://h/?page=2"}]"#, true),
    (#""@odata.nextLink": "https://h/?$skip=2""#, true),
    (#""next": null"#, false), (#""next": """#, false), (#""next": 2"#, false), (#""next": "no more""#, false),
    (#""links": {"self": "https://h/", "prev": "https://h/"}"#, false),
    (#""links": [{"rel": "prev", "href": "/1"}]"#, false),
    (#""links": {"next": null}"#, false), (#""previous": "https://h/""#, false),
    (#""x": {"next": "https://h/"}"#, false),
  ])
  func `a list that goes on elsewhere is refused`(member: String, isRefused: Bool) throws {
    let records = #""a": [{"url": "https://h/1"}]"#
    let rules = try ReadJSON.rules(columns: "url=a.url")
    for text in ["{\(member), \(records)}", "{\(records), \(member)}"] {
      #expect(ReadJSON.document(text, rules).problems == (isRefused ? [.json(.nextPage)] : []), "\(text)")
    }
    let package = #"{"resources": [{"path": "https://h/1"}], "# + member + "}"
    #expect(ReadJSON.document(package).problems.contains(.json(.nextPage)) == isRefused)
  }

  @Test func `a path that leads to nothing in any record is an error`() throws {
    let rules = try ReadJSON.rules(columns: "url=url,sha256=h.sha,size=size,mirror=m")
    let good = #"{"url": "https://h/1", "h": {"sha": null}}"#
    let other = #"{"url": "https://h/2", "size": 1, "m": "https://m/2"}"#
    let misspelt = #"{"url": "https://h/3", "h": {"Sha": "x"}, "size": 2, "m": "https://m/3"}"#
    for (records, problems) in [
      ([good, other], []), ([other, misspelt], [ListProblem.json(.unknownPath(Array("h.sha".utf8)))]),
      ([good], [.json(.unknownPath(Array("size".utf8)))]), ([], []),
      ([#"{"url": "https://h/4", "type": "directory"}"#], []),
    ] as [([String], [ListProblem])] {
      #expect(ReadJSON.lines(records.joined(separator: "\n"), rules).problems == problems)
      #expect(ReadJSON.document("[\(records.joined(separator: ","))]", rules).problems == problems)
      if records.count == 1 { #expect(ReadJSON.document(records[0], rules).problems == problems) }
    }
  }

  @Test func `our own has a version and files, each with its line`() {
    let list = ReadJSON.document(
      """
      \u{feff}{
        "x-files": [["}"], "a\\"]"], "x-a": "files",
        "version": 1, "files": [ {"url": "https://h/1"},
          {"url": "https://h/2",
           "x-a": [1, "]"] }, {"url": "https://h/3"},

          {"url": 4}, 5 ]
      }
      """)
    #expect(list.urls == [["https://h/1"], ["https://h/2"], ["https://h/3"]] && list.lineNumbers == [3, 4, 5])
    #expect(list.errors.map(\.lineNumber) == [7, 7])
    #expect(list.problems.last == .json(.wrongType(key: nil, expected: .object)))
  }

  @Test func `samples are judged as in JSON Lines`() {
    for text in Samples.valid {
      let list = ReadJSON.document("{\"version\":1,\"files\":[\n\(text)\n]}")
      #expect(list.errors == [] && list.lineNumbers == [2], "\(text)")
    }
    for (text, problem) in Samples.invalid {
      let list = ReadJSON.document("{\"files\":[\n\(text),{\"url\":\"https://h/2\"}],\"version\":1}")
      #expect(list.errors == [ListError(lineNumber: 2, problem)], "\(text)")
      if case .json(.syntax) = problem { continue }
      #expect(list.urls == [["https://h/2"]], "\(text)")
    }
  }

  @Test func `no files, no entries`() {
    for text in ["", " \n", "\u{feff}", "{\"version\":1,\"files\":[]}"] {
      let list = ReadJSON.document(text)
      #expect(list.entries == [] && list.errors == [], "\(text)")
    }
  }

  @Test(arguments: [
    (#"{"files":[]}"#, JSONProblem.missingKey(Array("version".utf8))),
    (#"{"version":1}"#, .missingKey(Array("files".utf8))), (#"{"version":2,"files":[]}"#, .unknownVersion),
    (#"{"version":"1","files":[]}"#, .unknownVersion), (#"{"version":1.0,"files":[]}"#, .unknownVersion),
    (#"{"version":1,"files":{}}"#, .wrongType(key: Array("files".utf8), expected: .array)),
    (#"{"version":1,"files":[],"a":1}"#, .unknownKey(Array("a".utf8))), (#"{"a":1}"#, .unknownDocument),
    (#"[{"url":"https://h/1"}]"#, .unknownDocument), (#"{"version":1,"version":1,"files":[]}"#, .syntax(.duplicateKey)),
    ("{\"version\":1,\"files\":[]", .syntax(.incomplete)),
    (#"{"resources":{}}"#, .wrongType(key: Array("resources".utf8), expected: .array)),
  ])
  func `other documents are refused`(text: String, problem: JSONProblem) {
    #expect(ReadJSON.document(text).problems == [.json(problem)])
  }

  @Test func `an error of syntax has its line`() {
    #expect(ReadJSON.document("{\"version\":1,\n\"files\":[\n{,]}").errors.map(\.lineNumber) == [3])
  }

  @Test func `a document has any length, its entries and other values at most 4 MiB`() throws {
    let limit = JSONDocumentParser.maximumPartByteCount
    let blanks = String(repeating: " ", count: limit)
    func long(_ byteCount: Int) -> String { "\"\(String(repeating: "x", count: byteCount - 2))\"" }
    for partSize in [Int.max, 256 << 10] {
      func read(_ text: String, _ rules: ColumnRules = ColumnRules()) -> ReadJSON {
        ReadJSON(Array(text.utf8), JSONDocumentParser(rules), partSize: partSize)
      }
      let frame = "{\"version\":1,\n\"x-a\":\(long(limit)),\"files\":[{\"url\":\"https://h/1\"},"
      let list = read("\(frame)\(blanks)\n{\"url\":\"https://h/2\"}]\(blanks)}")
      #expect(list.urls == [["https://h/1"], ["https://h/2"]] && list.lineNumbers == [2, 3] && list.errors == [])
      let tooLong = ListProblem.json(.valueTooLong(limit: limit))
      #expect(read("{\"x-a\":\(long(limit + 1)),\"version\":1,\"files\":[]}").problems == [tooLong])
      let entry = read("\(frame){\"url\":\(long(limit))},{\"url\":\"https://h/2\"}]}")
      #expect(entry.urls == [["https://h/1"]] && entry.problems == [tooLong])
      // A document that is one record is held.
      let record = "{\"url\":\"https://h/1\"}"
      let rules = try ReadJSON.rules(columns: "url=url")
      #expect(read(record + blanks.dropFirst(record.utf8.count), rules).urls == [["https://h/1"]])
      #expect(read(record + blanks, rules).problems == [tooLong])
    }
  }

  @Test func `keys may be written with escapes`() throws {
    let own = ReadJSON.document(#"{"\u0066iles":[{"url":"https://h/1"}],"version":1}"#)
    #expect(own.urls == [["https://h/1"]] && own.errors == [])
    let records = ReadJSON.document(
      #"{"donn\u00e9es":[{"u":"https://h/1"}]}"#, try ReadJSON.rules(columns: "url=données.u"))
    #expect(records.urls == [["https://h/1"]] && records.errors == [])
    #expect(ReadJSON.document(#"{"version":1,"versio\u006e":1}"#).problems == [.json(.syntax(.duplicateKey))])
  }

  @Test func `entries before an error of syntax are known`() {
    let cut = ReadJSON.document("{\"version\":1,\"files\":[{\"url\":\"https://h/1\"},\n{\"url\":\"htt")
    #expect(cut.urls == [["https://h/1"]])
    #expect(cut.errors == [ListError(lineNumber: 2, .json(.syntax(.incomplete)))])
  }

  // MARK: Data packages

  @Test func `a data package has resources with paths, hashes and sizes`() {
    let list = ReadJSON.document(
      """
      {"name": "p", "licenses": [{"path": "https://l"}],
       "resources": [
        {"name": "a", "path": "data/a b.csv", "hash": "\(Samples.md5)", "bytes": 12, "schema": {}},
        {"path": "https://h/b.csv", "hash": "sha256:\(Samples.sha256)"},
        {"name": "c", "data": [1, 2]},
        {"name": "d", "path": ["d1", "d2"]}, {"name": "e"},
        {"path": "f", "hash": "\(Samples.sha256)"}, {"path": "g", "bytes": -1}, {"path": ""},
        {"path": "h", "hash": "crc:1"}
      ]}
      """)
    #expect(list.names == ["data/a b.csv", nil] && list.urls == [[], ["https://h/b.csv"]])
    #expect(list.digests == [["md5:\(Samples.md5)"], ["sha256:\(Samples.sha256)"]])
    #expect(list.entries.map(\.size) == [12, nil] && list.lineNumbers == [3, 4])
    #expect(list.errors.map(\.lineNumber) == [6, 6, 7, 7, 7, 8])
    #expect(
      list.problems == [
        .json(.resourceInParts), .json(.missingKey(Array("path".utf8))), .malformedDigest(.md5),
        .json(.notSize(key: Array("bytes".utf8))), .json(.emptyValue(key: Array("path".utf8))),
        .unknownAlgorithm(Array("crc".utf8)),
      ])
  }

  // MARK: Records of any form

  @Test func `records are the array itself, or the one that the paths lead to`() throws {
    let tree = ReadJSON.document(
      """
      [{"type": "file", "path": "a/b.bin", "size": 3, "lfs": {"oid": "\(Samples.sha256)"}},
       {"type": "file", "path": "c", "size": 4}]
      """, try ReadJSON.rules(columns: "out=path,size=size,sha256=lfs.oid", template: "https://h/{+path}"))
    #expect(tree.urls == [["https://h/a/b.bin"], ["https://h/c"]] && tree.outs == ["a/b.bin", "c"])
    #expect(tree.digests == [["sha256:\(Samples.sha256)"], []] && tree.lineNumbers == [1, 2] && tree.errors == [])
    let below = ReadJSON.document(
      "{\"id\": 1, \"tags\": [\"x\"],\n\"files\": [{\"u\": {\"v\": \"https://h/1\"}},\n{\"u\": {\"v\": \"https://h/2\"}}]}",
      try ReadJSON.rules(columns: "url=files.u.v"))
    #expect(below.urls == [["https://h/1"], ["https://h/2"]] && below.lineNumbers == [2, 3] && below.errors == [])
    let one = ReadJSON.document("{\"a\": {\"url\": \"https://h/1\"}}", try ReadJSON.rules(columns: "url=a.url"))
    #expect(one.urls == [["https://h/1"]])
  }

  @Test func `records of directories are passed over`() throws {
    let rules = try ReadJSON.rules(columns: "url=u")
    let records = [
      #"{"type":"directory"}"#, #"{"type":"blob","u":"https://h/1"}"#, #"{"type":"tree","u":"https://h/2"}"#,
    ]
    for read in [
      ReadJSON.document("[\(records.joined(separator: ","))]", rules),
      ReadJSON.lines(records.joined(separator: "\n"), rules),
    ] {
      #expect(read.urls == [["https://h/1"]] && read.errors == [])
    }
    // In swiftget's own form it is an unknown key.
    #expect(ReadJSON.lines(records[1]).problems == [.json(.unknownKey(Array("type".utf8)))])
  }

  @Test func `paths that lead elsewhere are refused`() throws {
    let text = #"{"a":[{"u":"https://h/1"}],"b":[{"m":"x"}],"m":1,"c":[{"u":1},2]}"#
    #expect(
      ReadJSON.document(text, try ReadJSON.rules(columns: "url=a.u,md5=b.m")).problems
        == [.json(.pathOutsideRecords(Array("b.m".utf8), key: Array("a.u".utf8)))])
    let around = ReadJSON.document(text, try ReadJSON.rules(columns: "url=a.u,out=m"))
    #expect(around.outs == ["1"] && around.errors == [])
    #expect(ReadJSON.document(text, try ReadJSON.rules(columns: "url=c.u")).problems.last == .json(.noRecords))
    #expect(
      ReadJSON.document(text, try ReadJSON.rules(columns: "url=z.u")).problems
        == [.json(.missingKey(Array("z.u".utf8)))])
  }
}
