import TestSupport
import Testing

@testable import DownloadCore

/// Every kind of finished file against every kind of answer to `--timestamping`.
@Suite struct `A local copy` {
  private static let size: Int64 = 1000
  private static let modified: Int64 = 500

  private struct Case: CustomStringConvertible {
    var copy: LocalCopy
    var tag: String?
    var time: Int64?
    var length: Int64?
    var isReliable: Bool

    var host: HostConditions { HostConditions(isETagReliable: isReliable) }

    var answer: Answer {
      var head = ResponseHead(status: 200)
      head.date = 1000
      head.contentLength = length
      head.entityTag = tag.flatMap { EntityTag(parsing: "\"\($0)\"".utf8) }
      head.lastModified = time
      return Answer(head, to: .whole, unixTime: 1000)
    }

    var judgement: LocalCopy.Judgement { copy.judgement(on: answer, host) }
    var description: String { "\(copy) \(tag ?? "-") \(time ?? -1) \(length ?? -1) \(isReliable)" }
  }

  private static let cases: [Case] = {
    var all: [Case] = []
    for mark in [LocalCopy.Mark.none, .matching, .ofOtherURL, .broken] {
      for mine in [nil, "v"] where mine == nil || mark == .matching || mark == .ofOtherURL {
        for isDated in [false, true] {
          let tag = mine.flatMap { EntityTag(parsing: "\"\($0)\"".utf8) }
          let copy = LocalCopy(modified: modified, size: size, mark: mark, entityTag: tag, isDated: isDated)
          for theirs in [nil, "v", "w"] {
            for time in [nil, modified - 1, modified, modified + 1] {
              for length in [nil, size, size + 1] {
                for isReliable in [false, true] {
                  all.append(Case(copy: copy, tag: theirs, time: time, length: length, isReliable: isReliable))
                }
              }
            }
          }
        }
      }
    }
    return all
  }()

  private func expect(_ judgement: LocalCopy.Judgement, where isMeant: (Case) -> Bool) {
    let meant = Self.cases.filter(isMeant)
    #expect(!meant.isEmpty)
    for one in meant { #expect(one.judgement == judgement, "\(one)") }
  }

  /// Whether the tags of the file and the answer say which version it is.
  private func areTagsCompared(_ one: Case) -> Bool {
    one.copy.mark == .matching && one.isReliable && one.copy.entityTag != nil && one.tag != nil
  }

  @Test func `with a new entity tag is replaced, whatever the dates`() {
    expect(.replace) { areTagsCompared($0) && $0.tag == "w" }
  }

  @Test func `with the same entity tag and length is kept, whatever the dates`() {
    expect(.keep) { areTagsCompared($0) && $0.tag == "v" && $0.length != Self.size + 1 }
  }

  @Test func `that is newer is kept, whatever its mark`() {
    expect(.keep) { !areTagsCompared($0) && $0.time == Self.modified - 1 }
  }

  @Test func `that is older is replaced`() {
    expect(.replace) { !areTagsCompared($0) && $0.time == Self.modified + 1 }
  }

  @Test func `that had a validator never gives way to an answer without one`() {
    expect(.refuse) { $0.tag == nil && $0.time == nil && ($0.copy.isDated || $0.copy.entityTag != nil) }
    expect(.replace) { $0.tag == nil && $0.time == nil && !$0.copy.isDated && $0.copy.entityTag == nil }
  }

  @Test func `of the same date must have the length, and match its mark if it has one`() {
    func isSameDate(_ one: Case) -> Bool { !areTagsCompared(one) && one.time == Self.modified }
    expect(.replace) { isSameDate($0) && ($0.copy.mark == .broken || $0.length == Self.size + 1) }
    expect(.keep) { isSameDate($0) && $0.copy.mark == .none && $0.length != Self.size + 1 }
    expect(.replace) {
      isSameDate($0) && $0.copy.mark == .ofOtherURL && $0.isReliable && $0.copy.entityTag != nil && $0.tag == "w"
    }
  }

  @Test func `is a condition only if its mark fits, and without one if it is not empty`() {
    for (mark, isFull, isEmpty) in [
      (.matching, true, true), (.none, true, false), (.ofOtherURL, false, false), (.broken, false, false),
    ] as [(LocalCopy.Mark, Bool, Bool)] {
      #expect(LocalCopy(modified: 5, size: 1, mark: mark).isCondition == isFull)
      #expect(LocalCopy(modified: 5, size: 0, mark: mark).isCondition == isEmpty)
    }
  }

  /// A file system may not be able to store the server's date.
  @Test(arguments: [Int64(Int32.max), Int64(UInt32.max), 15_032_385_535, 4_354_819_198, 16_299_260_424])
  func `of the latest time of a file system is of every later date`(latest: Int64) {
    let copy = LocalCopy(modified: latest, size: Self.size)
    func judgement(_ time: Int64) -> LocalCopy.Judgement {
      Case(copy: copy, tag: nil, time: time, length: Self.size, isReliable: true).judgement
    }
    #expect(judgement(latest + 1) == .keep && judgement(latest + 1_000_000_000) == .keep && judgement(latest) == .keep)
    #expect(judgement(latest - 1) == .keep)
    let before = LocalCopy(modified: latest - 1, size: Self.size)
    #expect(Case(copy: before, tag: nil, time: latest, length: Self.size, isReliable: true).judgement == .replace)
  }
}
