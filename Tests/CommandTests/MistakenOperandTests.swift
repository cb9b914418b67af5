import Testing

@testable import CommandOptions
@testable import DownloadWords

@Suite struct `Operands that are no URLs` {
  private func error(_ words: String...) -> (message: String, hint: String?)? {
    do throws(UsageErrors) {
      _ = try Command(arguments: words.map { Array($0.utf8) })
      return nil
    } catch { return error.errors.first.map { ($0.message, $0.hint()) } }
  }

  @Test(arguments: [
    "urls.txt", "release.meta4", "dir/SHA256SUMS", "files.csv.gz", "./a.JSON", "x.sha256", "MD5SUMS",
  ])
  func `lists are for -i`(word: String) {
    let error = error(word)
    #expect(error?.message == "\(word): not a URL")
    #expect(error?.hint == "to download the files of a list: swiftget -i \(word)")
  }

  @Test(arguments: ["magnet:?xt=urn:btih:c12fe1", "MAGNET:?x", "debian.iso.torrent"])
  func `BitTorrent is not supported`(word: String) {
    #expect(error(word)?.message.hasSuffix(": BitTorrent is not supported") == true)
  }

  @Test(arguments: ["https://example.org/urls.txt", "https://example.org/a.torrent", "http://h/SHA256SUMS"])
  func `URLs are what they are`(word: String) { #expect(error(word) == nil) }

  @Test(arguments: ["example.org/a", "a", "txt", "host:80/urls.txt", "gz", ""])
  func `other words are nothing of this`(word: String) { #expect(MistakenOperand(Array(word.utf8)) == nil) }
}
