import DownloadCore
import Testing

@Suite struct `Sidecar reading` {
  let older = fullRecord(sequence: 7, end: 600)
  let newer = fullRecord(sequence: 8, end: 900)

  @Test func `the newer record wins in either slot`() {
    let a = SidecarSlot.encode(older, isSynced: true)
    let b = SidecarSlot.encode(newer, isSynced: false)
    let reading = SidecarReading(file(a, b))
    #expect(reading.outcome == .record(newer))
    #expect(reading.protectedSlot == 0 && reading.newestSlot == 1 && reading.highestSequence == 8)
    #expect(SidecarReading(file(b, a)).outcome == .record(newer))
    #expect(SidecarReading(file(b, a)).protectedSlot == 1)
  }

  @Test func `an empty file has no record`() {
    #expect(SidecarReading([]).outcome == .empty)
    #expect(SidecarReading([UInt8](repeating: 0, count: 32768)).outcome == .empty)
  }

  @Test func `a file is signed by a slot's magic, or by the holder's line`() {
    let slot = SidecarSlot.encode(older, isSynced: true)
    let gap = [UInt8](repeating: 0, count: SidecarSlot.byteCount)
    #expect(SidecarReading.isSigned(slot) && SidecarReading.isSigned(gap + slot))
    let line = Array("pid 4711".utf8) + [UInt8](repeating: 0x20, count: 55) + [0x0A]
    #expect(SidecarReading.isSigned(gap + gap + line))
    #expect(!SidecarReading.isSigned(gap + gap) && !SidecarReading.isSigned([]))
    #expect(!SidecarReading.isSigned(gap + gap + line.dropLast()) && !SidecarReading.isSigned(gap + line))
    #expect(!SidecarReading.isSigned(Array(slot.prefix(7))) && !SidecarReading.isSigned([0] + slot))
    #expect(!SidecarReading.isSigned(gap + gap + Array("pid of nobody".utf8) + [UInt8](repeating: 0x0A, count: 51)))
  }

  @Test func `another file is foreign`() {
    #expect(SidecarReading(Array("#!/bin/sh\necho hello\n".utf8)).outcome == .unusable(.foreign))
    #expect(SidecarReading([UInt8](repeating: 0x41, count: 40000)).outcome == .unusable(.foreign))
  }

  @Test func `an intact record of a later version makes the file unusable`() {
    var future = SidecarSlot.encode(newer, isSynced: true)
    future[8] = 2
    let sum = Checksum.crc64([future[..<32], future[40...]].joined())
    for index in 0..<8 { future[32 + index] = UInt8(truncatingIfNeeded: sum >> UInt64(8 * index)) }
    let reading = SidecarReading(file(SidecarSlot.encode(older, isSynced: true), future))
    #expect(reading.outcome == .unusable(.future(version: 2)))
  }

  @Test func `a truncated file gives an intact record or is unusable`() {
    let bytes = file(SidecarSlot.encode(older, isSynced: true), SidecarSlot.encode(newer, isSynced: false))
    for count in 0..<bytes.count where count < 1200 || count > 16300 && count < 17600 || count % 997 == 0 {
      expectNoWrongClaim(Array(bytes.prefix(count)), "cut to \(count) bytes")
    }
  }

  @Test(arguments: [1, 20_261_120] as [UInt64])
  func `a file with flipped bits gives an intact record or is unusable`(seed: UInt64) {
    let bytes = file(SidecarSlot.encode(older, isSynced: true), SidecarSlot.encode(newer, isSynced: false))
    let used = SidecarSlot.encode(newer, isSynced: false).count
    var state = seed
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for round in 0..<1500 {
      var damaged = bytes
      var places: [Int] = []
      for _ in 0...(random(4)) {
        let place = random(2) * SidecarSlot.byteCount + random(used)
        damaged[place] ^= 1 << UInt8(random(8))
        places.append(place)
      }
      expectNoWrongClaim(damaged, "seed \(seed), round \(round), bytes \(places)")
    }
  }

  @Test func `after a torn write the other slot stays valid`() {
    let a = SidecarSlot.encode(older, isSynced: true)
    var many = newer
    many.completeLength = nil
    many.written = ByteRangeSet((0..<700).map { Int64($0) * 100_000..<Int64($0) * 100_000 + 50_000 })
    many.synced = many.written
    many.sources = []
    let b = SidecarSlot.encode(many, isSynced: true)
    #expect(b.count > 12288)
    let stale = SidecarSlot.encode(fullRecord(sequence: 6), isSynced: true)
    let old = stale + [UInt8](repeating: 0, count: SidecarSlot.byteCount - stale.count)
    for page in stride(from: 4096, to: b.count, by: 4096) {
      let torn = Array(b[..<page]) + old[page...]
      #expect(SidecarReading(file(a, torn)).outcome == .record(older))
    }
  }

  private func expectNoWrongClaim(_ bytes: [UInt8], _ what: String) {
    switch SidecarReading(bytes).outcome {
    case .record(let record): #expect(record == older || record == newer, "\(what)")
    case .empty, .unusable: break
    }
  }
}
