import Testing

@testable import DownloadCore

@Suite struct `Mirrors of a file` {
  private let version = VersionState(
    digests: [], hasPieces: false, settings: FileSettings())

  private func mirrors() -> MirrorSet {
    MirrorSet(
      ["a", "b", "c"].map { Location(scheme: .https, host: $0, port: 443, path: "/f", query: nil) },
      probe: ConcurrencyProbe(initial: 1, maximum: 4, now: .zero))
  }

  @Test func `the current mirror comes first, a replacement or slow mirror only if no other is left`() {
    var mirrors = mirrors()
    mirrors.choose(1)
    #expect(mirrors.candidates(for: version) == [1, 2, 0])
    mirrors[1].disagrees()
    #expect(mirrors.candidates(for: version) == [2, 0])
    mirrors.lags(2, version)
    #expect(mirrors.candidates(for: version) == [0])
    mirrors[0].disagrees()
    #expect(mirrors.candidates(for: version) == [2])
    mirrors[2].disagrees()
    #expect(mirrors.candidates(for: version) == [1, 2, 0])
    mirrors.contentDiscarded()
    #expect(mirrors.candidates(for: version) == [1, 0], "the slow mirror is still slow")
  }

  @Test func `an expelled mirror is never asked again, and the next one becomes current`() {
    var mirrors = mirrors()
    let isLeft = mirrors.expel(0, .wrongContent, version)
    #expect(isLeft && mirrors.current == 1 && mirrors.candidates(for: version) == [1, 2])
    mirrors[0].disagrees()
    mirrors.contentDiscarded()
    #expect(mirrors[0].standing == .expelled(.wrongContent) && mirrors.isFirst(1) && !mirrors.isFirst(2))
    _ = mirrors.expel(2, .wrongContent, version)
    #expect(mirrors.current == 1 && !mirrors.hasOther(than: 1))
    let isAnyLeft = mirrors.expel(1, .wrongContent, version)
    #expect(!isAnyLeft)
  }

  @Test func `after a mismatch one mirror supplies the whole file`() {
    var (mirrors, version) = (mirrors(), version)
    version.mismatched()
    mirrors[2].brought(10, progress: 10)
    #expect(mirrors.candidates(for: version) == [2] && mirrors.partners(for: version) == [2])
    #expect(mirrors.soleSourceWithAlternative == 2 && mirrors.source == 2)
    mirrors[1].brought(10, progress: 10)
    #expect(mirrors.soleSourceWithAlternative == nil)
  }

  @Test func `bytes of an earlier run, which may be of several mirrors, are blamed on none`() {
    var mirrors = mirrors()
    mirrors[2].broughtEarlier(10, validators: nil)
    mirrors[2].brought(10, progress: 10)
    #expect(mirrors.source == 2 && mirrors.soleSourceWithAlternative == nil)
    mirrors.contentDiscarded()
    mirrors[2].brought(10, progress: 10)
    #expect(mirrors.soleSourceWithAlternative == 2)
  }

  @Test func `ranges are asked for again when the file has grown, three times`() {
    var set = mirrors()
    for gain in [64, 1024, 16_384] as [Int64] {
      set[1].ranges.refused()
      let short = set.gained((gain << 10) - 1)
      let enough = set.gained(1)
      #expect(short == [] && enough == [1], "\(gain)")
      set.askForRangesAgain(1, lastStart: nil)
      #expect(!set[1].ranges.isAvoided)
    }
    set[1].ranges.refused()
    let more = set.gained(1 << 40)
    set.askForRangesAgain(1, lastStart: nil)
    #expect(more == [] && set[1].ranges.isAvoided)
  }

  @Test func `after a whole answer ranges are asked for again if it brought nothing or much`() {
    for (byteCount, isAsked) in [(0, true), (5000, false), (65_536, true)] as [(Int64, Bool)] {
      var set = mirrors()
      let isAskedWithoutRefusal = set.maySucceedWithRanges(1, afterWholeThatBroughtAny: byteCount > 0)
      set[1].ranges.refused()
      _ = set.gained(byteCount)
      let isAskedNow = set.maySucceedWithRanges(1, afterWholeThatBroughtAny: byteCount > 0)
      #expect(!isAskedWithoutRefusal && isAskedNow == isAsked, "\(byteCount)")
    }
  }

  @Test func `a mirror is another one's source while it has the version, and junior to those before it`() {
    var mirrors = mirrors()
    #expect(!mirrors.hasOtherSource(than: 2) && !mirrors.isJunior(2))
    mirrors[0].validators = Validators()
    #expect(mirrors.hasOtherSource(than: 2) && mirrors.isJunior(2) && !mirrors.isJunior(0))
    mirrors[0].disagrees()
    #expect(!mirrors.hasOtherSource(than: 2) && !mirrors.isJunior(2))
    mirrors.versionDiscarded()
    mirrors.contentDiscarded()
    #expect(mirrors.validators == [nil, nil, nil])
  }

  @Test func `segments are divided among mirrors that serve ranges, those with a known version first`() {
    var (mirrors, version) = (mirrors(), version)
    version.adopt(
      Representation(completeLength: 9, validators: Validators(entityTag: EntityTag(parsing: "\"v\"".utf8))),
      Answer(ResponseHead(status: 200), to: .whole, unixTime: 0), keepsContent: false,
      of: &mirrors[2])
    #expect(mirrors.partners(for: version) == [2, 0, 1] && mirrors.areShared(for: version))
    #expect(mirrors.hasOtherSource(than: 0) && !mirrors.hasOtherSource(than: 2))
    for mirror in 0..<2 { mirrors[mirror].ranges.refused() }
    #expect(mirrors.partners(for: version) == [2] && !mirrors.areShared(for: version))
  }
}
