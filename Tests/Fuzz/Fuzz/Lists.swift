import DownloadCore
import DownloadJSON
import DownloadMetalink

extension FuzzTarget {
  private static let md5 = String(repeating: "0123456789abcdef", count: 2)
  private static let sha256 = String(repeating: "0123456789abcdef", count: 4)

  /// A parser of a list with some settings.
  private static func list<Parser: ListParser>(
    _ name: String, _ samples: [String], hasCleanURLs: Bool = true,
    _ parsers: [(make: () -> Parser, allowsReferences: Bool)]
  ) -> FuzzTarget {
    FuzzTarget(name: name, choiceCount: parsers.count, samples: samples.map { Array($0.utf8) }) { input in
      // A copy of a parser may share its state.
      let (make, allowsReferences) = input.among(parsers)
      let whole = Reading(input, isWhole: true, make())
      require(Reading(input, isWhole: false, make()) == whole, "parts change what is read")
      whole.requireErrors(input.text)
      for entry in whole.elements {
        entry.requireValid(allowsReferences: allowsReferences, hasCleanURLs: hasCleanURLs)
      }
      _ = ListDetector.format(of: input.text, hasColumns: input.choice & 0x80 != 0)
      _ = ForeignText(beginning: input.text)
      let preamble = ChecksumPreamble.lineCount(in: input.text)
      require(preamble <= input.text.count { $0 == 0x0a }, "a preamble of \(preamble) lines")
    }
  }

  private static var rules: [(ColumnRules, allowsReferences: Bool)] {
    func columns(_ text: String) -> ColumnChoice { try! ColumnChoice(text: Array(text.utf8)) }
    func template(_ text: String) -> URLTemplate { try! URLTemplate(text: Array(text.utf8)) }
    return [
      (ColumnRules(), false), (ColumnRules(scheme: "http"), false), (ColumnRules(allowsReferences: true), true),
      (ColumnRules(choice: columns("url=1,md5=3,out=2")), false),
      (ColumnRules(choice: columns("url=url,out=n.o,size=n.s")), false),
      (ColumnRules(template: template("https://a/{1}/{2}")), false),
      (ColumnRules(template: template("https://a/{n.o}")), false),
      (ColumnRules(choice: columns("url=*.u?,checksum=*.c[].v,algorithm=*.c[].a,out={key},*.t=*")), false),
    ]
  }

