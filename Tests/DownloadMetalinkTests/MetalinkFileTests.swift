import Testing

@testable import DownloadCore
@testable import DownloadMetalink

@Suite struct `Files of a Metalink` {
  // MARK: Sizes and digests

  @Test(arguments: ["9223372036854775808", "-1", "+1", "1e3", "", "0x10", "1 2", "१"])
  func `a size is a number of bytes`(size: String) {
    let list = ReadMetalink(file: "<size>\(size)</size>")
    #expect(list.entries == [] && list.problems == [.metalink(.malformedSize(Array(size.utf8)))])
  }

  @Test func `a size may be 0 or the greatest, and stand twice`() {
    for size in [0, Int64.max] {
      let list = ReadMetalink(file: "<size>\n \(size)\t</size><size>\(size)</size>")
      #expect(list.entries.map(\.size) == [size])
    }
    #expect(ReadMetalink(file: "<size>1</size><size>2</size>").problems == [.contradictorySizes(1, 2)])
  }

  @Test func `all known algorithms are read, and others passed over`() {
    let hashes = DigestAlgorithm.allCases.map {
      "<hash type='\($0.rawValue)'>\(String(repeating: "ab", count: $0.byteCount))</hash>"
    }
    let list = ReadMetalink(file: "<hash type='crc32'>12</hash>" + hashes.joined())
    #expect(list.errors == [] && list.entries.first?.digests.map(\.algorithm) == DigestAlgorithm.allCases)
    let unknown = ReadMetalink(file: "<hash type='ed2k'>x</hash><hash type=''>y</hash>")
    #expect(unknown.errors == [] && unknown.entries.map(\.digests) == [[]])
    #expect(ReadMetalink(file: "<hash>\(sha1)</hash>").problems == [.metalink(.missingAttribute("type", of: "hash"))])
  }

  @Test func `digests must not contradict each other`() {
    let other = String(repeating: "9", count: 40)
    let same = ReadMetalink(file: "<hash type='sha-1'>\(sha1)</hash><hash type='SHA1'> \(sha1)\n</hash>")
    #expect(same.entries.map(\.digests.count) == [1])
    let list = ReadMetalink(file: "<hash type='sha-1'>\(sha1)</hash><hash type='sha1'>\(other)</hash>")
    #expect(list.problems == [.contradictoryDigests(.sha1)])
    let fragment = ReadMetalink(file: "<url>http://h/g#sha1=\(other)</url><hash type='sha1'>\(sha1)</hash>")
    #expect(fragment.problems == [.contradictoryDigests(.sha1)])
  }

  // MARK: Pieces

  private static func pieces(_ count: Int, length: String = "10", type: String = "sha-1") -> String {
    "<pieces length='\(length)' type='\(type)'>\(String(repeating: "<hash>\(sha1)</hash>", count: count))</pieces>"
  }

  @Test(arguments: [(1, 1), (1, 10), (2, 11), (2, 20), (3, 21)])
  func `as many pieces as the size needs are right`(count: Int, size: Int) {
    let pieces = Self.pieces(count)
    for file in ["<size>\(size)</size>\(pieces)", "\(pieces)<size>\(size)</size>", pieces] {
      #expect(ReadMetalink(file: file).entries.map(\.pieces?.digests.count) == [count])
    }
  }

  @Test(arguments: [(1, 0), (1, 11), (2, 10), (2, 21), (0, 1)])
  func `another number of pieces is an error`(count: Int, size: Int) {
    let pieces = Self.pieces(count)
    for file in ["<size>\(size)</size>\(pieces)", "\(pieces)<size>\(size)</size>"] {
      #expect(ReadMetalink(file: file).errors == [ListError(lineNumber: 1, .metalink(.pieceCount(count)))])
    }
  }

  @Test func `an empty file may have an empty list of pieces`() {
    #expect(ReadMetalink(file: "<size>0</size>\(Self.pieces(0))").entries.map(\.pieces) == [nil])
    #expect(ReadMetalink(file: Self.pieces(0)).entries.map(\.pieces) == [nil])
  }

