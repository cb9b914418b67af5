import TestSupport
import Testing

@Suite(.waiting) struct `Running Metalinks` {
  private let place: Workplace
  private static let b = Content.text("b\n")
  private static let version4 = "urn:ietf:params:xml:ns:metalink"

  init() throws { place = try Workplace() }

  /// A version 4 document.
  private func write(_ files: String, as name: String = "list.meta4") throws {
    try place.directory.write(
      name, "<?xml version=\"1.0\"?>\n<metalink xmlns=\"\(Self.version4)\">\n\(files)\n</metalink>\n")
  }

  @Test func `a dead mirror is replaced by the next one`() throws {
    let dead = try RefusingPort()
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    try write(
      """
      <file name="sub/f.bin"><size>\(mediumFile.byteCount)</size>
      <hash type="sha-256">\(try mediumFile.hexDigest())</hash>
      <url priority="1">\(dead.url("/f"))</url><url priority="2">\(server.url("/f"))</url>
      <metaurl mediatype="torrent">\(server.url("/f.torrent"))</metaurl></file>
      """)
    let result = try place.run("-i", "list.meta4")
    #expect(result.status == 0 && place.holds("sub/f.bin", mediumFile), "\(result.told)")
    #expect(result.errorText.contains("sha256 verified (given)"))
  }

  @Test func `say in JSON where they may be found again`() throws {
    let server = try ScriptedServer(FileService(["/b": Self.b]))
    try write(
      "<file name=\"b\"><url>\(server.url("/b"))</url></file>"
        + "<origin dynamic=\"true\">https://u:S3CR3T@example.org/list.meta4?key=S3CR3T</origin>")
    try place.directory.write("urls", "\(server.url("/b"))?2\n out=c\n")
    let result = try place.run("--progress", "json", "-i", "urls", "-i", "list.meta4")
    #expect(result.status == 0, "\(result.told)")
    let lines = result.outputText.split(separator: "\n").filter { $0.contains("\"type\":\"list\"") }
    #expect(lines.count == 2 && lines.first?.hasSuffix(#""list":"urls","origin":null,"dynamic":null}"#) == true)
    let second = #""list":"list.meta4","origin":"https://…@example.org/list.meta4?…","dynamic":true}"#
    #expect(lines.last?.hasSuffix(second) == true, "\(lines)")
  }

  @Test func `only the wrong piece of a mirror is fetched again`() throws {
    let content = Content.generated(seed: 91, byteCount: 3_000_001)
    let pieceLength: Int64 = 400_000
    var bytes = content.allBytes
    bytes[1_300_000] ^= 1
    func serving(_ content: Content) throws -> ScriptedServer {
      try ScriptedServer(
        FileService(["/f": content]) {
          // Both claim the same version.
          $0.entityTag = .none
          $0.bytesPerSecondOfServer = 20e6
        })
    }
    let (bad, good) = (try serving(.bytes(bytes)), try serving(content))
    let hashes = try stride(from: 0, to: content.byteCount, by: Int64.Stride(pieceLength)).map { start in
      let piece = Content.bytes(content.bytes(in: start..<min(start + pieceLength, content.byteCount)))
      return "<hash>\(try piece.hexDigest("sha1"))</hash>"
    }
    try write(
      """
      <file name="f"><size>\(content.byteCount)</size>
      <pieces length="\(pieceLength)" type="sha-1">\(hashes.joined())</pieces>
      <url priority="1">\(bad.url("/f"))</url><url priority="2">\(good.url("/f"))</url></file>
      """)
    let result = try place.run("-v", "-i", "list.meta4")
    #expect(result.status == 0 && place.holds("f", content), "\(result.told)")
    let received = bad.bodyBytesSent + good.bodyBytesSent
    // What a server sends before it notices that its connection was given up counts, too. A second download would make
    // it twice the size.
    #expect(received < content.byteCount * 17 / 10, "\(received): \(result.errorText)")
    #expect(good.bodyBytesSent > 0)
  }

