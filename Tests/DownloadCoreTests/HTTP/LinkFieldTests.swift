import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Link fields` {
  private func links(_ value: String) -> [FieldLink] { LinkField.links(of: Array(value.utf8)) }

  private func link(
    _ reference: String, priority: Int = FieldLink.lowestPriority, country: String? = nil,
    _ relation: FieldLink.Relation = .duplicate
  ) -> FieldLink {
    var link = FieldLink(relation, Array(reference.utf8))
    link.priority = priority
    link.country = country
    return link
  }

  /// From RFC 6249 section 1.1.
  @Test func `name mirrors`() {
    let value = """
      <http://www2.example.com/example.ext>; rel=duplicate; pri=1; pref, \
      <ftp://ftp.example.com/example.ext>; rel=duplicate; pri=2; geo=gb; depth=1, \
      <http://example.com/example.ext.torrent>; rel=describedby; type="application/x-bittorrent", \
      <http://example.com/example.ext.meta4>; rel=describedby; type="application/metalink4+xml", \
      <http://example.com/example.ext.asc>; rel=describedby; type="application/pgp-signature"
      """
    #expect(
      links(value) == [
        link("http://www2.example.com/example.ext", priority: 1),
        link("ftp://ftp.example.com/example.ext", priority: 2, country: "gb"),
      ])
  }

  @Test func `name the next page of a list`() {
    #expect(
      links("<https://h/?page=2>; rel=\"next\", <https://h/?page=9>; rel=last") == [link("https://h/?page=2", .next)])
    #expect(links("<https://h/>; rel=prev") == [])
  }

  @Test(arguments: [
    "<a>;rel=duplicate;pri=7;geo=de", "<a> ; REL = \"Duplicate\" ; PRI = \"7\" ; GEO=DE",
    " ,, < a >;geo=\"de\";pri=7;rel=duplicate,",
    "<a>; rel=\"describes DUPLICATE\"; pri=7; geo=de; rel=other; pri=8; geo=fr",
    "<a>; ; rel=duplicate; pri=\"\\7\";geo=de;x;y=\"a,b;<c>\"",
    "<x>; rel=prev, <a>; rel=duplicate; pri=7; geo=de", "<a>; rel=duplicate; pri=0; pri=7; geo=deu; geo=de",
  ])
  func `have parameters in any order and either case`(value: String) {
    #expect(links(value) == [link("a", priority: 7, country: "de")])
  }

  @Test func `have references with commas and semicolons`() {
    #expect(links("<a,b;c>; rel=duplicate, </d>; rel=duplicate") == [link("a,b;c"), link("/d")])
  }

  @Test(arguments: [
    "", "a; rel=duplicate", "<a; rel=duplicate", "<a> rel=duplicate", "<>; rel=duplicate", "<a>", "<a>; rel=duplicates",
    "<a>; rel=duplicate; anchor=\"/b\"", "<a>; rel=\"duplicate", "<a>; rel=describedby", "<a>; rev=duplicate",
    ">a<; rel=duplicate",
    "<a>; rel=describedby; type=\"application/metalink4+xml\"",
  ])
  func `that are malformed or of another kind are left out`(value: String) {
    #expect(links(value) == [])
  }

  @Test func `end at a malformed link`() {
    #expect(links("<a>; rel=duplicate, b, <c>; rel=duplicate") == [link("a")])
  }

  @Test(arguments: ["0", "1000000", "-1", "1.5", "99999999999999999999", "", "x"])
  func `without a valid priority have the lowest`(priority: String) {
    #expect(links("<a>; rel=duplicate; pri=\(priority)") == [link("a")])
  }

  @Test func `are limited in length and number`() {
    let long = String(repeating: "a", count: 4096)
    #expect(
      links("<\(long)>; rel=duplicate, <\(long)a>; rel=duplicate, <b>; rel=duplicate").map(\.reference.count) == [
        4096, 1,
      ])
    let many = String(repeating: "<a>; rel=duplicate,", count: 1000)
    #expect(links(many).count == 100)
    var fields = ResponseFields(ResponseHead(status: 200))
    for _ in 0..<3 {
      Array(("Link: " + many).utf8).withUnsafeBytes {
        if let (field, length) = ResponseFields.field(of: $0) { fields.take($0, field, nameLength: length) }
      }
    }
    let head = fields.finish()
    #expect(head.links.count == 64)
  }

  @Test func `with random input keep their bounds, and are the same as without spaces around them`() {
    let samples = [
      "<http://h/a?b=c,d>; rel=duplicate; pri=10; geo=de; pref, </b>; rel=\"a duplicate\"",
      "<m>; rel=describedby; type=\"application/metalink4+xml\"; x=\"\\\"\"",
    ]
    let alphabet = Array("<>;,=\" \t\\relduplicatpigo019\0".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(samples.randomElement(using: &generator)!.utf8), alphabet: alphabet)
      let links = LinkField.links(of: bytes)
      for link in links {
        #expect(!link.reference.isEmpty && !link.reference.contains(UInt8(ascii: ">")), "seed \(seed)")
        #expect((1...FieldLink.lowestPriority).contains(link.priority), "seed \(seed)")
        #expect(link.country.map { $0.utf8.count == 2 && $0 == $0.lowercased() } ?? true, "seed \(seed)")
      }
      #expect(LinkField.links(of: [32, 44, 9] + bytes + [32]) == links, "seed \(seed)")
      return !links.isEmpty
    }
    #expect(isFruitful)
  }
}
