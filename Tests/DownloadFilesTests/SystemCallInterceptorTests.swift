import Foundation
import TestSupport
import Testing

@testable import DownloadFiles

@Suite struct `System call interceptor` {
  /// Fails fstat, and lets no call move more than three bytes.
  private struct Stingy: SystemCallInterceptor {
    func perform(_ call: SystemCall, _ detail: CallDetail, _ body: (Int) -> Int) -> Int {
      call == .fstat ? -Int(EIO) : body(3)
    }
  }

  /// In a process of its own, because the interceptor sees the calls of every thread.
  @Test func `the interceptor handles calls while it is set`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try scratch.write("x", [1, 2, 3, 4, 5])
      let file = try ExistingFile(scratch.place("x"))
      Interception.set(Stingy())
      #expect(throws: SystemCallError(.fstat, EIO)) { try ExistingFile(scratch.place("x")) }
      var buffer = [UInt8](repeating: 0, count: 5)
      // preadAll repeats short reads.
      #expect(try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 0) } == 5)
      Interception.set(nil)
      #expect(buffer == [1, 2, 3, 4, 5])
      _ = try ExistingFile(scratch.place("x"))
    }
  }
}
