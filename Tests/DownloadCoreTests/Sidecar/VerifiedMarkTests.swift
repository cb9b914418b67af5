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

  // MARK: The compact form

  /// A mark that has the compact form.
  private func compact(
    size: Int64 = 0x01_0203, modified: FileTime = FileTime(seconds: 1_700_000_000), writtenAt: Int64 = 1_760_000_000,
    url: VerifiedMark.URLReference? = .hash(0x0123_4567_89ab_cdef)
  ) -> VerifiedMark {
    VerifiedMark(digest: digest, size: size, modified: modified, writtenAt: writtenAt, url: url)
  }

  @Test func `a mark with SHA-256 and a time in whole seconds is compact`() {
    let mark = compact()
    let bytes: [UInt8] =
      [1] + digest.bytes + [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef] + [0x65, 0x53, 0xf1, 0x00]
      + [0x68, 0xe7, 0x78, 0x00] + [1, 2, 3]
    #expect(mark.bytes == bytes && bytes.count == 52)
    #expect(VerifiedMark(bytes: bytes) == mark)
    #expect(VerifiedMark(bytes: mark.textBytes) == mark)
  }

  @Test(arguments: [0, 1, 0xff_ffff] as [Int64]) func `a compact mark has every size and time that fits`(size: Int64) {
    for seconds in [0, 1, 0xffff_ffff] as [Int64] {
      for writtenAt in [0, 0xffff_ffff] as [Int64] {
        for hash in [UInt64.min, .max] {
          let mark = compact(
            size: size, modified: FileTime(seconds: seconds), writtenAt: writtenAt, url: .hash(hash))
          #expect(mark.bytes.count == 52 && VerifiedMark(bytes: mark.bytes) == mark)
        }
      }
    }
  }

  @Test func `a mark with a field that does not fit is text`() {
    let marks = [
      compact(size: 1 << 24), compact(modified: FileTime(seconds: 1_700_000_000, nanoseconds: 1)),
      compact(modified: FileTime(seconds: -1)), compact(modified: FileTime(seconds: 1 << 32)),
      compact(writtenAt: 1 << 32), compact(url: nil),
      VerifiedMark(
        digest: ContentDigest(.md5, repeating: 1), size: 1, modified: FileTime(seconds: 1), writtenAt: 1, url: .hash(1)),
      VerifiedMark(
        digest: ContentDigest(.sha3_256, repeating: 1), size: 1, modified: FileTime(seconds: 1), writtenAt: 1,
        url: .hash(1)),
      VerifiedMark(digest: nil, size: 1, modified: FileTime(seconds: 1), writtenAt: 1, url: .hash(1)),
    ]
    for mark in marks {
      #expect(mark.bytes == mark.textBytes && VerifiedMark(bytes: mark.bytes) == mark)
    }
  }

  @Test func `a compact mark of another length or form is not a mark`() {
    let bytes = compact().bytes
    for count in 0..<bytes.count { #expect(VerifiedMark(bytes: Array(bytes[..<count])) == nil) }
    #expect(VerifiedMark(bytes: bytes + [0]) == nil)
    for form in UInt8.min...UInt8.max where form != 1 { #expect(VerifiedMark(bytes: [form] + bytes[1...]) == nil) }
  }

  /// The content with this digest, size and times is in place. Whatever is done to its mark, another digest is expected.
  @Test func `no damage makes a mark vouch for another digest`() {
    let mark = compact(size: 7, modified: FileTime(seconds: time.seconds), writtenAt: second)
    var generator = SeededGenerator(seed: 7)
    let other = ContentDigest(.sha256, repeating: 0xAC)
    for round in 0..<20_000 {
      let damaged = generator.mutate(mark.bytes, alphabet: [0, 1, 0xAB, 0xAC, 0xFF])
      guard let found = VerifiedMark(bytes: damaged) else { continue }
      #expect(
        !found.vouches(for: other, size: 7, modified: mark.modified, changed: changed), "round \(round): \(damaged)")
      if damaged[1..<33] != mark.bytes[1..<33] {
        #expect(!found.vouches(for: digest, size: 7, modified: mark.modified, changed: changed), "round \(round)")
      }
      #expect(VerifiedMark(bytes: found.bytes) == found, "round \(round)")
    }
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
}
