import Testing

@testable import DownloadCore
@testable import DownloadMetalink

@Suite struct `Metalink parser` {
  @Test func `the first example of RFC 5854 is one file`() {
    let list = ReadMetalink(MetalinkSamples.minimal)
    #expect(list.errors == [] && list.names == ["example.ext"] && list.urls == [["http://example.com/example.ext"]])
    #expect(list.entries.map(\.lineNumber) == [4] && list.entries.map(\.size) == [14_471_447])
    #expect(list.entries.allSatisfy { $0.digests == [] && $0.pieces == nil && $0.name == nil })
    #expect(list.origin == MetalinkOrigin())
  }

  @Test func `everything that a version 4 document says of a file is read`() throws {
    let list = ReadMetalink(MetalinkSamples.extensive)
    #expect(list.errors == [] && list.names == ["example.ext", "dir/example2.ext"])
    #expect(list.entries.map(\.lineNumber) == [7, 38] && list.entries.map(\.size) == [14_471_447, nil])
    #expect(
      list.urls == [
        [
          "http://fr.example.com/example.ext", "https://de.example.com/example.ext",
          "http://us.example.com/example.ext",
        ], ["http://example.com/example2.ext?a=1&b=2"],
      ])
    let first = try #require(list.entries.first)
    #expect(first.digests.map(\.text) == ["sha256:\(sha256)", "sha1:\(sha1)"])
    #expect(first.pieces?.length == 5_242_880 && first.pieces?.algorithm == .sha1)
    #expect(first.pieces?.digests.map { $0.bytes[0] } == [0x00, 0x11, 0x22])
    #expect(list.entries[1].digests.map(\.algorithm) == [.sha512])
    let url = Array("http://example.com/example.ext.meta4".utf8)
    #expect(list.origin == MetalinkOrigin(url: url, isDynamic: true))
  }

  @Test func `a version 3 document of mirrorbrain is read`() throws {
    let list = ReadMetalink(MetalinkSamples.version3)
    #expect(list.errors == [] && list.names == ["openSUSE.iso"] && list.entries.map(\.size) == [600_000])
    #expect(
      list.urls == [
        [
          "http://ftp.example.de/openSUSE.iso", "http://ftp.example.cz/openSUSE.iso",
          "http://last.example.org/openSUSE.iso",
        ]
      ])
    let file = try #require(list.entries.first)
    #expect(file.lineNumber == 15 && file.digests.map(\.algorithm) == [.md5, .sha1, .sha256])
    #expect(file.pieces?.length == 262_144 && file.pieces?.digests.map { $0.bytes[0] } == [0x00, 0x11, 0x22])
    let url = Array("http://download.opensuse.org/distribution/openSUSE.iso.metalink".utf8)
    #expect(list.origin == MetalinkOrigin(url: url, isDynamic: true))
  }

  @Test func `prefixes, byte order marks and other encodings are XML's matter`() {
    let prefixed =
      "\u{feff}<m:metalink xmlns:m='\(ReadMetalink.version4)'><m:file name='ä'><m:url>http://h/a</m:url></m:file></m:metalink>"
    #expect(ReadMetalink(prefixed).names == ["ä"])
    let latin =
      Array("<?xml version='1.0' encoding='ISO-8859-1'?><metalink><file name='".utf8) + [0xe4]
      + Array("'><url>http://h/a</url></file></metalink>".utf8)
    #expect(ReadMetalink(bytes: latin).names == ["ä"])
    let wide = "\u{feff}<metalink><file name='ä'><url>http://h/a</url></file></metalink>".utf16
    #expect(ReadMetalink(bytes: wide.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }).names == ["ä"])
  }

  @Test func `white space around numbers and keywords in attributes means nothing`() {
    let digest = String(repeating: "ab", count: 32)
    let list = ReadMetalink(
      file: """
        <hash type=" sha-256&#10;">\(digest)</hash><pieces length=" 4 " type="&#9;sha-256">
        <hash>\(digest)</hash></pieces><url priority=" 2 ">http://h/b</url><url priority=" 1 ">http://h/a</url>
        """)
    #expect(list.errors == [] && list.urls == [["http://h/a", "http://h/b", "http://h/f"]])
    #expect(list.entries.map { $0.digests.map(\.text) } == [["sha256:\(digest)"]])
    #expect(list.entries.map(\.pieces?.length) == [4])
  }

  @Test func `a document without a namespace is read by its version`() {
    let three =
      "<metalink version='3.0'><files><file name='a'><resources><url>http://h/a</url></resources></file></files></metalink>"
    #expect(ReadMetalink(three).names == ["a"])
    #expect(ReadMetalink("<metalink><file name='a'><url>http://h/a</url></file></metalink>").names == ["a"])
  }

  @Test(arguments: [
    "<metalink/>", "<metalink xmlns='\(ReadMetalink.version4)'></metalink>",
    "<metalink version='3.0' xmlns='\(ReadMetalink.version3)'><files/></metalink>", "<!DOCTYPE metalink><metalink/>",
  ])
  func `a document without files is an empty list`(text: String) {
    let list = ReadMetalink(text)
    #expect(list.entries == [] && list.errors == [])
  }

  @Test(arguments: [1, 2, 3, 7, 64, 1000])
  func `it does not matter how many bytes arrive at once`(partSize: Int) {
    for text in [MetalinkSamples.minimal, MetalinkSamples.extensive, MetalinkSamples.version3] {
      #expect(ReadMetalink(text, partSize: partSize) == ReadMetalink(text))
    }
  }

  // MARK: Hostile documents

  @Test func `the encoding does not depend on how many bytes arrive first`() {
    let text = "\n<metalink xmlns='\(ReadMetalink.version4)'><file name='ä'><url>http://h/a</url></file></metalink>"
    let wide = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let whole = ReadMetalink(bytes: wide)
    #expect(whole.names == ["ä"] && ReadMetalink(bytes: wide, partSize: 1) == whole)
    #expect(ReadMetalink("l", partSize: 1) == ReadMetalink("l"))
  }

  @Test(arguments: [
    "[<!ENTITY a 'b'>]", "[<!ENTITY a SYSTEM 'file:///etc/passwd'>]", "[<!ENTITY % a SYSTEM 'http://h/x.dtd'> %a;]",
    "[]",
    "SYSTEM 'http://h/x.dtd'", "PUBLIC 'a' 'http://h/x.dtd'", "[<!ATTLIST file name CDATA 'x'>]",
  ])
  func `a document type declaration that may declare something is refused`(declaration: String) {
    let list = ReadMetalink(
      "\n<!DOCTYPE metalink \(declaration)>\n<metalink><file name='a'><url>http://h/a</url></file></metalink>")
    #expect(list.entries == [] && list.problems == [.metalink(.documentTypeDeclaration)])
    #expect(list.errors.first?.lineNumber == 2)
  }

  @Test func `an entity bomb takes no time`() {
    let levels = (1...30).map { "<!ENTITY l\($0) '\(String(repeating: "&l\($0 - 1);", count: 10))'>" }.joined()
    let list = ReadMetalink("<!DOCTYPE metalink [<!ENTITY l0 'x'>\(levels)]><metalink>&l30;</metalink>")
    #expect(list.problems == [.metalink(.documentTypeDeclaration)])
  }

  @Test func `an entity that is not declared is not well-formed`() {
    let list = ReadMetalink(file: "<url>http://h/&a;b</url>")
    #expect(list.entries == [] && list.problems == [.metalink(.malformedXML("undefined entity"))])
  }

  @Test func `elements nest 32 deep at most, whatever they are`() {
    func nested(_ count: Int) -> ReadMetalink {
      let (starts, ends) = (String(repeating: "<x>", count: count), String(repeating: "</x>", count: count))
      return ReadMetalink(file: "\n\(starts)\(ends)")
    }
    #expect(nested(30).names == ["f"])
    #expect(
      nested(31).entries == [] && nested(31).errors == [ListError(lineNumber: 2, .metalink(.nestedTooDeeply))])
  }

  @Test func `markup that only memory limits is refused`() {
    for start in ["<metalink><!-- ", "<metalink><file name='", "<!-- ", "<metalink><?x "] {
      let list = ReadMetalink(start + String(repeating: "x", count: 3 << 20))
      #expect(list.entries == [] && list.problems == [.metalink(.markupTooLong)], "\(start)")
    }
    let harmless =
      "<!-- \(String(repeating: "x", count: 400_000)) --><description>\(String(repeating: "y", count: 3 << 20))</description>"
    #expect(ReadMetalink(file: harmless).names == ["f"])
  }

  @Test func `what is cut in the middle is unfinished`() {
    for cut in [
      "", "<?xml version='1.0'?>", "<metalink>", "<metalink><file name='a", "<metalink></metalink",
      "<metalink><![CDATA[",
    ] {
      #expect(ReadMetalink(cut).problems == [.metalink(.unfinishedDocument)], "\(cut)")
    }
    let whole = Array(MetalinkSamples.extensive.utf8)
    let list = ReadMetalink(bytes: whole.dropLast(2))
    #expect(list.names.count == 2 && list.problems == [.metalink(.unfinishedDocument)])
  }

  @Test func `nothing is read behind what is not well-formed`() {
    let list = ReadMetalink(
      body: """
        <file name='a'><url>http://h/a</url></file>
        <file name='b'><url>http://h/b</size></file>
        <file name='c'><url>http://h/c</url></file>
        """)
    #expect(
      list.names == ["a"] && list.errors == [ListError(lineNumber: 2, .metalink(.malformedXML("mismatched tag")))])
    #expect(
      ReadMetalink("<metalink/><metalink/>").problems == [.metalink(.malformedXML("junk after document element"))])
    #expect(ReadMetalink("no XML").errors.count == 1)
    #expect(ReadMetalink("<metalink a='1' a='2'/>").problems == [.metalink(.malformedXML("duplicate attribute"))])
    #expect(ReadMetalink("<metalink><x:file/></metalink>").problems == [.metalink(.malformedXML("unbound prefix"))])
  }

  @Test func `an encoding that expat does not know is refused`() {
    let list = ReadMetalink("<?xml version='1.0' encoding='windows-1252'?>\n<metalink/>")
    #expect(list.problems == [.metalink(.unknownEncoding)])
  }

  @Test(arguments: [
    "<html/>", "<metalinks/>", "<metalink xmlns='http://example.org/'/>", "<file xmlns='\(ReadMetalink.version4)'/>",
  ])
  func `another root element is no Metalink`(text: String) {
    #expect(ReadMetalink("\n" + text).errors == [ListError(lineNumber: 2, .metalink(.notMetalink))])
  }

  @Test func `an invalid file is left out, and the next one goes on`() {
    let list = ReadMetalink(
      body: """
        <file name='a'><url>http://h/a</url></file>
        <file/>
        <file name='c'><url>http://h/c</url>
        <hash type='sha-1'>12</hash><hash type='sha-1'>34</hash><size>x</size></file>
        <file name='d'>
        <size>
        -1
        </size><url>http://h/d</url></file>
        <file name='e'></file><file name='f'><url>http://h/f</url></file>
        """)
    #expect(list.names == ["a", "f"])
    #expect(
      list.errors == [
        ListError(lineNumber: 2, .metalink(.missingAttribute("name", of: "file"))),
        ListError(lineNumber: 4, .malformedDigest(.sha1)),
        ListError(lineNumber: 6, .metalink(.malformedSize(Array("-1".utf8)))),
        ListError(lineNumber: 9, .metalink(.noUsableURL)),
      ])
  }
}
