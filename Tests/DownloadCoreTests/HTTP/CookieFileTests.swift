import DownloadCore
import Testing

@Suite struct `A cookie file` {
  private func cookies(_ text: String) throws -> [String] {
    try CookieFile(Array(text.utf8)).cookies.map { String(decoding: $0, as: UTF8.self) }
  }

  private func problem(_ text: String) -> CookieFile.Problem? {
    do { _ = try CookieFile(Array(text.utf8)) } catch { return error }
    return nil
  }

  private static let session = "example.org\tFALSE\t/\tFALSE\t0\tsid\ta=b"
  private static let hidden = "#HttpOnly_.example.org\tTRUE\t/x\tTRUE\t1999999999\tkey\t"

  @Test func `has a cookie a line, and comments`() throws {
    let text = "\u{feff}# Netscape HTTP Cookie File\r\n\r\n#a comment\n \t\n\(Self.session)\r\n\(Self.hidden)\n"
    #expect(try cookies(text) == [Self.session, Self.hidden])
    #expect(try cookies(Self.session) == [Self.session])
    #expect(try cookies("") == [] && cookies("# HTTP cookie file.\n") == [])
  }

  @Test func `may lack a value, a path or an expiry`() throws {
    #expect(try cookies("h\ttrue\t/\tfalse\t0\tn") == ["h\ttrue\t/\tfalse\t0\tn"])
    #expect(try cookies("h\tTRUE\t\tFALSE\t\tn\tv") == ["h\tTRUE\t/\tFALSE\t0\tn\tv"])
    #expect(try cookies("h\tTRUE\t/\tFALSE\t1700000000.25\tn\tv") == ["h\tTRUE\t/\tFALSE\t1700000000\tn\tv"])
  }

  @Test func `has no other lines`() {
    for line in [
      "x", "Set-Cookie: a=b", "<html>", "h FALSE / FALSE 0 n v", "h\tFALSE\t/\tFALSE\t0", "h\t1\t/\tFALSE\t0\tn\tv",
      "h\tFALSE\t/\tFALSE\tnever\tn\tv", "h\tFALSE\t/\tFALSE\t-1\tn\tv", "\tFALSE\t/\tFALSE\t0\tn\tv",
      "h\tFALSE\t/\tFALSE\t0\tn\tv\tw", "h\tFALSE\t/\tFALSE\t0\tn\tv\0", "h\tFALSE\t/\tFALSE\t0\t\tv",
      "h\tFALSE\t/\tFALSE\t0\tn\tv\rw",
    ] {
      #expect(problem("# x\n\(Self.session)\n\(line)\n") == .line(3), "\(line)")
    }
    #expect(problem("SQLite format 3\0\u{1}") == .database)
    for nameCount in [1, 4000, 6999] {
      let name = String(repeating: "n", count: nameCount)
      let value = String(repeating: "v", count: CookieFile.mostCookieBytes - nameCount)
      #expect(problem("h\tFALSE\t/\tFALSE\t0\t\(name)\t\(value)") == nil)
      #expect(problem("\nh\tFALSE\t/\tFALSE\t0\t\(name)\t\(value)v\r\n") == .tooLong(line: 2))
    }
  }

  @Test func `is written without expired cookies, and can be read again`() throws {
    let expired = "example.org\tFALSE\t/\tFALSE\t1000\told\tx"
    let lines = [Self.session, expired, Self.hidden].map { Array($0.utf8) }
    let content = CookieFile.content(lines, unixTime: 1000)
    #expect(content.starts(with: "# Netscape HTTP Cookie File\n".utf8))
    #expect(try CookieFile(content).cookies == [lines[0], lines[2]])
    #expect(try CookieFile(CookieFile.content(lines, unixTime: 999)).cookies == lines)
    #expect(try CookieFile(CookieFile.content([], unixTime: 0)).cookies == [])
  }

  @Test func `has bytes that need not be UTF-8`() throws {
    let line = Array(Self.session.utf8) + [0xff]
    #expect(try CookieFile(line).cookies == [line])
  }
}