  @Test func `the strongest known list of pieces counts`() {
    let strong = "<pieces length='20' type='sha-256'><hash>\(sha256)</hash></pieces>"
    for file in [Self.pieces(2) + strong, strong + Self.pieces(2), Self.pieces(9, type: "tiger") + strong] {
      let pieces = ReadMetalink(file: "<size>20</size>" + file).entries.first?.pieces
      #expect(pieces?.algorithm == .sha256 && pieces?.length == 20)
    }
  }

  @Test func `pieces have a length, a type and whole digests`() {
    for length in ["0", "-1", "x", ""] {
      #expect(
        ReadMetalink(file: Self.pieces(1, length: length)).problems == [
          .metalink(.malformedPieceLength(Array(length.utf8)))
        ])
    }
    #expect(
      ReadMetalink(file: "<pieces type='sha-1'/>").problems == [.metalink(.missingAttribute("length", of: "pieces"))])
    #expect(ReadMetalink(file: "<pieces length='1'/>").problems == [.metalink(.missingAttribute("type", of: "pieces"))])
    #expect(
      ReadMetalink(file: "<pieces length='1' type='md5'><hash>0</hash></pieces>").problems == [.malformedDigest(.md5)])
  }

  private func numbered(_ numbers: [String?]) -> ReadMetalink {
    let hashes = numbers.enumerated().map { index, number in
      let attribute = number.map { " piece='\($0)'" } ?? ""
      return "<hash\(attribute)>\(String(repeating: "\(index)", count: 32))</hash>"
    }
    return ReadMetalink(
      """
      <metalink version='3.0' xmlns='\(ReadMetalink.version3)'><files><file name='f'>
      <verification><pieces length='1' type='md5'>\(hashes.joined())</pieces></verification>
      <resources><url>http://h/f</url></resources></file></files></metalink>
      """)
  }

  @Test func `pieces of version 3 have numbers`() {
    func order(_ numbers: [String?]) -> [UInt8]? {
      numbered(numbers).entries.first?.pieces?.digests.map { $0.bytes[0] & 15 }
    }
    #expect(order(["0", "1", "2"]) == [0, 1, 2])
    #expect(order([nil, nil, nil]) == [0, 1, 2])
    #expect(order(["2", "0", "1"]) == [1, 2, 0])
    for numbers in [
      ["1"], ["0", "0"], ["0", "2"], ["0", "x"], ["-1"], ["9223372036854775807"], ["0", "9223372036854775808"],
    ] {
      let list = numbered(numbers)
      #expect(list.entries == [] && list.problems == [.metalink(.pieceNumbers)], "\(numbers)")
    }
  }

  // MARK: URLs

  @Test func `only http and https URLs count, without blanks around them`() {
    let list = ReadMetalink(
      body: """
        <file name="f"><url>ftp://h/1</url><url>
         HTTPS://h/2
        </url><url/><url>h/3</url><url>http:/h/4</url><url>file:///etc/passwd</url><url>http://h/5#a</url></file>
        """)
    #expect(list.errors == [] && list.urls == [["HTTPS://h/2", "http://h/5"]])
    #expect(ReadMetalink(file: "<url>http://h/a\nb</url>").problems == [.controlCharacter])
  }

  @Test func `references count if there is a base, and ftp if its scheme is replaced`() {
    let file = """
      <file name="f"><url>ftp://h/1</url><url>x/2</url><url>//h/3</url><url>?4</url><url> ./a:5 </url><url>http://h/6</url>
      <url>magnet:?xt=1</url><url>rsync://h/f</url><url>a:b</url><url/><url>FTP://h/7</url></file>
      """
    var preferences = MetalinkPreferences()
    #expect(ReadMetalink(body: file, preferences).urls == [["http://h/6"]])
    preferences.takesFTP = true
    #expect(ReadMetalink(body: file, preferences).urls == [["ftp://h/1", "http://h/6", "FTP://h/7"]])
    preferences.takesFTP = false
    preferences.allowsReferences = true
    #expect(ReadMetalink(body: file, preferences).urls == [["x/2", "//h/3", "?4", "./a:5", "http://h/6"]])
  }

  @Test func `urls are sorted by the user's locations, then by priority, then by their place`() {
    let file = """
      <file name="f"><url>http://h/none</url><url location="us" priority="1">http://h/us1</url>
      <url location="DE" priority="9">http://h/de9</url><url location="de" priority="2">http://h/de2</url>
      <url location="fr" priority="5">http://h/fr5</url><url priority="1">http://h/1</url>
      <url location="fr" priority="x">http://h/fr</url><url priority="1">http://h/us1</url></file>
      """
    #expect(
      ReadMetalink(body: file).urls.first?.map { $0.dropFirst(9) } == ["us1", "1", "de2", "fr5", "de9", "none", "fr"])
    var preferences = MetalinkPreferences()
    preferences.locations = ["FR", "de"]
    #expect(
      ReadMetalink(body: file, preferences).urls.first?.map { $0.dropFirst(9) }
        == ["fr5", "fr", "de2", "de9", "us1", "1", "none"])
  }

  @Test func `a preference of version 3 is better if it is higher`() {
    let list = ReadMetalink(
      """
      <metalink version='3.0' xmlns='\(ReadMetalink.version3)'><files><file name='f'><resources>
      <url>http://h/none</url><url preference='0'>http://h/0</url><url preference='100'>http://h/100</url>
      <url preference='9'>http://h/9</url><url preference='9223372036854775807'>http://h/most</url>
      </resources></file></files></metalink>
      """)
    #expect(list.urls.first?.map { $0.dropFirst(9) } == ["100", "most", "9", "0", "none"])
  }

  @Test func `a file that other programs can have is told by its media type`() {
    let torrent = "<metaurl mediatype='torrent'>http://h/f.torrent</metaurl>"
    #expect(ReadMetalink(file: torrent).urls == [["http://h/f"]])
    #expect(
      ReadMetalink(body: "<file name='a'><url>ftp://h/a</url>\(torrent)</file>").problems
        == [.metalink(.onlyOtherMedia(Array("torrent".utf8)))])
    let three = ReadMetalink(
      """
      <metalink version='3.0' xmlns='\(ReadMetalink.version3)'><files><file name='f'><resources>
      <url type='bittorrent'>http://h/f.torrent</url></resources></file></files></metalink>
      """)
    #expect(three.errors == [ListError(lineNumber: 1, .metalink(.onlyOtherMedia(Array("bittorrent".utf8))))])
    #expect(ReadMetalink(body: "<file name='a'/>").problems == [.metalink(.noUsableURL)])
  }

  // MARK: Selection

  @Test(arguments: [
    ([], ["none", "en", "gb", "de", "both"]), (["en"], ["none", "en", "gb", "both"]), (["EN-gb"], ["none", "gb"]),
    (["e"], ["none"]), (["fr", "de"], ["none", "de", "both"]),
  ])
  func `only files in the user's languages are wanted`(languages: [String], names: [String]) {
    var preferences = MetalinkPreferences()
    preferences.languages = languages
    let files = [("none", []), ("en", ["en"]), ("gb", [" en-GB\n"]), ("de", ["de"]), ("both", ["en", "de"])]
    let body = files.map { name, tags in
      "<file name='\(name)'><url>http://h/a</url>\(tags.map { "<language>\($0)</language>" }.joined())</file>"
    }
    let list = ReadMetalink(body: body.joined(), preferences)
    #expect(list.errors == [] && list.names == names)
  }

  @Test func `only files for the user's systems are wanted`() {
    var preferences = MetalinkPreferences()
    preferences.systems = ["linux"]
    let body = "<file name='a'><os>Linux</os><url>http://h/a</url></file><file name='b'><os>Linux-x86</os></file>"
    let list = ReadMetalink(body: body, preferences)
    // A file that is not wanted needs no URL.
    #expect(list.names == ["a"] && list.errors == [])
  }
}
