import Testing

@testable import DownloadCore

@Suite struct `A phrase` {
  private static let vocabulary = Vocabulary { setting, value in "<\(setting)\(value.map { "=" + $0 } ?? "")>" }

  @Test func `names settings as who shows it does`() {
    let phrase: Phrase = "keep \(2) of \("a") with \(.ifExists, "keep") or \(.dir)"
    #expect(phrase.text(in: Self.vocabulary) == "keep 2 of a with <ifExists=keep> or <dir>")
    let both = "see " + phrase + ""
    #expect(both.text(in: Self.vocabulary) == "see keep 2 of a with <ifExists=keep> or <dir>")
    #expect(both == "see \(phrase)" && both != phrase)
  }

  @Test func `is equal to another one with the same text and settings`() {
    let name = "b"
    let (made, dir, output): (Phrase, Phrase, Phrase) = ("a\(name)", "\(.dir)", "\(.output)")
    #expect(made == "ab" && made + Phrase("c") == "abc" && dir != output)
    let (one, two): (Phrase, Phrase) = ("\(.dir, "x")", "\(.dir) x")
    #expect(one != two)
  }
}
