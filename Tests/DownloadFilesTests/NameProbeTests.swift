import DownloadCore
@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

@Suite struct `A probe of names` {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `tells all names apart where the file system does, and leaves nothing`() throws {
    let scratch = try Scratch()
    do {
      let probe = try #require(NameProbe(in: bytes(scratch.path)))
      #expect(!probe.folds && scratch.names.count == 1)
      #expect(!probe.areOne(bytes("Read.bin"), bytes("read.bin")) && probe.areOne(bytes("a"), bytes("a")))
      #expect(probe.alikeNames(bytes("d/a"), bytes("d/A")) == nil)
    }
    #expect(scratch.names.isEmpty)
  }

  @Test func `goes on with what a killed one left`() throws {
    let scratch = try Scratch()
    for _ in 1...2 {
      let probe = NameProbe(in: scratch.directory.base)
      #expect(probe != nil)
      try? SystemCalls.mkdirat(scratch.directory.base.raw, bytes(scratch.names[0]), mode: 0o700)
    }
    #expect(scratch.names.isEmpty)
  }

  @Test func `does without where nothing can be made`() throws {
    let scratch = try Scratch()
    #expect(NameProbe(in: bytes(scratch.path + "/none")) == nil)
    let faults = [Fault(.mkdirat, .failure(EROFS))]
    #expect(FaultTable.withFaults(faults) { NameProbe(in: scratch.directory.base) } == nil)
  }
}
