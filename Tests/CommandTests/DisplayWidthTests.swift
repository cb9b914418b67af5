import Testing

@testable import CommandMain
@testable import DownloadWords

@Suite struct `Display width` {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한글", 4), ("\u{1112}\u{1161}\u{11ab}", 2),
    ("👩‍👩‍👧", 2), ("ｶﾅ", 2), ("Ａ", 2), ("…", 1), ("█", 1), ("a\u{200d}b", 2),
  ])
  func `counts columns`(text: String, columns: Int) {
    #expect(DisplayWidth.of(text) == columns)
  }

  @Test(arguments: [
    ("abcdefghij", 10, "abcdefghij"), ("abcdefghij", 9, "abcd…ghij"), ("abcdefghij", 4, "ab…j"),
    ("abcdefghij", 2, "a…"), ("abcdefghij", 1, "."), ("abcdefghij", 0, ""), ("日本語日本語", 7, "日…本語"),
  ])
  func `shortens in the middle`(text: String, width: Int, result: String) {
    #expect(DisplayWidth.truncated(text, to: width, ellipsis: "…") == result)
  }

  @Test func `pads to the requested width`() {
    for width in 0..<20 {
      for text in ["abcdefghijkl", "日本語日本語", "x"] {
        #expect(DisplayWidth.of(DisplayWidth.fitted(text, to: width, ellipsis: "…")) == width)
      }
    }
  }
}

@Suite struct `Numbers for people` {
  @Test(arguments: [(0, "0 files"), (1, "1 file"), (2, "2 files")])
  func `a count agrees with its noun`(count: Int, text: String) { #expect(Humanized.count(count, "file") == text) }

  @Test(
    arguments: [
      (0, "0 B"), (-5, "0 B"), (999, "999 B"), (1000, "0.9 KiB"), (1024, "1.0 KiB"), (1_288_490_188, "1.1 GiB"),
      (10 << 20, "10 MiB"), (1000 << 20, "0.9 GiB"), (Int64.max, "7.9 EiB"),
    ] as [(Int64, String)])
  func `sizes`(byteCount: Int64, text: String) {
    #expect(Humanized.size(byteCount) == text)
  }

  @Test func `rates, including impossible ones`() {
    #expect(Humanized.rate(361 * 1_048_576) == "361 MiB/s")
    #expect(Humanized.rate(.nan) == "0 B/s")
    #expect(Humanized.rate(.infinity) == "7.8 EiB/s")
    #expect(Humanized.rate(-1) == "0 B/s")
  }

  @Test(
    arguments: [
      (0, "0.0 s"), (3.44, "3.4 s"), (59.9, "59 s"), (61, "1m01s"), (7500, "2h05m"), (360_000, "4d04h"),
    ] as [(Double, String)])
  func `durations`(seconds: Double, text: String) {
    #expect(Humanized.duration(.seconds(seconds)) == text)
  }

  @Test func `100 percent is shown only when complete`() {
    #expect(Humanized.percent(999_999, of: 1_000_000) == "99%")
    #expect(Humanized.percent(1_000_000, of: 1_000_000) == "100%")
    #expect(Humanized.percent(0, of: 1) == "0%")
    #expect(Humanized.percent(5, of: nil) == nil)
    #expect(Humanized.percent(.max - 1, of: .max) == "99%")
  }

  @Test func `time left`() {
    #expect(Humanized.timeLeft(.seconds(10)) == "0:10")
    #expect(Humanized.timeLeft(.milliseconds(10_100)) == "0:11")
    #expect(Humanized.timeLeft(.seconds(10_738)) == "2h58m")
    #expect(Humanized.timeLeft(.seconds(Int64.max)) == "-")
    #expect(Humanized.timeLeft(.zero) == "0:00")
  }
}
