import Testing

@testable import DownloadCore
@testable import DownloadEngine
import Transport

@Suite struct `Rate control` {
  private func table(_ text: String) throws -> RateTimetable {
    try RateTimetable(text: Array(text.utf8)) { Int64(String(decoding: $0, as: UTF8.self)) }
  }

  @Test func `separates active transfers once when a limit starts`() {
    let rates = RateControl(run: nil, perFile: nil, now: .zero)
    let before = (rates.needsSeparateConnections, rates.takeSeparation())
    #expect(before == (false, false))
    rates.change(run: 1000, perFile: nil, now: .zero)
    let begun = (rates.needsSeparateConnections, rates.takeSeparation(), rates.takeSeparation())
    #expect(begun == (true, true, false))
    rates.change(run: nil, perFile: 50, now: .zero)
    let changed = rates.takeSeparation()
    #expect(!changed, "they are separate already")
    rates.change(run: nil, perFile: nil, now: .zero)
    let ended = (rates.needsSeparateConnections, rates.takeSeparation())
    #expect(ended == (false, false))
  }

  @Test func `uses separate connections from the start if a timetable may limit them`() throws {
    let rates = RateControl(run: try table("08:00,0 19:00,50000"), perFile: nil, now: .zero)
    rates.secondOfLocalDay = { 9 * 3600 }
    rates.followTimetables(now: .zero)
    let needed = (rates.needsSeparateConnections, rates.takeSeparation())
    #expect(needed == (true, false))
    #expect(
      rates.pieceByteCount(at: nil) == RateControl(run: nil, perFile: nil, now: .zero).pieceByteCount(at: nil),
      "unlimited by day")
  }

  @Test func `checks the time each second, for the clock may jump past a change`() throws {
    let rates = RateControl(run: nil, perFile: try table("08:00,1000 19:00,50000"), now: .zero)
    var looks: [Int] = []
    var elapsed = 0
    let start = 8 * 3600 - 90
    rates.secondOfLocalDay = {
      looks.append(elapsed)
      return start + elapsed
    }
    for second in 0..<120 {
      elapsed = second
      rates.followTimetables(now: .zero + .seconds(second))
    }
    #expect(looks == Array(0..<120))
  }

  @Test func `limits a host by its own timetable, and no other one`() throws {
    let now = Clock.now()
    let rates = RateControl(run: nil, perFile: nil, now: now)
    var second = 7 * 3600
    rates.secondOfLocalDay = { second }
    rates.followTimetables(now: now)
    let table = try table("06:00,0 08:00,1")
    let origin = try URLParser.parse("http://h/a".utf8).location.origin
    let host = rates.number(of: origin, limit: table, now: now)
    #expect(rates.number(of: origin, limit: table, now: now) == host && !rates.needsSeparateConnections)
    func admitted(_ transfer: Int, at host: Int?) -> Int {
      var count = 0
      while count < 100,
        rates.admits(TransferID(number: transfer), of: ItemHandle(transfer), at: host, byteCount: 1 << 20)
      {
        count += 1
      }
      return count
    }
    #expect(admitted(1, at: host) == 100)
    second = 8 * 3600
    rates.followTimetables(now: now + .seconds(61))
    #expect(admitted(2, at: host) < 100 && admitted(3, at: nil) == 100)
    #expect(rates.decidesRate(of: 2, now: now) && !rates.decidesRate(of: 3, now: now) && !rates.decidesRate(now: now))
    #expect(rates.pieceByteCount(at: host) == 1024 && rates.pieceByteCount(at: nil) > 1 << 30)
  }

  @Test func `throttles a transfer and returns it when it may continue`() {
    let now = Clock.now()
    let rates = RateControl(run: nil, perFile: nil, now: now)
    let none = rates.beginRound()
    #expect(!none)
    rates.change(run: 1, perFile: nil, now: now)
    let (one, other) = (TransferID(number: 1), TransferID(number: 2))
    var admitted = 0
    while rates.admits(one, of: 0, at: nil, byteCount: 1 << 20), admitted < 100 { admitted += 1 }
    #expect(admitted < 100)
    let next = rates.admits(other, of: 1, at: nil, byteCount: 1)
    #expect(!next && rates.decidesRate(now: now))
    rates.change(run: nil, perFile: nil, now: now)
    let begins = rates.beginRound()
    #expect(begins)
    var freed: [TransferID] = []
    while let id = rates.next(), freed.count < 10 { freed.append(id) }
    #expect(freed == [one, other], "in the order they came in")
  }
}
