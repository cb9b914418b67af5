import DownloadCore
import Testing

@testable import DownloadWords

@Suite struct `Diagnostics` {
  @Test func `an error has name, failure and cause, then the hint`() {
    let error = Failure(.localIO, "cannot rename: no such directory", hint: "was it removed?")
    #expect(
      Diagnostic(error, name: Array("a.iso".utf8)).text
        == "swiftget: a.iso: cannot rename: no such directory\nhint: was it removed?\n")
    #expect(Diagnostic(message: "nothing to download").text == "swiftget: nothing to download\n")
  }

  @Test func `a diagnostic never contains a secret`() {
    let error = Failure(
      .network, "https://me:secret@h/f?secret: bad proxy 'me:se cret@p'", hint: "try http://me:secret@h")
    let text = Diagnostic(error, name: Array("me@h?".utf8)).text
    #expect(text == "swiftget: me@h?: https://…@h/f?…: bad proxy '…@p'\nhint: try http://…@h\n")
  }

  @Test(arguments: [
    (Array("plain name.iso".utf8), "plain name.iso"),
    (Array("Grüße 日本語 👩‍👩‍👧".utf8), "Grüße 日本語 👩‍👩‍👧"),
    (Array("a\u{1b}[2J\r\n\t\u{7f}".utf8), "a\\x1b[2J\\x0d\\x0a\\x09\\x7f"),
    (Array("\u{9b}31m".utf8), "\\u{9b}31m"),
    (Array("gpj.\u{202e}exe".utf8), "gpj.\\u{202e}exe"),
    (Array("\u{2066}\u{200f}\u{feff}\u{200b}\u{2028}".utf8), "\\u{2066}\\u{200f}\\u{feff}\\u{200b}\\u{2028}"),
    ([0x61, 0xff, 0x62], "a\\xffb"),
    ([0xc0, 0xaf], "\\xc0\\xaf"),
    ([0xed, 0xa0, 0x80], "\\xed\\xa0\\x80"),
    ([0xf4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"),
    ([0xe6, 0x97], "\\xe6\\x97"),
    ([0xe6, 0x97, 0x41], "\\xe6\\x97A"),
    ([0x0], "\\x00"),
  ])
  func `control characters in names and messages are escaped`(bytes: [UInt8], text: String) {
    #expect(Diagnostic.escaped(bytes) == text)
  }

  @Test func `random bytes never produce control characters`() {
    var state: UInt64 = 42
    for _ in 0..<2000 {
      let bytes = (0..<12).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1
        return UInt8(state >> 56)
      }
      let scalars = Diagnostic.escaped(bytes).unicodeScalars
      #expect(!scalars.contains { $0.value < 0x20 || (0x7f..<0xa0).contains($0.value) })
    }
  }
}

@Suite struct `Exit statuses` {
  @Test func `each code has its number`() {
    let expected: [Failure.Code: Int32] = [
      .usage: 2, .localIO: 3, .diskFull: 3, .network: 4, .tls: 5, .authentication: 6, .protocolViolation: 7,
      .serverRefused: 8, .integrity: 9, .locked: 75, .deadline: 75, .interrupted: 130, .other: 1,
    ]
    for code in Failure.Code.allCases { #expect(ExitStatus(code).rawValue == expected[code]) }
  }

  @Test func `no two have the same number`() {
    #expect(Set(ExitStatus.fixed.map(\.rawValue)).count == ExitStatus.fixed.count)
  }

  @Test func `the first of several failures in order counts`() {
    let order: [Failure.Code] = [
      .usage, .diskFull, .integrity, .tls, .authentication, .protocolViolation, .serverRefused, .network, .locked,
      .other,
    ]
    for (index, code) in order.enumerated() {
      #expect(ExitStatus.overall(of: order[index...].reversed()) == ExitStatus(code))
    }
    #expect(ExitStatus.overall(of: []) == .success)
    #expect(ExitStatus.overall(of: [.interrupted]) == .interrupted)
  }
}
