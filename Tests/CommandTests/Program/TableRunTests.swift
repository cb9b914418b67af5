import TestSupport
import Testing

@Suite(.waiting) struct `Running tables` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let a = Content.generated(seed: 1, byteCount: 50_000)
  private static let b = Content.text("b\n")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(
      FileService([
        "/a": Self.a, "/b": Self.b, "/vol1/7%231.bam": Self.b, "/data/0d1f-2a": Self.a, "/data/x%2Fy": Self.b,
      ]))
  }

  @Test func `a CSV gives names, sizes and digests`() throws {
    try place.directory.write(
      "list.csv",
      """
      \u{feff}title,URL,filename,size,sha256\r
      "a, ""first\"\"\",\(server.url("/a")),sub/x.bin,50000,\(try Self.a.hexDigest())\r
      b,\(server.url("/b")),,,\r\n
      """)
    let result = try place.run("-i", "list.csv")
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("sub/x.bin", Self.a) && place.holds("b", Self.b))
    #expect(result.errorText.contains("sha256 verified"))
  }

  @Test func `a wrong size or digest of a CSV fails its file`() throws {
    try place.directory.write(
      "list",
      "url,out,size,md5\n\(server.url("/a")),1,49999,\n\(server.url("/b")),2,,\(String(repeating: "0", count: 32))\n")
    let result = try place.run("-i", "list")
    #expect(result.status == 9, "\(result.told)")
    #expect(!place.names.contains("1") && !place.names.contains("2"))
  }

  @Test func `columns are chosen, in any table`() throws {
    try place.directory.write("list", "x;where\none;\(server.url("/b"))\n")
    let unchosen = try place.run("-i", "list", "--input-format", "csv")
    #expect(unchosen.status == 2 && unchosen.errorText.contains("list:1") && unchosen.errorText.contains("'where'"))
    let unknown = try place.run("-i", "list", "--columns", "url=there")
    #expect(unknown.status == 2 && unknown.errorText.contains("'there'") && unknown.errorText.contains("'where'"))
    let result = try place.run("-i", "list", "--columns", "url=where,out=x")
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("one", Self.b))
  }

  @Test func `an ENA file report is read as it is`() throws {
    let host = server.url("/").dropFirst("http://".count).dropLast()
    try place.directory.write(
      "report.tsv",
      """
      run_accession\tfastq_ftp\tfastq_md5\tfastq_bytes\tsubmitted_ftp\tsubmitted_md5
      ERR1\t\(host)/a;\(host)/b\t\(try Self.a.hexDigest("md5"));\(try Self.b.hexDigest("md5"))\t50000;2\t\t
      ERR2\t\t\t\t\(host)/vol1/7#1.bam\t\(try Self.b.hexDigest("md5"))

      """)
    let result = try place.run("-i", "report.tsv", "--url-scheme", "http")
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("a", Self.a) && place.holds("b", Self.b) && place.holds("7#1.bam", Self.b))
    #expect(result.errorText.contains("md5 verified"))
  }

  @Test func `lists of different lengths start nothing`() throws {
    try place.directory.write(
      "report.tsv", "run\tfastq_ftp\tfastq_md5\nE\th/1;h/2\t\(String(repeating: "0", count: 32))\n")
    let result = try place.run("-i", "report.tsv")
    #expect(result.status == 2 && result.errorText.contains("report.tsv:2: the list in 'fastq_md5'"), "\(result.told)")
  }

  @Test func `a GDC manifest needs its template`() throws {
    try place.directory.write(
      "gdc",
      "id\tfilename\tmd5\tsize\tstate\n0d1f-2a\ta.bam\t\(try Self.a.hexDigest("md5"))\t50000\treleased\nx/y\tb\t\t2\tok\n"
    )
    let bare = try place.run("-i", "gdc")
    #expect(bare.status == 2 && bare.errorText.contains("'https://api.gdc.cancer.gov/data/{id}'"), "\(bare.told)")
    let brace = try place.run("-i", "gdc", "--url-template", server.url("/data/{uuid}"))
    #expect(brace.status == 2 && brace.errorText.contains("'filename'"), "\(brace.told)")
    #expect(server.requests.isEmpty)
    let result = try place.run("-i", "gdc", "--url-template", server.url("/data/{id}"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("a.bam", Self.a) && place.holds("b", Self.b))
  }

  @Test(arguments: [
    ("../x", "contains '..'"), ("/etc/x", "begins with a slash"), (String(repeating: "n", count: 300), "255 bytes"),
    ("a/../../x", "contains '..'"), ("\"a\nb\"", "control character"), ("x.swiftget", "swiftget"),
  ])
  func `names that lead elsewhere are refused with file, line and reason`(name: String, reason: String) throws {
    try place.directory.write("list.csv", "url,out\n\(server.url("/a")),a\n\(server.url("/b")),\(name)\n")
    let result = try place.run("-i", "list.csv")
    #expect(result.status == 2, "\(result.told)")
    #expect(
      result.errorText.contains("swiftget: list.csv:3: ") && result.errorText.contains(reason), "\(result.errorText)")
    #expect(server.requests.isEmpty && place.names == ["list.csv"])
  }
}
