import Testing

@testable import DownloadCore

@Suite struct `Choice of columns` {
  private func choice(_ text: String) throws(ColumnChoice.Fault) -> ColumnChoice {
    try ColumnChoice(text: Array(text.utf8))
  }

  private func name(_ text: String) -> ColumnChoice.Column { .name(Array(text.utf8)) }

  @Test func `keys take names, numbers and paths`() throws {
    let choice = try choice("url=download.url, MD5=3,sha-256 = Hash,size=bytes,out=file name,mirror=4,mirror=alt")
    #expect(choice.url == name("download.url"))
    #expect(choice.out == name("file name") && choice.size == name("bytes"))
    #expect(choice.mirrors == [.number(4), name("alt")])
    #expect(choice.digests.map(\.algorithm) == [.md5, .sha256])
    #expect(choice.digests.map(\.column) == [.number(3), name("Hash")])
    #expect(!choice.hasNumbersOnly)
  }

  @Test func `other keys are conditions`() throws {
    let choice = try choice("url=u?,@type=File,2=*,a.b=,size=s?,checksum=c,checksum=d,algorithm=a,out={key}")
    #expect(
      choice.conditions == [
        .init(column: name("@type"), value: .text(Array("File".utf8))), .init(column: .number(2), value: .some),
        .init(column: name("a.b"), value: .none),
      ])
    #expect(choice.url == name("u") && choice.urlIsOptional && choice.zeroSizeIsUnknown && choice.size == name("s"))
    #expect(choice.checksums == [name("c"), name("d")] && choice.algorithm == name("a") && choice.out == .key)
  }

  @Test func `a value may contain an equals sign`() throws {
    #expect(try choice("url=a=b").url == name("a=b"))
  }

  @Test func `numbers only need no header`() throws {
    #expect(try choice("url=1,sha1=2,mirror=3").hasNumbersOnly)
    #expect(try !choice("url=1,sha1=2,mirror=c").hasNumbersOnly)
  }

  @Test(arguments: [
    ("", ColumnChoice.Fault.incomplete([])), ("url", .incomplete(Array("url".utf8))),
    ("url=", .incomplete(Array("url=".utf8))), ("url= ", .incomplete(Array("url= ".utf8))),
    ("=a", .incomplete(Array("=a".utf8))), ("url=a,", .incomplete([])), ("url=a,,out=b", .incomplete([])),
    ("url=a,algorithm=b", .algorithmWithoutChecksum), ("url=a,0=b", .invalidNumber([0x30])),
    ("url=?", .invalidNumber([0x3f])), ("crc32=a", .unknownKey(Array("crc32".utf8))),
    ("url=a,url=b", .repeatedKey(Array("url".utf8))), ("sha1=a,SHA-1=b", .repeatedKey(Array("SHA-1".utf8))),
    ("url=0", .invalidNumber(Array("0".utf8))),
    ("url=99999999999999999999", .invalidNumber(Array("99999999999999999999".utf8))),
  ])
  func `anything else is refused`(text: String, fault: ColumnChoice.Fault) {
    #expect(throws: fault) { try choice(text) }
  }
}

@Suite struct `Templates of URLs` {
  @Test func `braces hold columns`() throws {
    let template = try URLTemplate(text: Array("https://a/{id}/{ +2 }.gz".utf8))
    #expect(
      template.parts == [
        .text(Array("https://a/".utf8)), .column(.name(Array("id".utf8)), .segment), .text(Array("/".utf8)),
        .column(.number(2), .path), .text(Array(".gz".utf8)),
      ])
  }

  @Test(arguments: [
    ("{url}", URLTemplate.Fault.notURL), ("", .notURL), ("https://a/b", .noColumn),
    ("https://a/{b", .unpairedBrace), ("https://a/b}", .unpairedBrace), ("https://a/{b{c}}", .unpairedBrace),
    ("https://a/{}", .invalidColumn([])), ("https://a/{0}", .invalidColumn([0x30])),
    ("https://a/{+}", .invalidColumn([0x2b])), ("https://a/{+0}", .invalidColumn([0x2b, 0x30])),
  ])
  func `anything else is refused`(text: String, fault: URLTemplate.Fault) {
    #expect(throws: fault) { try URLTemplate(text: Array(text.utf8)) }
  }

  @Test(arguments: [(URLTemplate.Expansion.segment, "a%2Fb%20c%3F%23%25%C3%A9"), (.path, "a/b%20c%3F%23%25%C3%A9")])
  func `values are escaped as segments or as paths`(expansion: URLTemplate.Expansion, text: String) throws {
    var url: [UInt8] = []
    try URLTemplate.append(Array("a/b c?#%é".utf8)[...], of: .name([]), as: expansion, to: &url)
    #expect(String(decoding: url, as: UTF8.self) == text)
  }

  @Test(arguments: [
    ("", URLTemplate.Expansion.segment), (".", .segment), ("..", .segment), ("", .path), ("..", .path),
    ("a/../b", .path),
    ("./a", .path), ("a/..", .path),
  ])
  func `values must not stand for another path`(value: String, expansion: URLTemplate.Expansion) {
    var url: [UInt8] = []
    #expect(throws: ListProblem.table(.unusableTemplateValue(Array("id".utf8)))) {
      try URLTemplate.append(Array(value.utf8)[...], of: .name(Array("id".utf8)), as: expansion, to: &url)
    }
  }
}