  static var lists: [FuzzTarget] {
    [
      list(
        "urls",
        [
          "\u{feff}https://a/1\thttps://b/1#sha256=\(sha256)\n# x\nftp://c/2\r\n",
          "@EXPLICIT\n- https://a/1\n2. <https://a/2>\n\"https://a/3\",\n[x](https://a/4)\n",
        ],
        [({ LineListParser(format: .urlList) }, false)]),
      list(
        "aria2",
        ["https://a/1\thttps://b/1\n  out=x\n  dir=d\n  checksum=sha-256=\(sha256)\n  header=A: b\nhttps://c/2\n"],
        [({ LineListParser(format: .aria2) }, false)]),
      list(
        "checksums",
        [
          "# x\n\(sha256)  a\n\\\(sha256) *b\\nc\nSHA256 (d) = \(sha256)\n", "\(sha256)  https://h/a\n",
          "text\n\n\(md5) *a\\b\n", "# MD5 HASH\n\(md5)  a\nDIST b 1 MD5 \(md5)\nAUX c\nTIMESTAMP = 1\nSIZE (a) = 2\n",
          "-----BEGIN PGP SIGNED MESSAGE-----\nHash: x\n\n\(sha256)  a\n-----BEGIN PGP SIGNATURE-----\nx\n"
            + "-----END PGP SIGNATURE-----\n",
        ], hasCleanURLs: false,
        [
          ({ LineListParser(format: .checksums) }, false),
          ({ LineListParser(format: .checksums, defaultAlgorithm: .sha3_256) }, false),
          ({ LineListParser(format: .checksums, preambleLineCount: 2) }, false),
        ]),
      list(
        "tables",
        [
          "\u{feff}url,out,md5,size,mirror\r\nhttps://a/1,\"x,\"\"y\",\(md5),12,https://b/1\r\n\"https://a/2\",,,,\r\n",
          "url;checksum;name\nhttps://a/1;sha256:\(sha256);a\nhttps://a/2;;\"b\nc\"\n",
          "run\tfastq_ftp\tfastq_md5\tfastq_bytes\nE\ta/1;a/2\t\(md5);\(md5)\t1;2\nF\t\t\t\n",
        ],
        rules.flatMap { rules, allows in
          [nil, 0x09].map { separator in ({ TableParser(rules, separator: separator) }, allows) }
        }),
      list(
        "fields", ["#url size 'na me'\nhttps://a/1 12 \"b c\"\n\nhttps://a/2\t3 d'e\n"],
        rules.map { rules, allows in ({ TableParser(rules, separator: RowSplitter.blanks) }, allows) }),
      list(
        "deb822",
        [
          "Package: a\nFilename: ./p/a.deb\nSize: 1\nSHA256: \(sha256)\n\nDirectory: d\nFiles:\n \(md5) 2 x y b\n",
          "-----BEGIN PGP SIGNED MESSAGE-----\nHash: x\n\nSHA256:\n \(sha256) 3 c\n-----BEGIN PGP SIGNATURE-----\nx\n"
            + "-----END PGP SIGNATURE-----\n",
        ], [({ Deb822Parser() }, false)]),
      list(
        "json",
        [
          "{\"version\":1,\n\"files\":[\n{\"url\":\"https://h/1\",\"out\":\"d/a\",\"size\":1,\"checksum\":{\"md5\":\"\(md5)\"}},\n"
            + "{\"url\":[\"https://h/2\",\"https://i/2\"],\"headers\":[\"A: b\"]}]}",
          "{\"resources\":[{\"path\":\"a\",\"hash\":\"\(md5)\",\"bytes\":1},\n{\"path\":\"https://h/b\"}]}",
          "{\"a\":{\"k\":{\"u\":\"https://h/1\",\"t\":1,\"c\":[{\"v\":\"\(md5)\",\"a\":\"md5\"}]},\"l\":{}}}",
          "[{\"url\":\"https://h/1\",\"n\":{\"o\":\"x\",\"s\":12}},\n{\"url\":[\"https://h/2\"]}]",
        ], rules.map { rules, allows in ({ JSONDocumentParser(rules) }, allows) }),
      list(
        "jsonl",
        [
          "{\"url\":\"https://h/1\",\"out\":\"d/a\",\"size\":1,\"checksum\":{\"sha256\":\"\(sha256)\"}}\n\n"
            + "{\"url\":[\"https://h/2\"],\"n\":{\"o\":\"x\",\"s\":12}}\n{\"name\":\"\\u0041\"}\n"
        ], rules.map { rules, allows in ({ JSONLinesParser(rules) }, allows) }),
      list(
        "pooch",
        ["# x\na.csv \(sha256)\n'b c' md5:\(md5) https://h/b\nd\\ e sha1:\(md5)01234567\n"],
        [({ PoochParser(ColumnRules()) }, true), ({ PoochParser(ColumnRules(allowsReferences: true)) }, true)]),
      list(
        "metalink",
        [
          """
          <?xml version="1.0" encoding="UTF-8"?>
          <metalink xmlns="urn:ietf:params:xml:ns:metalink"><origin>https://h/m</origin>
          <file name="d/a&amp;b"><size>3</size><hash type="sha-256">\(sha256)</hash><language>en</language>
          <pieces length="2" type="md5"><hash>\(md5)</hash><hash>\(md5)</hash></pieces>
          <signature mediatype="x">&#10;<![CDATA[ ]]></signature>
          <url location="de" priority="1">https://h/a</url><url>ftp://i/a</url><metaurl mediatype="torrent">https://h/t</metaurl>
          </file></metalink>
          """,
          """
          <metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="a"><size>1</size>
          <verification><hash type="md5">\(md5)</hash><pieces length="1" type="sha1"><hash piece="0">\(md5)01234567</hash>
          </pieces></verification><resources><url type="http" preference="9">http://h/a</url></resources></file></files></metalink>
          """,
        ], [({ MetalinkParser() }, false)]),
      list(
        "fetch-list", ["https://h/a 12 data/a\n\nhttps://h/b\t-\tdata/a b%0A\n"],
        [({ BagFetchListParser() }, false)]),
    ]
  }
}
