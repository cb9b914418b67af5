import DownloadCore
@testable import DownloadFiles
import Glibc
import TestSupport
import Testing

/// Publication on file systems that lack what others have, and whose calls fail at any time.
@Suite struct `Publication on any file system` {
  private static let old = pattern(70, seed: 9)
  private static let new = pattern(9000)

  private func publish(
    _ scratch: Scratch, _ publisher: Publisher, isSmall: Bool, replacing: Bool, syncs: Bool
  ) throws {
    let place = try scratch.place("x")
    if isSmall {
      let file = SmallFile(
        place: place, body: FilledBlock(copying: Self.new),
        PublishOrder(attributes: FileAttributes(urlHash: 1), isReplacing: replacing))
      for result in publisher.publishGroup([try publisher.stage(file, syncs: syncs)], syncs: syncs) {
        _ = try result.get()
      }
      return
    }
    let sidecar = try SidecarFile.open(place)
    try sidecar.startOver(with: record(for: "x", length: 9000))
    let part = try PartFile.create(place)
    try write(Self.new, to: part)
    if syncs { _ = try part.dataSync() }
    try sidecar.recordWritten(record(for: "x", done: 9000, length: 9000))
    try publisher.publish(
      part, sidecar: sidecar, byteCount: 9000,
      PublishOrder(attributes: FileAttributes(urlHash: 1), modified: FileTime(seconds: 1), isReplacing: replacing),
      syncs: syncs)
  }

  @Test func `gives a name to a complete file or to none`() throws {
    for round in 0..<400 {
      let seed = Fuzz.seed &+ UInt64(round)
      var generator = SeededGenerator(seed: seed)
      let system = DrawnFileSystem(using: &generator)
      let (isSmall, syncs) = (Bool.random(using: &generator), Bool.random(using: &generator))
      let before = Bool.random(using: &generator) ? Self.old : nil
      let told = "seed \(seed), small: \(isSmall), syncs: \(syncs), replacing: \(before != nil), \(system)"
      func run(
        _ faults: [Fault]
      ) throws -> (content: [UInt8]?, error: (any Error)?, names: [String], calls: [RecordedCall]) {
        let scratch = try Scratch()
        if let before { try scratch.write("x", before) }
        let publisher = Publisher()
        var thrown: (any Error)?
        let calls = FaultTable.recording {
          do {
            try FaultTable.withFaults(faults + system.faults) {
              try publish(scratch, publisher, isSmall: isSmall, replacing: before != nil, syncs: syncs)
            }
          } catch {
            thrown = error
          }
        }
        return (scratch.read("x"), thrown, scratch.names, calls)
      }
      let clean = try run([])
      #expect(clean.error == nil && clean.content == Self.new && clean.names == ["x"], "\(told): \(clean.names)")
      // One more failure: of a disk that is broken, or full from then on.
      guard let call = clean.calls.filter({ $0.result >= 0 }).randomElement(using: &generator)?.call else { continue }
      let isFull = Bool.random(using: &generator)
      let fault = Fault(
        call, number: Int.random(in: 1...6, using: &generator), persists: isFull, .failure(isFull ? ENOSPC : EIO))
      let found = try run([fault])
      #expect(found.content == before || found.content == Self.new, "\(told), \(fault)")
      #expect(found.error != nil || found.content == Self.new, "\(told), \(fault)")
    }
  }
}
