import DownloadCore
import TestSupport
import Testing

@Suite struct `Verified mark` {
  let digest = ContentDigest(.sha256, repeating: 0xAB)
  let time = FileTime(seconds: 1_700_000_000, nanoseconds: 5)
  /// When the marks are written, and when their files were last changed.
  let second: Int64 = 1_760_000_000
  let changed = FileTime(seconds: 1_760_000_000, nanoseconds: 700_000_000)

  @Test func `a mark with a digest is read back`() {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, writtenAt: second, url: .hash(0x1F))
    #expect(
      String(decoding: mark.bytes, as: UTF8.self) == "sha256:" + String(repeating: "ab", count: 32)
        + " 7 1700000000.000000005 1760000000 000000000000001f")
    #expect(VerifiedMark(bytes: mark.bytes) == mark)
  }

  @Test func `a mark with a digest may lack the hash of the URL`() {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, writtenAt: second, url: nil)
    #expect(VerifiedMark(bytes: mark.bytes) == mark)
    #expect(!mark.vouches(forURLHash: 0, size: 7, modified: time, changed: changed, originURL: "https://example.org/a"))
  }

  @Test func `a mark without a digest needs the URL`() {
    let mark = VerifiedMark(digest: nil, size: 0, modified: FileTime(seconds: -3), writtenAt: second, url: .hash(.max))
    #expect(
      String(decoding: mark.bytes, as: UTF8.self) == "whole-transfer:- 0 -3.000000000 1760000000 ffffffffffffffff")
    #expect(VerifiedMark(bytes: mark.bytes) == mark)
    #expect(VerifiedMark(bytes: Array("whole-transfer:- 0 -3.000000000 1760000000".utf8)) == nil)
    let named = VerifiedMark(digest: nil, size: 0, modified: time, writtenAt: second, url: .originURL)
    #expect(
      String(decoding: named.bytes, as: UTF8.self)
        == "whole-transfer:- 0 1700000000.000000005 1760000000 user.xdg.origin.url")
    #expect(VerifiedMark(bytes: named.bytes) == named)
  }

  @Test func `only a short whole URL replaces its hash, and only without a digest`() {
    func reference(_ digest: ContentDigest?, whole: String, origin: String?) -> VerifiedMark.URLReference? {
      let hash = StableHash.fnv1a(whole)
      return VerifiedMark(digest: digest, size: 7, modified: time, writtenAt: second, urlHash: hash, originURL: origin)
        .url
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

  @Test func `a mark does not vouch for a changed file`() {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, writtenAt: second, url: .hash(9))
    #expect(mark.vouches(for: digest, size: 7, modified: time, changed: changed))
    #expect(mark.vouches(forURLHash: 9, size: 7, modified: time, changed: changed, originURL: nil))
    #expect(!mark.vouches(for: digest, size: 8, modified: time, changed: changed))
    #expect(
      !mark.vouches(for: digest, size: 7, modified: FileTime(seconds: time.seconds, nanoseconds: 6), changed: changed))
    let later = FileTime(seconds: time.seconds + 1, nanoseconds: 5)
    #expect(!mark.vouches(forURLHash: 9, size: 7, modified: later, changed: changed, originURL: nil))
    #expect(!mark.vouches(forURLHash: 8, size: 7, modified: time, changed: changed, originURL: nil))
    let other = ContentDigest(.sha256, repeating: 0xAC)
    #expect(!mark.vouches(for: other, size: 7, modified: time, changed: changed))
  }

  /// Seconds from the mark to the last change of the file.
  @Test(arguments: [(0, true), (1, true), (5, true), (6, false), (-1, false), (86_400, false)])
  func `a mark does not vouch for a file that was changed after publication`(age: Int64, isVouched: Bool) {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, writtenAt: second, url: .hash(9))
    let changed = FileTime(seconds: second + age, nanoseconds: 999_999_999)
    #expect(mark.vouches(for: digest, size: 7, modified: time, changed: changed) == isVouched)
    #expect(mark.vouches(forURLHash: 9, size: 7, modified: time, changed: changed, originURL: nil) == isVouched)
  }

  @Test func `extreme times in a mark do not overflow`() {
    let mark = VerifiedMark(digest: digest, size: 7, modified: time, writtenAt: .max, url: nil)
    for seconds in [Int64.min, -1, 0, .max] {
      let isVouched = mark.vouches(for: digest, size: 7, modified: time, changed: FileTime(seconds: seconds))
      #expect(isVouched == (seconds == .max))
    }
  }

  @Test func `a mark that refers to the origin URL vouches for that URL only`() {
    let mark = VerifiedMark(digest: nil, size: 7, modified: time, writtenAt: second, url: .originURL)
    let hash = StableHash.fnv1a("https://example.org/a")
    #expect(
      mark.vouches(forURLHash: hash, size: 7, modified: time, changed: changed, originURL: "https://example.org/a"))
    #expect(
      !mark.vouches(forURLHash: hash, size: 7, modified: time, changed: changed, originURL: "https://example.org/b"))
    #expect(!mark.vouches(forURLHash: hash, size: 7, modified: time, changed: changed, originURL: nil))
    #expect(
      !mark.vouches(forURLHash: hash, size: 8, modified: time, changed: changed, originURL: "https://example.org/a"))
  }

  @Test(arguments: [
    "", "sha256:ab 7 1.000000000 5", "whole-transfer:- -1 1.000000000 5 0000000000000000",
    "whole-transfer:- 1 1.0 5 0000000000000000",
    "whole-transfer:- 1 1.000000000 5 00000000000000zz",
    "whole-transfer:- 1 1.000000000 5 user.xdg.origin.ur", "whole-transfer:- 1 1.000000000 5 000000000000000",
    "whole-transfer:- 1  1.000000000 5 0",
    "whole-transfer:- 99999999999999999999 1.000000000 5 0000000000000000",
    "whole-transfer:- 1 .000000000 5 0000000000000000",
    "whole-transfer:- 1 1.-00000000 5 0000000000000000", "whole-transfer:- 1 1.000000000 5 0000000000000000 more",
    "whole-transfer:- 1 1.000000000 -5 0000000000000000", "whole-transfer:- 1 1.000000000 5.0 0000000000000000",
    "whole-transfer:- 1 1.000000000 99999999999999999999 0000000000000000",
    // The form of earlier versions, without a time.
    "whole-transfer:- 1 1.000000000 user.xdg.origin.url", "whole-transfer:- 1 1.000000000 00000000000000ff",
  ])
  func `any other text is not a mark`(text: String) {
    #expect(VerifiedMark(bytes: Array(text.utf8)) == nil)
  }

  @Test func `a mark tells a time of the server from the time of the download`() {
    func isDated(_ modified: FileTime, writtenAt: Int64) -> Bool {
      VerifiedMark(digest: digest, size: 7, modified: modified, writtenAt: writtenAt, url: nil).isDated
    }
    #expect(
      isDated(FileTime(seconds: 1_700_000_000), writtenAt: second) && isDated(FileTime(seconds: -3), writtenAt: second))
    #expect(!isDated(time, writtenAt: second))
    // Of a file system that stores whole seconds.
    #expect(!isDated(FileTime(seconds: second), writtenAt: second))
    #expect(!isDated(FileTime(seconds: second - 2), writtenAt: second))
    #expect(isDated(FileTime(seconds: .min), writtenAt: .max) && isDated(FileTime(seconds: .max), writtenAt: .min))
  }

}

extension VerifiedMark {
  /// Whether the file was verified against this digest and is untouched since.
  fileprivate func vouches(for digest: ContentDigest, size: Int64, modified: FileTime, changed: FileTime) -> Bool {
    self.digest == digest && isUntouched(size: size, modified: modified, changed: changed)
  }

  /// Whether the file is the complete download of the URL with this hash and untouched since.
  fileprivate func vouches(
    forURLHash hash: UInt64, size: Int64, modified: FileTime, changed: FileTime, originURL: String?
  ) -> Bool {
    isUntouched(size: size, modified: modified, changed: changed) && urlHash(originURL: originURL) == hash
  }
}
