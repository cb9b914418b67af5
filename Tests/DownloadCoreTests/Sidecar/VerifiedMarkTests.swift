import DownloadCore
import Testing

@Suite struct `Verified mark` {
  let digest = ContentDigest(.sha256, [UInt8](repeating: 0xAB, count: 32))!
  let time = FileTime(seconds: 1_700_000_000, nanoseconds: 5)

  @Test func `the text of a digest's mark reads back`() {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, url: .hash(0x1F))
    #expect(
      mark.text == "sha256:" + String(repeating: "ab", count: 32) + " 7 1700000000.000000005 000000000000001f")
    #expect(VerifiedMark(text: mark.text) == mark)
  }

  @Test func `a digest's mark may lack the URL's hash`() {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, url: nil)
    #expect(VerifiedMark(text: mark.text) == mark)
    #expect(!mark.vouches(forURLHash: 0, size: 7, modified: time, originURL: "https://example.org/a"))
  }

  @Test func `without a digest the URL is needed`() {
    let mark = VerifiedMark(digest: nil, size: 0, modified: FileTime(seconds: -3), url: .hash(.max))
    #expect(mark.text == "whole-transfer:- 0 -3.000000000 ffffffffffffffff")
    #expect(VerifiedMark(text: mark.text) == mark)
    #expect(VerifiedMark(text: "whole-transfer:- 0 -3.000000000") == nil)
    let named = VerifiedMark(digest: nil, size: 0, modified: time, url: .originURL)
    #expect(named.text == "whole-transfer:- 0 1700000000.000000005 user.xdg.origin.url")
    #expect(VerifiedMark(text: named.text) == named)
  }

  @Test func `only a short whole URL stands for its hash, and only without a digest`() {
    func reference(_ digest: ContentDigest?, whole: String, origin: String?) -> VerifiedMark.URLReference? {
      let hash = StableHash.fnv1a(whole)
      return VerifiedMark(digest: digest, size: 7, modified: time, urlHash: hash, originURL: origin).url
    }
    let short = "https://example.org/a"
    let long = short + String(repeating: "b", count: 36)
    #expect(reference(nil, whole: short, origin: short) == .originURL)
    #expect(reference(nil, whole: String(long.dropLast()), origin: String(long.dropLast())) == .originURL)
    #expect(reference(nil, whole: long, origin: long) == .hash(StableHash.fnv1a(long)))
    #expect(reference(nil, whole: short + "?q", origin: short) == .hash(StableHash.fnv1a(short + "?q")))
    #expect(reference(nil, whole: short, origin: nil) == .hash(StableHash.fnv1a(short)))
    #expect(reference(digest, whole: short, origin: short) == .hash(StableHash.fnv1a(short)))
  }

  @Test func `a touched file is vouched for no more`() {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, url: .hash(9))
    #expect(mark.vouches(for: digest, size: 7, modified: time))
    #expect(mark.vouches(forURLHash: 9, size: 7, modified: time, originURL: nil))
    #expect(!mark.vouches(for: digest, size: 8, modified: time))
    #expect(!mark.vouches(for: digest, size: 7, modified: FileTime(seconds: time.seconds, nanoseconds: 6)))
    let later = FileTime(seconds: time.seconds + 1, nanoseconds: 5)
    #expect(!mark.vouches(forURLHash: 9, size: 7, modified: later, originURL: nil))
    #expect(!mark.vouches(forURLHash: 8, size: 7, modified: time, originURL: nil))
    let other = ContentDigest(.sha256, [UInt8](repeating: 0xAC, count: 32))!
    #expect(!mark.vouches(for: other, size: 7, modified: time))
  }

  @Test func `a mark that leaves the URL to the origin vouches for that URL alone`() {
    let mark = VerifiedMark(digest: nil, size: 7, modified: time, url: .originURL)
    let hash = StableHash.fnv1a("https://example.org/a")
    #expect(mark.vouches(forURLHash: hash, size: 7, modified: time, originURL: "https://example.org/a"))
    #expect(!mark.vouches(forURLHash: hash, size: 7, modified: time, originURL: "https://example.org/b"))
    #expect(!mark.vouches(forURLHash: hash, size: 7, modified: time, originURL: nil))
    #expect(!mark.vouches(forURLHash: hash, size: 8, modified: time, originURL: "https://example.org/a"))
  }

  @Test(arguments: [
    "", "sha256:ab 7 1.000000000", "whole-transfer:- -1 1.000000000 0000000000000000",
    "whole-transfer:- 1 1.0 0000000000000000",
    "whole-transfer:- 1 1.000000000 00000000000000zz",
    "whole-transfer:- 1 1.000000000 user.xdg.origin.ur", "whole-transfer:- 1 1.000000000 000000000000000",
    "whole-transfer:- 1  1.000000000 0",
    "whole-transfer:- 99999999999999999999 1.000000000 0000000000000000",
    "whole-transfer:- 1 .000000000 0000000000000000",
    "whole-transfer:- 1 1.-00000000 0000000000000000", "whole-transfer:- 1 1.000000000 0000000000000000 more",
  ])
  func `anything else is no mark`(text: String) {
    #expect(VerifiedMark(text: text) == nil)
  }
}
