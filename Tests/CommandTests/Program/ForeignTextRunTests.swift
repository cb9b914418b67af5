import TestSupport
import Testing

/// Files that are no lists: what their hints say works.
@Suite(.waiting) struct `Running what is no list` {
  private static let hex = String(repeating: "0123456789abcdef", count: 4)

  /// A reduced file, what it is called, and the names of its files in the list that its command makes.
  private static let samples: [(text: String, words: String, names: [String])] = [
    (
      "# x\nurl = \"https://example.org/a\"\noutput = \"d/x\"\n--url \"https://example.org/b\"\n",
      "configuration of curl",
      ["d/x", "b"]
    ),
    (
      "#!/bin/sh\nset -e\ncurl --create-dirs https://example.org/ds/a.json -o ds/a.json\nwget 'https://example.org/b'\n",
      "command lines", ["a.json", "b"]
    ),
    (
      "#!/bin/bash\ndownload_files=\"$(cat <<EOF--dataset.file.url.chksum_type.chksum\n"
        + "'tas.nc' 'http://example.org/x/tas.nc' 'SHA256' '\(hex)'\nEOF--dataset.file.url.chksum_type.chksum\n)\"\n",
      "ESGF", ["tas.nc"]
    ),
    (
      "#!/bin/bash\nnetrc=x # urs.earthdata.nasa.gov\nfetch_urls <<'EDSCEOF'\nhttps://example.org/a.hdf\nEDSCEOF\n",
      "Earthdata", ["a.hdf"]
    ),
    ("#!/usr/bin/env python3\nget('https://example.org/a')\n", "a script", ["a"]),
    (
      "\r\nAlgorithm : SHA256\r\nHash      : \(hex)\r\nPath      : C:\\x\\a b.iso\r\n\r\n", "Get-FileHash", ["a b.iso"]
    ),
    (
      "SHA256 hash of x\\a b.iso:\r\n\(hex)\r\nCertUtil: -hashfile command completed successfully.\r\n", "certutil",
      ["a b.iso"]
    ),
    ("MD5 hash of file a.iso:\n01 23 45 67 89 ab cd ef 01 23 45 67 89 ab cd ef\nCertUtil: x\n", "certutil", ["a.iso"]),
    (
      "version = 3\n\n[[package]]\nname = \"a\"\nversion = \"1.0\"\n"
        + "source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"\(hex)\"\n",
      "cargo", ["a-1.0.crate"]
    ),
    (
      "version = 1\n\n[[package]]\nname = \"a\"\nsdist = { url = \"https://h/a.tar.gz\", hash = \"sha256:\(hex)\", size = 1 }\n"
        + "wheels = [\n    { url = \"https://h/a.whl\", hash = \"sha256:\(hex)\", size = 2 },\n]\n", "uv",
      ["a.tar.gz", "a.whl"]
    ),
    ("[tool]\nurl = \"https://example.org/a\"\n", "TOML", ["a"]),
  ]

  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test(arguments: samples.indices)
  func `names a command that makes a list of it`(index: Int) throws {
    let (text, words, names) = Self.samples[index]
    try place.directory.write("LIST", text)
    let refused = try place.run("-i", "LIST", "--base-url", "https://example.org/")
    #expect(refused.status == 2 && refused.errorText.contains(words), "\(refused.told)")
    let hint = try #require(refused.errorText.firstRange(of: "hint: "))
    var command = String(refused.errorText[hint.upperBound...].prefix { $0 != "\n" })
    for words in [", for what ", ", with "] {
      if let end = command.firstRange(of: words)?.lowerBound { command = String(command[..<end]) }
    }
    command = command.replacing("swiftget -i -", with: "\(try swiftgetPath()) --dry-run -i -")
    command = command.replacing("--base-url URL", with: "--base-url https://example.org/")
    let result = try runProgram("/bin/sh", ["-c", command], directory: place.directory.path)
    #expect(result.status == 0, "\(command): \(result.told)")
    #expect(result.outputText == names.map { "\($0): fetch\n" }.joined(), "\(command): \(result.told)")
  }

  @Test func `is read nevertheless where its format is given`() throws {
    try place.directory.write("LIST", "wget https://example.org/a\n")
    let result = try place.run(
      "--dry-run", "-i", "LIST", "--input-format", "fields", "--columns", "url=2")
    #expect(result.status == 0 && result.outputText == "a: fetch\n", "\(result.told)")
  }

  @Test func `has hashes that are of something else`() throws {
    try place.directory.write("LIST", "example.org/a v1.0.0 h1:AAAA=\n")
    let result = try place.run("-i", "LIST", "--base-url", "https://example.org/")
    #expect(result.status == 2 && result.errorText.contains("go mod download"), "\(result.told)")
  }
}
