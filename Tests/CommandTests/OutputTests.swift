import DownloadEngine
import Glibc
import TestSupport
import Testing

@testable import CommandMain

@Suite struct `Writing to descriptors` {
  @Test func `a full device is an error for data, not for messages`() {
    let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    let data = Output(descriptor: descriptor, purpose: .data)
    data.write("x")
    #expect(data.failed == ENOSPC)
    let messages = Output(descriptor: descriptor, purpose: .messages)
    messages.write("x")
    #expect(messages.failed == nil)
  }

  @Test func `a pipe without a reader is recorded once`() {
    signal(SIGPIPE, SIG_IGN)  // as the program does; nothing else in this process wants the signal
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let output = Output(descriptor: ends[1], purpose: .data)
    output.write("x")
    output.write("y")
    #expect(output.failed == EPIPE)
  }

  @Test func `a message to a stuck reader is dropped after a second`() {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    for end in ends { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    defer { for end in ends { close(end) } }
    let output = Output(descriptor: ends[1], purpose: .messages)
    let start = ContinuousClock.now
    output.write([UInt8](repeating: 0x61, count: 200_000))
    #expect(ContinuousClock.now - start >= .milliseconds(900))
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while read(ends[0], &buffer, buffer.count) > 0 {}
    output.write("later")
    #expect(read(ends[0], &buffer, buffer.count) == 5)
  }

  /// Both ends of a pipe, which do not block.
  private func pipeEnds() -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    for end in ends { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    return (ends[0], ends[1])
  }

  @Test func `a slow reader gets all of a long text`() {
    let (reading, writing) = pipeEnds()
    let setPipeSize: Int32 = 1031
    #expect(fcntl(reading, setPipeSize, 4096) == 4096)
    let received = Locked<[UInt8]?>(nil)
    startThread {
      // More than a second in total.
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(reading, &buffer, buffer.count)
        if count == 0 { break }
        if count > 0 { bytes += buffer[..<count] }
        pause(seconds: 0.02)
      }
      received.withLock { [bytes] in $0 = bytes }
    }
    let output = Output(descriptor: writing, purpose: .messages)
    output.signals = SignalWatch([])
    var text = ""
    output.writeLong { take in
      for number in 0..<50_000 {
        text += "\(number)\n"
        #expect(take("\(number)\n"))
      }
    }
    close(writing)
    #expect(eventually { received.withLock { $0 != nil } })
    #expect(received.withLock { $0 } == Array(text.utf8))
    close(reading)
  }

  @Test func `a long text ends for a reader that is stuck, and the next line is a whole one`() {
    let (reading, writing) = pipeEnds()
    defer { for end in [reading, writing] { close(end) } }
    let output = Output(descriptor: writing, purpose: .messages)
    output.signals = SignalWatch([])
    var count = 0
    output.writeLong { take in
      repeat { count += 1 } while take("a line\n") && count < 1_000_000
    }
    #expect(count > 1000 && count < 1_000_000)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while read(reading, &buffer, buffer.count) > 0 {}
    output.write("later\n")
    let byteCount = read(reading, &buffer, buffer.count)
    #expect(String(decoding: buffer.prefix(max(0, byteCount)), as: UTF8.self) == "\nlater\n")
  }
}
