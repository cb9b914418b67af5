import TestSupport
import Testing

@testable import DownloadCore

/// A file of which an earlier run has left a record, or a finished copy.
@Suite struct `Starting with a record or an existing file` {
  @Test func `a usable record is resumed, any other starts over`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let good = Representation(completeLength: 1_000_000, validators: Validators(entityTag: tag))
    let done = ByteRangeSet(CollectionOfOne(Int64(0)..<400_000))
    let trace = FileTrace(beginning: .resume(good, done: done, mirror: 0))
    #expect(trace.take() == ["get 0 a/f 400000-999999"])
    // The server ignores the range, so recorded bytes are skipped.
    let disposition = trace.head(0, 200, length: 1_000_000)
    #expect(disposition == .store(at: 0, skip: 400_000, end: 1_000_000))
    let bare = Representation(completeLength: 1_000_000, validators: Validators(lastModified: 5))
    let unusable = FileTrace(beginning: .resume(bare, done: done, mirror: 0))
    #expect(unusable.run.file(0)?.machine.didResume == false)
    #expect(unusable.take() == ["get 0 a/f all"])
  }

  /// Has every request answered by a page that no validator identifies, until something else than a request happens.
  private func answerPages(
    _ trace: FileTrace, from first: Int, length: Int64, _ asked: inout [String]
  ) -> [String] {
    var id = first
    for _ in 0..<30 {
      let said = trace.take()
      let isRequest = said.count == 1 && said[0].hasPrefix("get \(id) ")
      if !said.isEmpty, !isRequest { return said }
      if isRequest {
        asked.append(String(said[0].split(separator: " ")[3]))
        trace.head(id, 200, length: length, tag: nil)
        trace.ended(id, .stopped)
        id += 1
      } else {
        trace.wait(milliseconds: 30_000)
      }
    }
    return []
  }

  @Test func `if the server has lost its validators, a plain GET of the same length starts over`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let known = Representation(completeLength: 1_000_000, validators: Validators(entityTag: tag))
    let done = ByteRangeSet(CollectionOfOne(Int64(0)..<400_000))
    for isRange in [true, false] {
      let trace = FileTrace(beginning: .resume(known, done: done, mirror: 0))
      #expect(trace.take() == ["get 0 a/f 400000-999999"])
      if isRange {
        trace.head(0, 206, range: 400_000..<1_000_000, of: 1_000_000, tag: nil)
      } else {
        trace.head(0, 200, length: 1_000_000, tag: nil)
      }
      trace.ended(0, .stopped)
      #expect(trace.take() == ["get 1 a/f all"])
      #expect(trace.head(1, 200, length: 1_000_000, tag: nil) == .store(at: 0, skip: 0, end: 1_000_000))
      #expect(trace.take() == ["discard", "adopt 1000000"])
      #expect(trace.notices == [.startingOver(.changed(.validators))])
    }
  }

  @Test func `a page of another length never replaces the version of an earlier run`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let known = Representation(completeLength: 1_000_000, validators: Validators(entityTag: tag))
    let done = ByteRangeSet(CollectionOfOne(Int64(0)..<400_000))
    let trace = FileTrace(beginning: .resume(known, done: done, mirror: 0)) { $0.file.tries = 3 }
    var asked: [String] = []
    #expect(answerPages(trace, from: 0, length: 70, &asked) == ["fail protocolViolation"])
    #expect(asked == Array(repeating: "400000-999999", count: 3) + ["all"])
  }

  @Test func `a version that an answer of this run has shown never gives way to an unidentified page`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let known = Representation(completeLength: 1_000_000, validators: Validators(entityTag: tag))
    let done = ByteRangeSet(CollectionOfOne(Int64(0)..<400_000))
    for (isWhole, length) in [(false, 70), (false, 1_000_000), (true, 70), (true, 1_000_000)] as [(Bool, Int64)] {
      let trace = FileTrace(beginning: .resume(known, done: done, mirror: 0)) {
        $0.file.tries = 3
        $0.file.maxConnections = 1
      }
      #expect(trace.take() == ["get 0 a/f 400000-999999"])
      if isWhole {
        trace.head(0, 200, length: 1_000_000)
      } else {
        trace.head(0, 206, range: 400_000..<1_000_000, of: 1_000_000)
      }
      trace.advanced(0, 600_000)
      _ = trace.take()
      trace.ended(0, .failed(.reset("")))
      var asked: [String] = []
      #expect(answerPages(trace, from: 1, length: length, &asked) == ["fail protocolViolation"], "\(asked)")
      #expect(asked.last == "all")
    }
  }

  @Test func `a complete record concludes without a request`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let known = Representation(completeLength: 1000, validators: Validators(entityTag: tag, lastModified: 5))
    let done = ByteRangeSet(CollectionOfOne(Int64(0)..<1000))
    let trace = FileTrace(beginning: .resume(known, done: done, mirror: 0))
    #expect(trace.take() == ["conclude 1000 0"])
    let digest = ContentDigest(.md5, repeating: 1)
    let verified = FileTrace(digests: [digest], beginning: .resume(known, done: done, mirror: 0))
    #expect(verified.take() == ["conclude 1000 1"])
    // Without a length the record may be incomplete.
    let open = Representation(completeLength: nil, validators: Validators(entityTag: tag))
    #expect(FileTrace(beginning: .resume(open, done: done, mirror: 0)).take() == ["get 0 a/f 1000-"])
    // The record is of another file than the list describes.
    let other = FileTrace(expectedLength: 999, beginning: .resume(known, done: done, mirror: 0))
    #expect(other.take() == ["discard", "fail integrity"])
  }

  /// What another URL's server says of its version: the bytes stay only if all agrees.
  @Test func `bytes of another URL stay only where tag, length and time agree, or a digest judges`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let known = Representation(
      completeLength: 1_000_000, validators: Validators(entityTag: tag, lastModified: 500, lastModifiedIsStrong: true))
    let done = ByteRangeSet(CollectionOfOne(Int64(0)..<400_000))
    func goesOn(_ tag: String?, _ modified: Int64?, length: Int64 = 1_000_000, digests: [ContentDigest] = []) -> Bool {
      var answers: Set<Bool> = []
      for isRange in [true, false] {
        let trace = FileTrace(digests: digests, beginning: .resume(known, done: done, mirror: 0, isOfOtherURL: true))
        #expect(trace.take() == ["get 0 a/f 400000-999999"])
        let disposition =
          isRange
          ? trace.head(0, 206, range: 400_000..<length, of: length, tag: tag) { $0.lastModified = modified }
          : trace.head(0, 200, length: length, tag: tag) { $0.lastModified = modified }
        if case .store = disposition {
          answers.insert(true)
          continue
        }
        trace.ended(0, .stopped)
        #expect(trace.take() == ["get 1 a/f all"])
        let whole = trace.head(1, 200, length: length, tag: tag) { $0.lastModified = modified }
        #expect(whole == .store(at: 0, skip: 0, end: length) && trace.take().first == "discard")
        #expect(trace.notices.contains { if case .startingOver = $0 { true } else { false } })
        answers.insert(false)
      }
      #expect(answers.count == 1)
      return answers.contains(true)
    }
    #expect(goesOn("v", 500) && goesOn("v", nil))
    #expect(!goesOn("v", 501) && !goesOn("w", 500) && !goesOn(nil, 500))
    #expect(!goesOn("v", 500, length: 1_000_001))
    let digest = ContentDigest(.sha256, repeating: 1)
    #expect(goesOn("w", 501, digests: [digest]) && goesOn(nil, nil, digests: [digest]))
    #expect(!goesOn("v", 500, length: 1_000_001, digests: [digest]))
  }

  /// As when the URL that brought the bytes is gone, and the user has named another one.
  @Test func `a mirror goes on from an earlier run only where tag, length and time agree`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let known = Representation(completeLength: 1_000_000, validators: Validators(entityTag: tag, lastModified: 500))
    let done = ByteRangeSet(CollectionOfOne(Int64(0)..<400_000))
    for (modified, goesOn) in [(500, true), (nil, true), (501, false)] as [(Int64?, Bool)] {
      let trace = FileTrace(hosts: ["a", "b"], beginning: .resume(known, done: done, mirror: 0))
      #expect(trace.take() == ["get 0 a/f 400000-999999"])
      trace.head(0, 404)
      trace.ended(0)
      #expect(trace.take() == ["get 1 b/f 400000-999999"])
      let disposition = trace.head(1, 206, range: 400_000..<1_000_000, of: 1_000_000) { $0.lastModified = modified }
      #expect((disposition == .store(at: 400_000, skip: 0, end: 1_000_000)) == goesOn, "\(disposition)")
    }
  }

  @Test func `the length of an existing file is compared`() {
    let equal = FileTrace(beginning: .compareLength(LocalCopy(modified: 77, size: 1000)))
    equal.head(0, 200, length: 1000)
    equal.ended(0)
    #expect(equal.take() == ["get 0 a/f all", "keep"])
    let different = FileTrace(beginning: .compareLength(LocalCopy(modified: 77, size: 1000)))
    different.head(0, 200, length: 2000)
    different.ended(0)
    #expect(different.take() == ["get 0 a/f all", "fail integrity"])
  }

  @Test func `a file of another URL is not kept against its tag and date`() {
    func end(_ copy: LocalCopy, tag: String?, _ modified: Int64?) -> String? {
      let trace = FileTrace(beginning: .compareLength(copy))
      trace.head(0, 200, length: 1000, tag: tag) { $0.lastModified = modified }
      trace.ended(0)
      return trace.take().last
    }
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let other = LocalCopy(modified: 500, size: 1000, mark: .ofOtherURL, entityTag: tag)
    #expect(
      end(other, tag: "v", 500) == "keep" && end(other, tag: nil, nil) == "keep" && end(other, tag: nil, 501) == "keep")
    #expect(end(other, tag: "w", 500) == "fail integrity")
    #expect(end(other, tag: "v", 502) == "fail integrity" && end(other, tag: nil, 400) == "fail integrity")
    // The time of the download is none of the server's.
    let undated = LocalCopy(modified: 500, size: 1000, mark: .ofOtherURL, isDated: false)
    #expect(end(undated, tag: "w", 400) == "keep")
    for mark in [LocalCopy.Mark.none, .broken] {
      #expect(end(LocalCopy(modified: 500, size: 1000, mark: mark), tag: "w", 400) == "keep", "anybody's file")
    }
  }

  @Test func `an update keeps a local file that is not older`() {
    func disposition(_ local: LocalCopy, _ change: @escaping (inout ResponseHead) -> Void) -> [String] {
      let trace = FileTrace(beginning: .update(local))
      _ = trace.take()
      trace.head(0, 200, length: 1000, tag: "v") {
        $0.lastModified = 500
        change(&$0)
      }
      trace.ended(0, .stopped)
      return trace.take()
    }
    let same = LocalCopy(modified: 500, size: 1000)
    #expect(disposition(same) { _ in } == ["keep"])
    #expect(disposition(LocalCopy(modified: 900, size: 7)) { _ in } == ["keep"], "the local file is newer")
    #expect(disposition(LocalCopy(modified: 499, size: 1000)) { _ in }.first == "adopt 1000")
    #expect(
      disposition(LocalCopy(modified: 500, size: 7)) { _ in }.first == "adopt 1000", "the local file is truncated")
    #expect(disposition(same) { $0.lastModified = nil }.first == "adopt 1000")
    let tagged = LocalCopy(modified: 500, size: 1000, mark: .matching, entityTag: EntityTag(parsing: "\"u\"".utf8))
    #expect(disposition(tagged) { _ in }.first == "adopt 1000", "changed within the second")
    let current = LocalCopy(modified: 500, size: 1000, mark: .matching, entityTag: EntityTag(parsing: "\"v\"".utf8))
    #expect(disposition(current) { _ in } == ["keep"])
    #expect(disposition(same) { ($0.entityTag, $0.lastModified) = (nil, nil) } == ["fail protocolViolation"])
  }

  @Test func `an entity tag is compared with answers of its own URL only`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let local = LocalCopy(modified: 500, size: 1000, mark: .matching, entityTag: tag)
    let trace = FileTrace(hosts: ["a", "b"], beginning: .update(local))
    trace.head(0, 404)
    trace.ended(0)
    // The second mirror has another tag for the same file.
    trace.head(1, 200, length: 1000, tag: "w") { $0.lastModified = 500 }
    trace.ended(1, .stopped)
    #expect(trace.take() == ["get 0 a/f all", "get 1 b/f all", "keep"])
  }

  @Test func `a 304 keeps a local file that matches its mark`() {
    let trace = FileTrace(beginning: .update(LocalCopy(modified: 77, size: 1000, mark: .matching)))
    trace.head(0, 304)
    trace.ended(0)
    #expect(trace.take() == ["get 0 a/f all", "keep"])
  }

  @Test func `a 304 for an unmarked file counts with its length only, for which a HEAD may ask`() {
    func started(_ length: Int64?) -> FileTrace {
      let trace = FileTrace(beginning: .update(LocalCopy(modified: 500, size: 1000)))
      // The connection is kept, however long the file is.
      #expect(trace.head(0, 304, length: length) == .drain)
      trace.ended(0)
      return trace
    }
    #expect(started(1000).take() == ["get 0 a/f all", "keep"])
    let truncated = started(2_000_000)
    #expect(truncated.take() == ["get 0 a/f all", "get 1 a/f all"])
    truncated.head(1, 200, length: 2_000_000) { $0.lastModified = 500 }
    #expect(truncated.take() == ["adopt 2000000"])
    for (status, length, end) in [
      (200, 1000, "keep"), (200, nil, "keep"), (200, 2000, "get 2 a/f all"), (405, nil, "keep"), (404, nil, "keep"),
      (503, nil, "keep"),
    ] as [(Int, Int64?, String)] {
      let trace = started(nil)
      #expect(trace.take() == ["get 0 a/f all", "head 1 a/f all"])
      trace.head(1, status, length: length)
      trace.ended(1)
      #expect(trace.take() == [end], "\(status)")
    }
    let silent = started(nil)
    silent.ended(1, .failed(.stalled))
    #expect(silent.take().last == "keep")
  }
}
