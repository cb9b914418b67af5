@testable import DownloadCore
import Testing

/// A record with a value in every field.
func fullRecord(sequence: UInt64 = 7, end: Int64 = 900) -> SidecarRecord {
  var record = SidecarRecord(
    target: Array("na me\n%=\u{e9}".utf8) + [0xFF], url: "https://example.org/a b", urlHash: "0123456789abcdef",
    bootID: "boot-1")
  record.sequence = sequence
  record.completeLength = 1000
  record.mirrors = [
    SidecarRecord.MirrorState(
      url: "https://example.org/a", urlHash: "0123456789abcdef", strongTag: [0x22, 0x20, 0x80],
      lastModified: 1_600_000_000,
      lastModifiedIsStrong: true),
    SidecarRecord.MirrorState(url: "", urlHash: "fedcba9876543210", lastModified: -5),
  ]
  record.digests = [ContentDigest(.md5, [UInt8](0..<16))!, ContentDigest(.sha256, [UInt8](0..<32))!]
  record.claimedDigests = [ContentDigest(.sha512, [UInt8](0..<64))!]
  record.contentCoding = "gzip, br=1"
  record.synced = ByteRangeSet([0..<100, 200..<300])
  record.written = ByteRangeSet([0..<100, 200..<end])
  record.sources = [.init(0..<100, mirror: 0), .init(200..<300, mirror: 1), .init(300..<end, mirror: 0)]
  record.flags = [.unreliableTags]
  return record
}

func file(_ slots: [UInt8]...) -> [UInt8] {
  slots.flatMap { $0 + [UInt8](repeating: 0, count: SidecarSlot.byteCount - $0.count) }
}

@Suite struct `Sidecar record` {
  @Test func `CRC-64 has the check value of its definition`() {
    #expect(Checksum.crc64("123456789".utf8) == 0x995D_C9BB_DF19_39FA)
  }

  @Test func `every field is read back`() {
    let record = fullRecord()
    let slot = SidecarSlot.encode(record, isSynced: true)
    #expect(SidecarSlot.decode(slot[...]) == .record(record, isSynced: true))
  }

