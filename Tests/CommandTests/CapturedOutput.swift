import DownloadCore
import Glibc
import TestSupport

@testable import CommandMain

/// An `Output` to a pipe, whose text a test reads back.
final class CapturedOutput {
  let output: Output
  private let reading: Int32
  private let writing: Int32

  init(purpose: Output.Purpose = .messages) {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0)
    reading = ends[0]
    writing = ends[1]
    // A child of another test must not get its ends.
    ends.forEach(keepFromChildren)
    precondition(fcntl(reading, F_SETFL, O_NONBLOCK) == 0)
    output = Output(descriptor: writing, purpose: purpose)
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// What was written since the last call; a pipe holds 64 KiB.
  func text() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(reading, &buffer, buffer.count)
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}

/// `https://example.org/NAME`
func example(_ name: String) -> Location {
  Location(scheme: .https, host: "example.org", port: 443, path: "/" + name, query: nil)
}