  @Test func `a size that the server contradicts gives no file`() throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile, "/b": Self.b]))
    try write(
      """
      <file name="f"><size>\(mediumFile.byteCount + 1)</size><url>\(server.url("/f"))</url></file>
      <file name="b"><size>2</size><url>\(server.url("/b"))</url></file>
      """)
    let result = try place.run("-i", "list.meta4")
    #expect(result.status == 9, "\(result.told)")
    #expect(place.holds("b", Self.b) && !place.names.contains("f"))
    #expect(result.errorText.contains("\(mediumFile.byteCount + 1)"), "\(result.errorText)")
  }

  @Test func `version 3 is read, from standard input too`() throws {
    let server = try ScriptedServer(FileService(["/b": Self.b]))
    let list = """
      <metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="b"><verification>
      <hash type="sha1">\(try Self.b.hexDigest("sha1"))</hash></verification>
      <resources><url type="http">\(server.url("/b"))</url></resources></file></files></metalink>
      """
    let result = try place.run("-i", "-", input: list)
    #expect(result.status == 0 && place.holds("b", Self.b), "\(result.told)")
    #expect(result.errorText.contains("sha1 verified"))
  }

  @Test(arguments: [
    ("../x", "'..'"), ("a/../../x", "'..'"), ("/etc/x", "slash"), ("a&#10;b", "control character"),
    ("x.swiftget-part", "reserved"),
  ])
  func `names that are no names of files here are refused, and nothing is started`(name: String, reason: String) throws
  {
    let server = try ScriptedServer(FileService(["/b": Self.b]))
    try write(
      """
      <file name="b"><url>\(server.url("/b"))</url></file>
      <file name="\(name)"><url>\(server.url("/b"))</url></file>
      """)
    let result = try place.run("-i", "list.meta4")
    #expect(result.status == 2 && result.errorText.hasPrefix("swiftget: list.meta4:4: "), "\(result.told)")
    #expect(result.errorText.contains(reason), "\(result.errorText)")
    #expect(server.requests.isEmpty && place.names == ["list.meta4"])
  }

  @Test(arguments: [
    ("<file name='b'><url>http://h/b</url>\n<size>x</size></file>", 4, "the size 'x' is not a number of bytes"),
    (
      "<file name='b'><url>ftp://h/b</url><metaurl mediatype='torrent'>http://h/b.torrent</metaurl></file>", 3,
      "the file is offered as 'torrent' only"
    ),
    ("<file name='b'><url>ftp://h/b</url></file>", 3, "the file has no http or https URL"),
    ("\n<file name='b'>", 5, "the document is not well-formed: mismatched tag"),
  ])
  func `what is wrong is told with its line`(files: String, line: Int, message: String) throws {
    try write(files)
    let result = try place.run("-i", "list.meta4")
    #expect(result.status == 2, "\(result.told)")
    #expect(result.errorText.hasPrefix("swiftget: list.meta4:\(line): \(message)\n"), "\(result.errorText)")
    #expect(place.names == ["list.meta4"])
  }

  @Test func `an entity bomb ends the run at once`() throws {
    try place.directory.write("list", "<!DOCTYPE metalink [<!ENTITY a 'b'>]>\n<metalink>&a;</metalink>")
    let result = try place.run("-i", "list")
    #expect(result.status == 2 && result.errorText.hasPrefix("swiftget: list:1: the document type"), "\(result.told)")
  }

  @Test func `the format can be forced, and other documents keep their error`() throws {
    try place.directory.write("list", "<html><body>404</body></html>\n")
    let detected = try place.run("-i", "list")
    #expect(detected.status == 2 && detected.errorText.contains("looks like HTML or XML"), "\(detected.told)")
    let forced = try place.run("--input-format", "metalink", "-i", "list")
    #expect(forced.status == 2 && forced.errorText.contains("list:1: the root element"), "\(forced.told)")
  }

  @Test func `an empty document is an empty list`() throws {
    try write("")
    let result = try place.run("-i", "list.meta4")
    #expect(result.status == 0 && place.names == ["list.meta4"], "\(result.told)")
  }

  @Test func `languages, systems and locations choose among files and mirrors`() throws {
    let (near, far) = (try ScriptedServer(FileService(["/b": Self.b])), try ScriptedServer(FileService(["/b": Self.b])))
    let urls =
      "<url location='us' priority='1'>\(far.url("/b"))</url><url location='de' priority='9'>\(near.url("/b"))</url>"
    try write(
      """
      <file name="en"><language>en</language>\(urls)</file><file name="de"><language>de-AT</language>\(urls)</file>
      <file name="win"><os>Windows</os>\(urls)</file><file name="any">\(urls)</file>
      """)
    let result = try place.run(
      "--metalink-language", "de,fr", "--metalink-os=Linux", "--metalink-location", "fr,DE", "--metalink-file",
      "list.meta4")
    #expect(result.status == 0 && place.names == ["any", "de", "list.meta4"], "\(result.told)")
    #expect(far.requests.isEmpty && near.requests.count == 2)
  }
}