  @Test func `the text has the form of the manual`() {
    let text = String(decoding: SidecarCoding.encode(fullRecord(), capacity: SidecarSlot.capacity), as: UTF8.self)
    #expect(
      text == """
        target: na%20me%0A%25%3D%C3%A9%FF
        url: https://example.org/a%20b
        url-hash: 0123456789abcdef
        length: 1000
        boot: boot-1
        coding: gzip,%20br%3D1
        digest: md5:000102030405060708090a0b0c0d0e0f
        digest: sha256:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        claimed-digest: sha512:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        flag: unreliable-tags
        mirror: hash=0123456789abcdef url=https://example.org/a etag="%20%80 modified=1600000000
        mirror: hash=fedcba9876543210 url= weak-modified=-5
        synced: 0-100,200-300
        written: 0-100,200-900
        source: 0 0-100,300-900
        source: 1 200-300

        """)
  }

  @Test func `written ranges are valid only during the boot that wrote them`() {
    let record = fullRecord()
    #expect(record.believed(bootID: "boot-1") == record.written)
    #expect(record.believed(bootID: "boot-2") == record.synced)
    var nameless = record
    nameless.bootID = ""
    #expect(nameless.believed(bootID: "") == nameless.synced)
  }

  @Test func `too many ranges are dropped from the end`() throws {
    var record = fullRecord()
    record.completeLength = nil
    let ranges = (0..<5000).map { Int64($0) * 100..<Int64($0) * 100 + 50 }
    record.synced = ByteRangeSet(ranges.prefix(2500))
    record.written = ByteRangeSet(ranges)
    record.sources = ranges.enumerated().map { .init($1, mirror: $0 % 2) }
    let slot = SidecarSlot.encode(record, isSynced: false)
    #expect(slot.count <= SidecarSlot.byteCount)
    guard case .record(let read, _) = SidecarSlot.decode(slot[...]) else {
      Issue.record("the slot cannot be read")
      return
    }
    let end = try #require(read.written.ranges.last?.upperBound)
    #expect(read == record.clipped(to: end))
    #expect(read.written.ranges.count > 200)
  }

  @Test func `mirrors that do not fit are dropped with their ranges`() {
    var record = fullRecord()
    record.mirrors = (0..<40).map {
      .init(url: "https://\($0).example/" + String(repeating: "x", count: 1000), urlHash: "0123456789abcdef")
    }
    record.sources = [.init(0..<100, mirror: 0), .init(200..<900, mirror: 39)]
    guard case .record(let read, _) = SidecarSlot.decode(SidecarSlot.encode(record, isSynced: true)[...]) else {
      Issue.record("the slot cannot be read")
      return
    }
    #expect(read.mirrors.count < 10 && read.mirrors.count > 4)
    #expect(read.written.ranges == [0..<100] && read.synced.ranges == [0..<100])
    #expect(read.sources == [.init(0..<100, mirror: 0)])
  }

  @Test func `a record with oversized fields can still be read`() {
    var record = fullRecord()
    record.target = [UInt8](repeating: 0, count: 5000)
    record.url = String(repeating: "é", count: 9000)
    record.urlHash = "no hash"
    record.completeLength = .max
    record.bootID = String(repeating: "b", count: 70000)
    record.digests = [ContentDigest](repeating: record.digests[1], count: 500)
    record.mirrors[0].url = record.url
    record.mirrors[0].strongTag = [UInt8](repeating: 1, count: 60000)
    guard case .record(let read, _) = SidecarSlot.decode(SidecarSlot.encode(record, isSynced: true)[...]) else {
      Issue.record("the slot cannot be read")
      return
    }
    #expect(read.mirrors[0].strongTag == nil && read.urlHash == "0000000000000000" && read.completeLength == nil)
    #expect(read.written == record.written)
  }

  @Test(arguments: [
    "url-hash: 0123456789abcdef\nsynced: \nwritten: \n",
    "target: a\nurl-hash: 0123456789abcdef\nsynced: 0-5\nwritten: 0-4\n",
    "target: a\nurl-hash: 0123456789abcdef\nsynced: \nwritten: 5-5\n",
    "target: a\nurl-hash: 0123456789abcdef\nsynced: \nwritten: 5-4\n",
    "target: a\nurl-hash: 0123456789abcdef\nsynced: \nwritten: 5-9,8-10\n",
    "target: a\nurl-hash: 0123456789abcdef\nsynced: \nwritten: -5-9\n",
    "target: a\nurl-hash: 0123456789abcdef\nsynced: \nwritten: 0-99999999999999999999\n",
    "target: a\nurl-hash: 0123456789abcdef\nsynced: \nwritten: 0-4611686018427387904\n",
    "target: a\nurl-hash: 0123456789abcdef\nlength: 9223372036854775807\nsynced: \nwritten: \n",
    "target: a\nurl-hash: 0123456789abcdef\nlength: 3\nsynced: \nwritten: 0-4\n",
    "target: a\nurl-hash: 0123456789abcdef\nsynced: \nwritten: 0-4\nsource: 0 0-4\n",
    "target: a\nurl-hash: 0123456789abcdef\nsynced: \nsynced: \nwritten: 0-4\n",
    "target: a%2\nurl-hash: 0123456789abcdef\nsynced: \nwritten: \n",
    "target: a\nurl-hash: 0123\nsynced: \nwritten: \n", "nonsense", "target:a\n",
  ])
  func `a contradictory text is rejected`(text: String) {
    #expect(SidecarCoding.decode(Array(text.utf8)[...]) == nil)
  }

  @Test func `an unknown key is ignored`() {
    let text = "target: a\nurl-hash: 0123456789abcdef\ncolour: red\nsynced: 0-4\nwritten: 0-4\n"
    #expect(SidecarCoding.decode(Array(text.utf8)[...])?.synced.ranges == [0..<4])
  }
}
