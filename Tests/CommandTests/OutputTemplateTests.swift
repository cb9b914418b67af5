import DownloadCore
import TestSupport
import Testing

@testable import DownloadLists

@Suite struct `A template of names` {
  private func path(
    _ template: String, _ urlPath: String = "/pub/a%20b/c.tar.gz", port: UInt16 = 443, name: String? = nil
  ) throws -> String {
    let location = Location(scheme: .https, host: "h.example", port: port, path: urlPath, query: "q=1")
    let template = try OutputTemplate(text: Array(template.utf8))
    return String(
      decoding: template.path(name: name.map { Array($0.utf8) }, location: location, number: 7), as: UTF8.self)
  }

  @Test(arguments: [
    ("{host}/{path}/{name}", "h.example/pub/a b/c.tar.gz"), ("{n}-{stem}-old.{ext}", "7-c.tar-old.gz"),
    ("{ext}/{stem}", "gz/c.tar"), ("{url-md5}", ""), ("x/{ name }", "x/c.tar.gz"),
  ])
  func `has fields of the URL`(template: String, expected: String) throws {
    let expected = template == "{url-md5}" ? try Self.digest("https://h.example/pub/a%20b/c.tar.gz?q=1") : expected
    #expect(try path(template) == expected)
  }

  private static func digest(_ text: String) throws -> String {
    try Content.text(text).hexDigest("md5")
  }

  @Test func `has the port of the host unless it is the usual one`() throws {
    #expect(try path("{host}/{name}", port: 8443) == "h.example:8443/c.tar.gz")
  }

  @Test func `takes the name of the list before that of the URL`() throws {
    #expect(try path("{path}/{name}", name: "x.y") == "pub/a b/x.y")
    #expect(try path("{stem}_{ext}", name: "x.y") == "x_y")
  }

  @Test(arguments: ["/", "/c", "//c", "/c/"])
  func `leaves out directories that the URL does not have`(urlPath: String) throws {
    let name = urlPath.contains("c/") || urlPath == "/" ? "index.html" : "c"
    let directory = urlPath == "/c/" ? "c/" : ""
    let components = try TargetName.checked(Array(try path("{path}/{name}", urlPath).utf8))
    #expect(components.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/") == directory + name)
  }

  @Test func `stem, dot and extension are always the name`() throws {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<500 {
      let name = String(
        (0..<Int.random(in: 1...5, using: &generator)).map { _ in
          ["a", ".", "b", "-"].randomElement(using: &generator)!
        }.joined())
      #expect(try path("{stem}.{ext}", name: name) == name)
    }
    #expect(try path("{stem}{ext}", name: "a..") == "a..")
    #expect(try path("{stem}-{n}.{ext}", name: "README") == "README-7")
    #expect(try path("{stem}|{ext}", name: ".profile") == ".profile|")
  }

  @Test(
    arguments: [
      ("", nil), ("a", .noField), ("{name", .unpairedBrace), ("{0}", .unknownField(Array("0".utf8))),
      ("{}", .unknownField([])), ("/srv/{name}", .unusable(.absolute)), ("../{name}", .unusable(.leavesDirectory)),
      ("{name}/../{n}", .unusable(.leavesDirectory)), ("{name}.swiftget", .unusable(.reservedSuffix)),
      ("{name}\n", .unusable(.controlCharacter)), ("http://h/{name}", .unusable(.isURL)),
    ] as [(String, OutputTemplate.Fault?)])
  func `is refused where no file could get its name`(text: String, fault: OutputTemplate.Fault?) {
    #expect(throws: fault ?? .noField) { try OutputTemplate(text: Array(text.utf8)) }
  }
}
