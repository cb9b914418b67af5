import DownloadCore
import Testing

@Suite struct `Verified mark` {
  let digest = ContentDigest(.sha256, [UInt8](repeating: 0xAB, count: 32))!
  let time = FileTime(seconds: 1_700_000_000, nanoseconds: 5)

  @Test func `the text of a digest's mark reads back`() {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, urlHash: 0x1F)
    #expect(
      mark.text == "sha256:" + String(repeating: "ab", count: 32) + " 7 1700000000.000000005 000000000000001f")
    #expect(VerifiedMark(text: mark.text) == mark)
  }

  @Test func `a digest's mark may lack the URL's hash`() {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, urlHash: nil)
    #expect(VerifiedMark(text: mark.text) == mark)
    #expect(!mark.vouches(forURLHash: 0, size: 7, modified: time))
  }

  @Test func `without a digest the URL's hash is needed`() {
    let mark = VerifiedMark(digest: nil, size: 0, modified: FileTime(seconds: -3), urlHash: .max)
    #expect(mark.text == "whole-transfer:- 0 -3.000000000 ffffffffffffffff")
    #expect(VerifiedMark(text: mark.text) == mark)
    #expect(VerifiedMark(text: "whole-transfer:- 0 -3.000000000") == nil)
  }

  @Test func `a touched file is vouched for no more`() {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, urlHash: 9)
    #expect(mark.vouches(for: digest, size: 7, modified: time))
    #expect(mark.vouches(forURLHash: 9, size: 7, modified: time))
    #expect(!mark.vouches(for: digest, size: 8, modified: time))
    #expect(!mark.vouches(for: digest, size: 7, modified: FileTime(seconds: time.seconds, nanoseconds: 6)))
    #expect(!mark.vouches(forURLHash: 9, size: 7, modified: FileTime(seconds: time.seconds + 1, nanoseconds: 5)))
    #expect(!mark.vouches(forURLHash: 8, size: 7, modified: time))
    let other = ContentDigest(.sha256, [UInt8](repeating: 0xAC, count: 32))!
    #expect(!mark.vouches(for: other, size: 7, modified: time))
  }

  @Test(arguments: [
    "", "sha256:ab 7 1.000000000", "whole-transfer:- -1 1.000000000 0000000000000000",
    "whole-transfer:- 1 1.0 0000000000000000",
    "whole-transfer:- 1 1.000000000 00000000000000zz", "whole-transfer:- 1 1.000000000 000000000000000",
    "whole-transfer:- 1  1.000000000 0",
    "whole-transfer:- 99999999999999999999 1.000000000 0000000000000000",
    "whole-transfer:- 1 .000000000 0000000000000000",
    "whole-transfer:- 1 1.-00000000 0000000000000000", "whole-transfer:- 1 1.000000000 0000000000000000 more",
  ])
  func `anything else is no mark`(text: String) {
    #expect(VerifiedMark(text: text) == nil)
  }
}
