import Testing

@testable import DownloadCore

@Suite struct `Rate timetable` {
  typealias Fault = RateTimetable.Fault

  /// Reads a rate as a plain number.
  private func table(_ text: String) throws(Fault) -> RateTimetable {
    try RateTimetable(text: Array(text.utf8)) { Int64(String(decoding: $0, as: UTF8.self)) }
  }

  private static func second(_ hour: Int, _ minute: Int = 0, _ second: Int = 0) -> Int {
    hour * 3600 + minute * 60 + second
  }

  @Test(arguments: [("7", 7), ("0", nil), ("off", nil), (" 7 ", 7)] as [(String, Int64?)])
  func `one rate holds all day`(text: String, rate: Int64?) throws {
    let table = try table(text)
    #expect(table == RateTimetable(rate: rate) && table.isEverLimited == (rate != nil))
    for second in [0, 1, 43_200, 86_399] {
      #expect(table.rate(at: second) == rate && table.secondsToChange(from: second) == nil)
    }
  }

  @Test(
    arguments: [
      (0, 0, 0, nil, 28_800), (7, 59, 59, nil, 1), (8, 0, 0, 2, 39_600), (18, 59, 59, 2, 1),
      (19, 0, 0, nil, 13 * 3600), (23, 59, 59, nil, 8 * 3600 + 1),
    ] as [(Int, Int, Int, Int64?, Int)])
  func `an entry holds until the next one`(hour: Int, minute: Int, second: Int, rate: Int64?, toChange: Int) throws {
    for text in ["08:00,2 19:00,off", "19:00,0  8:00,2"] {
      let table = try table(text)
      let second = Self.second(hour, minute, second)
      #expect(table.rate(at: second) == rate && table.secondsToChange(from: second) == toChange)
      #expect(table.isEverLimited)
    }
  }

  @Test func `before the first entry of a day the last entry of the previous day holds`() throws {
    let table = try table("06:30,1 12:00,2 22:15,3")
    #expect(table.rate(at: 0) == 3 && table.rate(at: Self.second(6, 29, 59)) == 3)
    #expect(table.rate(at: Self.second(6, 30)) == 1 && table.rate(at: 86_399) == 3)
    #expect(table.secondsToChange(from: Self.second(22, 15)) == Self.second(8, 15))
  }

  @Test func `a single entry with a time holds all day`() throws {
    let table = try table("08:00,5")
    #expect(table.rate(at: 0) == 5 && table.rate(at: 86_399) == 5 && table.secondsToChange(from: 0) == nil)
    #expect(try !self.table("08:00,off 09:00,0").isEverLimited)
  }

  @Test(
    arguments: [
      ("", .notARate([])), (" ", .notARate([])), ("x", .notARate(Array("x".utf8))),
      ("Off", .notARate(Array("Off".utf8))), ("08:00", .notARate(Array("08:00".utf8))),
      ("08:00,", .notARate([])), ("08:00,2,3", .notARate(Array("2,3".utf8))),
      ("08:00,2 9:00,x", .notARate(Array("x".utf8))), ("08:00,2,9:00,3", .notARate(Array("2,9:00,3".utf8))),
      ("24:00,2", .notATimeOfDay(Array("24:00".utf8))), ("08:60,2", .notATimeOfDay(Array("08:60".utf8))),
      ("8,2", .notATimeOfDay(Array("8".utf8))),
      (",2", .notATimeOfDay([])), ("08:0,2", .notATimeOfDay(Array("08:0".utf8))),
      ("008:00,2", .notATimeOfDay(Array("008:00".utf8))), ("-1:00,2", .notATimeOfDay(Array("-1:00".utf8))),
      ("08:00:00,2", .notATimeOfDay(Array("08:00:00".utf8))), (":00,2", .notATimeOfDay(Array(":00".utf8))),
      ("08:00,2 3", .notAnEntry(Array("3".utf8))), ("1 2", .notAnEntry(Array("1".utf8))),
      ("08:00,1 8:00,2", .sameTime(Array("8:00".utf8))),
    ] as [(String, Fault)])
  func `an error names the invalid part`(text: String, fault: Fault) {
    #expect(throws: fault) { try table(text) }
  }
}
