import Testing

@testable import DownloadCore
@testable import DownloadEngine
import DownloadTransport

@Suite struct `Rate control` {
  private func table(_ text: String) throws -> RateTimetable {
    try RateTimetable(text: Array(text.utf8)) { Int64(String(decoding: $0, as: UTF8.self)) }
  }

  private static func origin(_ name: String) -> Origin { Origin(scheme: .http, host: name, port: 80) }

  private func membership(_ item: Int = 0, group: UInt16 = 0, at host: String = "other") -> RateMembership {
    RateMembership(item: ItemHandle(item), group: GroupID(group), host: Self.origin(host))
  }

  @Test(arguments: [
    RateControl.Subject.run, .eachFile, .one(.group(.main)), .one(.host(origin("other"))), .one(.file(0)),
  ])
  func `separates active transfers once when a limit starts`(subject: RateControl.Subject) {
    let rates = RateControl(now: .zero)
    let before = (rates.needsOwnConnection(membership()), rates.takeSeparation())
    #expect(before == (false, false))
    rates.limit(subject, to: RateTimetable(rate: 1000), now: .zero)
    let begun = (rates.needsOwnConnection(membership()), rates.takeSeparation(), rates.takeSeparation())
    #expect(begun == (true, true, false))
    rates.limit(subject, to: RateTimetable(rate: 50), now: .zero)
    let changed = rates.takeSeparation()
    #expect(!changed, "they are separate already")
    rates.limit(subject, to: RateTimetable(rate: nil), now: .zero)
    let ended = (rates.needsOwnConnection(membership()), rates.takeSeparation())
    #expect(ended == (false, false))
  }

  @Test func `uses separate connections from the start if a timetable may limit them`() throws {
    let rates = RateControl(now: .zero)
    rates.secondOfLocalDay = { 9 * 3600 }
    rates.limit(.run, to: try table("08:00,0 19:00,50000"), now: .zero)
    #expect(rates.needsOwnConnection(membership()))
    #expect(rates.pieceByteCount(membership()) > 1 << 30, "unlimited by day")
  }

  @Test func `checks the time each second, for the clock may jump past a change`() throws {
    let rates = RateControl(now: .zero)
    var looks: [Int] = []
    var elapsed = 0
    let start = 8 * 3600 - 90
    rates.secondOfLocalDay = {
      looks.append(elapsed)
      return start + elapsed
    }
    rates.limit(.eachFile, to: try table("08:00,1000 19:00,50000"), now: .zero)
    for second in 0..<120 {
      elapsed = second
      rates.followTimetables(now: .zero + .seconds(second))
    }
    #expect(looks == Array(0..<120))
  }

  /// - Returns: how many of 100 MiB are taken.
  private func admitted(_ transfer: Int, _ membership: RateMembership, _ rates: RateControl) -> Int {
    var count = 0
    while count < 100, rates.admits(TransferID(number: transfer), membership, byteCount: 1 << 20) { count += 1 }
    return count
  }

  @Test func `limits a host by its own timetable, and no other one`() throws {
    let now = Clock.now()
    let rates = RateControl(now: now)
    var second = 7 * 3600
    rates.secondOfLocalDay = { second }
    for _ in 0..<2 { rates.limit(.one(.host(Self.origin("h"))), to: try table("06:00,0 08:00,1"), now: now) }
    #expect(!rates.needsOwnConnection(membership()) && rates.needsOwnConnection(membership(at: "h")))
    #expect(admitted(1, membership(1, at: "h"), rates) == 100)
    second = 8 * 3600
    rates.followTimetables(now: now + .seconds(61))
    #expect(admitted(2, membership(2, at: "h"), rates) < 100 && admitted(3, membership(3), rates) == 100)
    #expect(rates.decidesRate(of: 2, now: now) && !rates.decidesRate(of: 3, now: now) && !rates.decidesRate(now: now))
    #expect(rates.pieceByteCount(membership(at: "h")) == 1024 && rates.pieceByteCount(membership()) > 1 << 30)
  }

  @Test func `limits a group and a file, and no other ones`() {
    let now = Clock.now()
    let rates = RateControl(now: now)
    rates.limit(.one(.group(GroupID(1))), to: RateTimetable(rate: 1), now: now)
    rates.limit(.one(.file(7)), to: RateTimetable(rate: 1), now: now)
    #expect(admitted(1, membership(1, group: 1), rates) < 100 && admitted(2, membership(7), rates) < 100)
    #expect(admitted(3, membership(3), rates) == 100)
    rates.forget(7)
    #expect(admitted(4, membership(7), rates) == 100, "another beginning")
  }

  @Test func `throttles a transfer and returns it when it may continue`() {
    let now = Clock.now()
    let rates = RateControl(now: now)
    let none = rates.beginRound()
    #expect(!none)
    rates.limit(.run, to: RateTimetable(rate: 1), now: now)
    let (one, other) = (TransferID(number: 1), TransferID(number: 2))
    #expect(admitted(1, membership(0), rates) < 100)
    let next = rates.admits(other, membership(1), byteCount: 1)
    #expect(!next && rates.decidesRate(now: now))
    rates.limit(.run, to: nil, now: now)
    let begins = rates.beginRound()
    #expect(begins)
    var freed: [TransferID] = []
    while let id = rates.next(), freed.count < 10 { freed.append(id) }
    #expect(freed == [one, other], "in the order they came in")
  }
}
