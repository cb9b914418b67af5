import Testing

@testable import DownloadCore

@Suite struct `List detector` {
  static let sha256 = String(repeating: "0123456789abcdef", count: 4)

  @Test(arguments: [
    ("", ListFormat.urlList), ("https://a/b\n", .urlList), ("# x\n\nhttps://a/b\nhttps://a/c\n", .urlList),
    ("https://a/b\n  https://a/c?x=y\n", .urlList), ("plain text\n", .urlList),
    ("https://a/b\thttps://c/b\n", .aria2), ("https://a/b\r\n  out=c\r\n", .aria2),
    ("https://a/b\n\tsplit = 5\n", .aria2),
    ("\(sha256)  a\n", .checksums), ("\u{feff}# x\r\n\(sha256) *a\r\n", .checksums), ("\\\(sha256)  a\\nb", .checksums),
    ("SHA256 (a b) = \(sha256)\n", .checksums), ("SHA2-256(a)= \(sha256)\n", .checksums),
    ("<metalink/>", .metalink),
    ("\u{feff}<?xml version='1.0'?>\r\n<!-- <html> -->\n <m:metalink xmlns:m='x'>", .metalink),
    ("<!DOCTYPE metalink [ <!ENTITY a '>]'> ]><metalink>", .metalink),
    ("<!-- a\thttp://b\n c=d -->\n<metalink\n", .metalink),
    ("<?xml version='1.0'?><metalinks/>", .urlList), ("<!DOCTYPE html><html><metalink>", .urlList),
    ("<metalink", .urlList),
    ("<?xml version='1.0'", .urlList), ("<!-- <metalink>", .urlList), ("<!DOCTYPE metalink", .urlList),
    ("< metalink>", .urlList),
    ("metalink <metalink>", .urlList), ("<:metalink>", .metalink), ("</metalink>", .urlList), ("<", .urlList),
    ("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n", .checksums), ("https://a/b\n\(sha256)  a\n", .urlList),
  ])
  func `the start of a list determines its format`(text: String, format: ListFormat) {
    #expect(ListDetector.format(of: text.utf8) == format)
  }

  @Test(arguments: [
    ("deadbeef01 \(sha256)\n", ListFormat.pooch), ("deadbeef01 sha256:\(sha256)\n", .pooch),
    ("\(sha256) \(sha256)\n", .checksums), ("SHA256(a)= \(sha256)\n", .checksums), ("deadbeef01  name\n", .checksums),
  ])
  func `a digest of a known length makes a checksum list, and one behind another word a registry`(
    text: String, format: ListFormat
  ) {
    #expect(ListDetector.format(of: text.utf8) == format)
  }

  @Test(arguments: [
    ("\u{feff}<?xml version='1.0'?><metalink>", ListFormat.metalink), ("<!-- ä€ --><metalink>", .metalink),
    ("\n<metalink>", .metalink), ("\u{feff}<html>", .urlList), ("<html>", .urlList), ("\u{feff}", .urlList),
    ("\u{feff}a", .urlList), ("<", .urlList),
  ])
  func `an XML document may be UTF-16 of either byte order`(text: String, format: ListFormat) {
    let little = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    #expect(ListDetector.format(of: little) == format)
    #expect(ListDetector.format(of: big) == format)
    #expect(ListDetector.format(of: little.dropLast()) == .urlList)
  }

  @Test func `at most 64 KiB are examined`() {
    let text = "https://a/b\n" + String(repeating: "# comment\n", count: 6554) + "https://a/b\n out=c\n"
    #expect(ListDetector.format(of: text.utf8) == .urlList)
  }

  @Test func `formats have the names of the option's values`() {
    #expect(
      ListFormat.allCases.map(\.rawValue) == [
        "urls", "aria2", "checksums", "metalink", "tsv", "csv", "fields", "json", "jsonl", "pooch", "deb822", "bagit",
      ])
  }

  @Test(arguments: [
    ("url,md5\nhttps://a/b,\n", ListFormat.csv), ("\u{feff}\r\n\"Title\";\"URL\"\r\n", .csv),
    ("name\tdownload_url\n", .tsv), ("run_accession\tfastq_ftp\tfastq_md5\n", .tsv),
    ("run_accession\tfastq_aspera\n", .tsv), ("Run,ReleaseDate,download_path\n", .csv),
    ("id\tfilename\tmd5\tsize\tstate\n", .tsv),
    // What is no table: URLs with separators, checksum lines, mirrors, and headers without known names.
    ("https://a/b,c;d\nhttps://a/e,f\n", .urlList), ("https://a/url,md5\n", .urlList),
    ("https://a/url\thttps://b/url\n", .aria2), ("https://a/b\tname\n", .aria2), ("url\n", .csv), ("link\n", .urlList),
    ("#url\tmd5\nhttps://a/b\t\n", .tsv), ("#url,md5\nhttps://a/b\n", .urlList),
    ("\(sha256)  url,md5\n", .checksums), ("\(sha256)\turl\n", .checksums),
    ("SHA256 (url,md5) = \(sha256)\n", .checksums),
    ("# url,md5\nhttps://a/b\n", .urlList), ("a,b\n1,2\n", .urlList), ("id\tname\tsize\n", .urlList),
    ("https://a/b\n  out=url,md5\n", .aria2), ("download_path,x\n", .urlList),
  ])
  func `a header with known names makes a table, and nothing else does`(text: String, format: ListFormat) {
    #expect(ListDetector.format(of: text.utf8) == format)
  }

  @Test(arguments: [
    ("a,b\n1,2\n", ListFormat.csv), ("https://a/b,c\n", .csv), ("https://a/b\tc\n", .tsv), ("link\n", .csv),
    ("\(sha256)\thttps://a/b\n", .tsv), ("", .urlList),
  ])
  func `options that name columns make a table of any lines`(text: String, format: ListFormat) {
    #expect(ListDetector.format(of: text.utf8, hasColumns: true) == format)
  }
}
